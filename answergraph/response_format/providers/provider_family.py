"""What is known of a provider family: how to recognise its models, and when it takes a way of asking for an answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import NamedTuple

from answergraph.response_format.wire.dialects import Dialect


class Availability(Enum):
    """When a provider takes a way of asking."""

    ALWAYS = "always"
    WITHOUT_TOOLS = "without tools"
    WITHOUT_CALLS = "while no tool is called"
    """Beside tools it keeps the model from calling them, which does no harm where it shall call none."""
    WITHOUT_THINKING = "without thinking"
    NEVER = "never"

    def holds(self, *, tools: bool, thinking: bool, calls: bool = True) -> bool:
        """Return whether a call with or without tools and thinking may be made in this way; ``calls`` if tools may be called."""
        hindered = {
            Availability.WITHOUT_TOOLS: tools,
            Availability.WITHOUT_CALLS: tools and calls,
            Availability.WITHOUT_THINKING: thinking,
        }
        return self is Availability.ALWAYS or not hindered.get(self, True)


class Ways(NamedTuple):
    """When a provider takes each way of asking."""

    native: Availability
    """The provider holds the model to a JSON schema."""
    forced_tool: Availability
    json_mode: Availability
    """JSON without a schema."""


@dataclass(frozen=True)
class ProviderFamily:
    """A row of the provider table: models that want to be asked in the same way."""

    name: str
    ways: Ways
    sources: tuple[str, ...]
    """The provider's documentation, or the thread that reports the behaviour."""
    written: date
    """When the row was last written."""
    clients: frozenset[str] = frozenset()
    """Names of LangChain's client classes; a subclass counts."""
    address: str = ""
    """Pattern in the client's base URL."""
    models: str = ""
    """Pattern of whole segments of the model's name, which gateways prefix ("openai/gpt-4o")."""
    open_weights: bool = True
    """Whether anybody can serve its models, not only their maker and gateways to it."""
    thinks: str = ""
    """Pattern of the names of models that think by default."""
    user_after_tool: bool = True
    """Whether it takes a user message right after a tool's."""
    answers_last: bool = False
    """Whether a format beside tools, or a forced call, keeps it from calling them: the answer is asked for after the tools."""
    gateway: bool = False
    """Whether it serves the models of others, so that the row of the model's name counts as well."""
    needs_tools: bool = False
    """Whether it refuses a conversation with tool calls where no tools are defined."""
    wants_thoughts: bool = False
    """Whether it refuses calls in a conversation without what the model thought before them."""
    dialect: Dialect = Dialect.OPENAI_STRICT
    """The part of JSON Schema that its native mode takes."""
    note: str = ""
    """Other facts, and doubts."""

    def serves(self, clients: frozenset[str], address: str) -> bool:
        """Return whether a client, or the address it asks at, is this family's."""
        return not self.clients.isdisjoint(clients) or bool(self.address and re.search(self.address, address))

    def has(self, model: str) -> bool:
        return bool(self.models) and _has_segment(self.models, model)

    def thinks_unasked(self, model: str) -> bool:
        return bool(self.thinks) and _has_segment(self.thinks, model)


def _has_segment(pattern: str, name: str) -> bool:
    return re.search(rf"(^|[/:.])({pattern})($|[-/:.@])", name) is not None
