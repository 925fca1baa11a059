"""The provider families of ``provider_table.toml``, which decide how ``AutoStrategy`` starts.

A wrong row costs one refused request.
"""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from importlib import resources
from typing import Any

from answergraph.response_format.providers.provider_family import Availability, ProviderFamily, Ways
from answergraph.response_format.wire.dialects import Dialect

COMPATIBLE = "any other server at an address of its own"
"""The row of OpenAI-compatible servers at unknown addresses."""
_OPENAI_CLIENTS = frozenset({"BaseChatOpenAI"})
_OPENAI_ADDRESS = r"api\.openai\.com"


@lru_cache(maxsize=1)
def families() -> tuple[ProviderFamily, ...]:
    """Return the rows of the table, read once."""
    text = resources.files(__package__).joinpath("provider_table.toml").read_text(encoding="utf-8")
    return tuple(map(_family, tomllib.loads(text)["family"]))


def _family(row: dict[str, Any]) -> ProviderFamily:
    ways = Ways(*(Availability[row.pop(way).upper()] for way in Ways._fields))
    dialect = Dialect(row.pop("dialect", Dialect.OPENAI_STRICT))
    clients = frozenset(row.pop("clients", ()))
    return ProviderFamily(ways=ways, dialect=dialect, clients=clients, sources=tuple(row.pop("sources")), **row)


@lru_cache(maxsize=256)
def matching_families(clients: frozenset[str], address: str, model: str) -> tuple[ProviderFamily, ...]:
    """Return the matching rows: the server's, and for gateways the one of the model's name.

    All of them must support a strategy. ``clients`` are the class names of the model and its bases; ``model`` is its name in
    lower case; name and address are empty if unknown.
    """
    named = next(family for family in families() if family.has(model))
    server = next((family for family in families() if family.serves(clients, address)), None)
    is_elsewhere = address and not _OPENAI_CLIENTS.isdisjoint(clients) and not re.search(_OPENAI_ADDRESS, address)
    if server is None and named.open_weights and is_elsewhere:
        server = next(family for family in families() if family.name == COMPATIBLE)
    if server is None:
        return (named,)
    return (server, named) if server.gateway else (server,)
