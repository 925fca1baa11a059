"""What is known of a provider family: how a model of it is recognised, and when it takes a way of asking for an answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from answergraph.response_format.wire.dialects import Dialect


@dataclass(frozen=True)
class ProviderFamily:
    """Models that want to be asked in the same way."""

    name: str
    """For the reader."""
    native: Availability
    """Availability the provider holds the model to a JSON schema."""
    forced_tool: Availability
    """Availability the provider takes a forced tool call."""
    json_mode: Availability
    """Availability the provider has a JSON mode without a schema."""
    sources: tuple[str, ...]
    """The provider's documentation, or the thread where it was seen."""
    clients: frozenset[str] = frozenset()
    """Names of LangChain's client classes; a subclass counts."""
    address: str = ""
    """Pattern in the client's base URL."""
    models: str = ""
    """Pattern of whole segments of the model's name, which gateways prefix ("openai/gpt-4o")."""
    thinks: str = ""
    """Pattern of the names of models that think unless they are told not to."""
    user_after_tool: bool = True
    """Whether it takes a user message right after a tool's."""
    gateway: bool = False
    """Whether it serves the models of others, so that the row of the model's name counts as well."""
    dialect: Dialect = Dialect.OPENAI_STRICT
    """The part of JSON Schema that its native mode takes."""
    note: str = ""
    """What else is known, and what is not certain."""

    def serves(self, clients: frozenset[str], address: str) -> bool:
        """Return whether a client, or the address it asks at, is this family's."""
        return not self.clients.isdisjoint(clients) or bool(self.address and re.search(self.address, address))

    def has(self, model: str) -> bool:
        """Return whether a model's name is one of this family's."""
        return bool(self.models) and _segment(self.models, model)

    def thinks_unasked(self, model: str) -> bool:
        """Return whether a model of this family thinks unless it is told not to."""
        return bool(self.thinks) and _segment(self.thinks, model)


def _segment(pattern: str, name: str) -> bool:
    return re.search(rf"(^|[/:.])({pattern})($|[-/:.@])", name) is not None


class Availability(Enum):
    """Availability a provider takes a way of asking."""

    ALWAYS = "always"
    WITHOUT_TOOLS = "without tools"
    WITHOUT_THINKING = "without thinking"
    NEVER = "never"

    def holds(self, *, tools: bool, thinking: bool) -> bool:
        """Return whether a call with or without tools and thinking may be made in this way."""
        hindered = {Availability.WITHOUT_TOOLS: tools, Availability.WITHOUT_THINKING: thinking}
        return self is Availability.ALWAYS or not hindered.get(self, True)
