"""The tool choice of a call: which tools a model may, must or must not call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

ChoiceMode = Literal["auto", "any", "none", "named"]

_MODES: dict[str, ChoiceMode] = {"auto": "auto", "any": "any", "required": "any", "none": "none"}


@dataclass(frozen=True)
class ToolChoice:
    """Which tools the model may and must call."""

    mode: ChoiceMode = "auto"
    """``"any"``: some tool must be called; ``"named"``: the one of that name."""
    name: str | None = None

    @classmethod
    def read(cls, choice: Any) -> ToolChoice:
        """Read a bound choice: a bool, a mode, a tool's name, or a provider's mapping; an unknown form is no constraint."""
        if isinstance(choice, bool):
            return cls("any" if choice else "auto")
        if isinstance(choice, str) and choice:
            return cls(_MODES[choice]) if choice in _MODES else cls("named", choice)
        if not isinstance(choice, Mapping):
            return cls()
        function = choice.get("function", choice)
        name = function.get("name") if isinstance(function, Mapping) else None
        return cls("named", name) if isinstance(name, str) else cls(_MODES.get(str(choice.get("type")), "auto"))

    @property
    def is_forced(self) -> bool:
        return self.mode in {"any", "named"}

    def allows(self, tool: str) -> bool:
        return self.mode != "none" and (self.mode != "named" or self.name == tool)
