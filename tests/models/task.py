"""A task for a small real model: a question, the type of the answer, tools, and the right answer if there is one."""

import dataclasses
from collections.abc import Callable
from typing import Any


@dataclasses.dataclass(frozen=True)
class Task:
    """One thing to ask a model."""

    name: str
    prompt: str
    type: Any
    tools: tuple[Callable[..., Any], ...] = ()
    right: Any = None
    """The right answer; ``None`` where several are."""
    needs: Callable[..., Any] | None = None
    """The tool that has the answer; ``None`` where each tool is needed."""

    @property
    def right_tools(self) -> frozenset[str]:
        """The names of the tools that count as the right ones."""
        return frozenset(tool.__name__ for tool in ([self.needs] if self.needs else self.tools))
