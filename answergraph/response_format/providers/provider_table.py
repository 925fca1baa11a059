"""The table of provider families, read from ``provider_table.toml``: it says which strategy the automatic one starts with.

A row that is wrong or out of date costs one refused request.
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
"""The row of servers that speak OpenAI's API at an address that no other row knows."""
_OPENAI_CLIENTS = frozenset({"BaseChatOpenAI"})
_OPENAI_ADDRESS = r"api\.openai\.com"


@lru_cache(maxsize=1)
def families() -> tuple[ProviderFamily, ...]:
    """Return the rows of the table, read at the first call."""
    text = resources.files(__package__).joinpath("provider_table.toml").read_text(encoding="utf-8")
    return tuple(map(_family, tomllib.loads(text)["family"]))


def _family(row: dict[str, Any]) -> ProviderFamily:
    ways = Ways(*(Availability[row.pop(way).upper()] for way in Ways._fields))
    dialect = Dialect(row.pop("dialect", Dialect.OPENAI_STRICT))
    clients = frozenset(row.pop("clients", ()))
    return ProviderFamily(ways=ways, dialect=dialect, clients=clients, sources=tuple(row.pop("sources")), **row)


@lru_cache(maxsize=256)
def matching_families(clients: frozenset[str], address: str, model: str) -> tuple[ProviderFamily, ...]:
    """Return the rows that match a model: the one that serves it, and the one of its name unless the server is no gateway.

    A way of asking must be right by all of them. ``clients`` are the names of the model's class and its bases; ``model`` is its
    name in lower case; name and address are empty if the model does not tell.
    """
    named = next(family for family in families() if family.has(model))
    server = next((family for family in families() if family.serves(clients, address)), None)
    is_elsewhere = address and not _OPENAI_CLIENTS.isdisjoint(clients) and not re.search(_OPENAI_ADDRESS, address)
    if server is None and named.open_weights and is_elsewhere:
        server = next(family for family in families() if family.name == COMPATIBLE)
    if server is None:
        return (named,)
    return (server, named) if server.gateway else (server,)
