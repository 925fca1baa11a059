"""The conditions on which providers take a way of asking for an answer."""

from __future__ import annotations

from enum import Enum


class When(Enum):
    """When a provider takes a way of asking."""

    ALWAYS = "always"
    WITHOUT_TOOLS = "without tools"
    WITHOUT_THINKING = "without thinking"
    NEVER = "never"

    def holds(self, *, tools: bool, thinking: bool) -> bool:
        """Return whether a call with or without tools and thinking may be made in this way."""
        hindered = {When.WITHOUT_TOOLS: tools, When.WITHOUT_THINKING: thinking}
        return self is When.ALWAYS or not hindered.get(self, True)
