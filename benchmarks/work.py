"""The same work for every system: the tools, the answer, and a model with fixed replies.

The replies depend only on the last message, so the model costs the same at every step of every system.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import BaseModel, Field

ANSWER_TOOL = "Report"
CALL_ID = "call_"

SERVED_MODEL = "played-"
"""Over HTTP, a model's name is this prefix and the number of steps, so one server serves all work."""


class Report(BaseModel):
    """The answer: what was found out."""

    city: str
    total: int = Field(ge=0)


EXPECTED = Report(city="Oslo", total=42)
ANSWER_ARGUMENTS: dict[str, Any] = EXPECTED.model_dump()
ANSWER_TEXT = EXPECTED.model_dump_json()

QUESTION = "What is the weather in Oslo?"

TOOL_DOCSTRING = """Look up the weather of source {index} for a city.

Args:
    city: The city.
    day: The day.
    detailed: Whether to say more.
"""


@dataclass(frozen=True)
class Work:
    """The amount of work."""

    steps: int = 10
    """The model calls that ask for tools; one more returns the answer."""
    calls_per_step: int = 1
    tools: int = 10
    """The number of tools of the agent; it calls the first."""
    history: int = 0
    """The number of messages before the question."""
    tool_seconds: float = 0.0
    """Seconds that a tool call waits."""
    middleware: int = 0
    """The number of middlewares that do nothing, around each model call and before each turn."""

    answer_kilobytes: int = 0
    """The length of the answer's text; 0 for a city's name."""

    @property
    def tool_calls(self) -> int:
        """The number of tool calls of a run."""
        return self.steps * self.calls_per_step


@cache
def answer(work: Work) -> Report:
    """Return the answer of the work."""
    return Report(city="Oslo " * (work.answer_kilobytes * 200), total=42) if work.answer_kilobytes else EXPECTED


class Counter:
    """Counts tool calls over all threads."""

    def __init__(self) -> None:
        """Start at nothing."""
        self._lock = threading.Lock()
        self.calls = 0

    def add(self) -> None:
        """Count one call."""
        with self._lock:
            self.calls += 1

    def take(self) -> int:
        """Return the count and start again."""
        calls, self.calls = self.calls, 0
        return calls


COUNTER = Counter()


def tool_functions(work: Work, *, awaited: bool = False) -> list[Callable[..., Any]]:
    """Return the tools as functions with type hints and docstrings.

    Args:
        work: The number of tools, and the wait of a call.
        awaited: Whether they are coroutine functions.
    """
    return [_tool(index, work.tool_seconds, awaited) for index in range(work.tools)]


def tool_name(index: int) -> str:
    """Return the name of a tool."""
    return f"look_up_{index}"


def _tool(index: int, seconds: float, awaited: bool) -> Callable[..., Any]:
    def look_up(city: str, day: int = 1, detailed: bool = False) -> str:
        COUNTER.add()
        if seconds:
            time.sleep(seconds)  # noqa: TID251 - the tool's own work, a wait of known length
        return f"{city} on day {day}: 21 degrees"

    async def alook_up(city: str, day: int = 1, detailed: bool = False) -> str:
        COUNTER.add()
        if seconds:
            await asyncio.sleep(seconds)
        return f"{city} on day {day}: 21 degrees"

    chosen: Callable[..., Any] = alook_up if awaited else look_up
    chosen.__name__ = tool_name(index)
    chosen.__doc__ = TOOL_DOCSTRING.format(index=index)
    return chosen


def next_step(last_call_id: str | None) -> int:
    """Return the number of the step that follows a tool result; 0 after anything else."""
    if last_call_id is None or not last_call_id.startswith(CALL_ID):
        return 0
    return int(last_call_id.removeprefix(CALL_ID).split("_")[0]) + 1


def calls_of(work: Work, step: int) -> list[dict[str, Any]]:
    """Return the tool calls of a step; empty if the answer is due."""
    if step >= work.steps:
        return []
    arguments = {"city": "Oslo", "day": step}
    return [{"name": tool_name(0), "args": arguments, "id": f"{CALL_ID}{step}_{part}"} for part in range(work.calls_per_step)]


def history_texts(work: Work) -> list[tuple[str, str]]:
    """Return the messages before the question as ``(role, text)``."""
    roles = ("user", "assistant")
    return [(roles[index % 2], f"Message {index}: the weather was discussed at length.") for index in range(work.history)]
