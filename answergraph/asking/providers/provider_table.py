"""The provider families of ``provider_table.toml``, which decide what ``AutoStrategy`` starts with; a wrong row costs a call."""

import pkgutil
import re
import tomllib
from dataclasses import dataclass
from datetime import date
from enum import Enum
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from answergraph.json_schema.dialects import Dialect

COMPATIBLE = "any other server at an address of its own"
"""The row of OpenAI-compatible servers at unknown addresses."""
_OPENAI_CLIENTS = frozenset({"BaseChatOpenAI"})
_OPENAI_ADDRESS = r"api\.openai\.com"

TurnRule = Literal["user_first", "user_last", "model_after_tool"]
"""A user's message or a result comes before each of the model's; the model's is not the last; one is between result and user."""


class Availability(Enum):
    """When a provider supports a strategy."""

    ALWAYS = "always"
    WITHOUT_TOOLS = "without tools"
    WITHOUT_CALLS = "while no tool is called"
    """Beside tools it prevents calls, which is harmless if no call is wanted."""
    WITHOUT_THINKING = "without thinking"
    NEVER = "never"

    def holds(self, *, tools: bool, thinking: bool, calls: bool = True) -> bool:
        """Return whether the strategy works with tools and thinking; ``calls`` says whether tools may be called."""
        hindered = {
            Availability.WITHOUT_TOOLS: tools,
            Availability.WITHOUT_CALLS: tools and calls,
            Availability.WITHOUT_THINKING: thinking,
        }
        return self is Availability.ALWAYS or not hindered.get(self, True)


class Ways(NamedTuple):
    """When a provider supports each strategy."""

    native: Availability
    """The provider enforces a JSON schema."""
    forced_tool: Availability
    json_mode: Availability  # JSON without a schema


@dataclass(frozen=True)
class ProviderFamily:
    """A row of the provider table: models with the same capabilities."""

    name: str
    ways: Ways
    sources: tuple[str, ...]
    """The documentation or issue about the behaviour."""
    written: date
    """When the row was last updated."""
    clients: frozenset[str] = frozenset()
    """Names of LangChain's client classes; a subclass counts."""
    address: str = ""
    """Pattern in the client's base URL."""
    models: str = ""
    """Pattern of whole segments of the model's name, which gateways prefix ("openai/gpt-4o")."""
    open_weights: bool = True
    """Whether anyone but the maker can serve its models."""
    thinks: str = ""
    """Pattern of the names of models that think by default."""
    turns: frozenset[TurnRule] = frozenset()
    """The rules for the order of roles that it refuses to do without."""
    answers_last: bool = False
    """Whether a format or a forced call prevents tool calls, so that the answer is requested after the tools."""
    gateway: bool = False
    """Whether it serves others' models, so that the row of the model's name applies too."""
    needs_tools: bool = False
    """Whether it refuses a conversation with tool calls where no tools are defined."""
    wants_thoughts: bool = False
    """Whether it refuses a conversation in which the thoughts that precede a call are missing."""
    dialect: Dialect = Dialect.OPENAI_STRICT  # the dialect of its native mode
    note: str = ""

    def serves(self, clients: frozenset[str], address: str) -> bool:
        return not self.clients.isdisjoint(clients) or bool(self.address and re.search(self.address, address))

    def has(self, model: str) -> bool:
        return bool(self.models) and _has_segment(self.models, model)

    def thinks_unasked(self, model: str) -> bool:
        return bool(self.thinks) and _has_segment(self.thinks, model)


def _has_segment(pattern: str, name: str) -> bool:
    return re.search(rf"(^|[/:.])({pattern})($|[-/:.@])", name) is not None


@lru_cache(maxsize=1)
def families() -> tuple[ProviderFamily, ...]:
    """Return the rows of the table, read once."""
    # As Python reads modules: the first agent of a process may be made on an event loop, which nothing else may block.
    text = (pkgutil.get_data(__package__, "provider_table.toml") or b"").decode()
    return tuple(map(_family, tomllib.loads(text)["family"]))


def _family(row: dict[str, Any]) -> ProviderFamily:
    ways = Ways(*(Availability[row.pop(way).upper()] for way in Ways._fields))
    dialect = Dialect(row.pop("dialect", Dialect.OPENAI_STRICT))
    sources = tuple(row.pop("sources"))
    more: dict[str, Any] = {name: frozenset(row.pop(name, ())) for name in ("clients", "turns")} | row
    return ProviderFamily(ways=ways, dialect=dialect, sources=sources, **more)


@lru_cache(maxsize=256)
def matching_families(clients: frozenset[str], address: str, model: str) -> tuple[ProviderFamily, ...]:
    """Return the matching rows: the server's and, for gateways, that of the model's name.

    A strategy must be supported by all rows. ``clients`` are the class names of the model and its bases; ``model`` is its name in
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
