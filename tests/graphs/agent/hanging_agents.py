"""Models, tools and agents that hang, for the tests of time limits."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from time import monotonic
from typing import TYPE_CHECKING, Any

from langchain_core.tools import tool

from answergraph import ToolStrategy, UsageLimits, create_agent
from answergraph.middleware import InputAgentState
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import call, calls
from tests.suite.verdicts import Score

if TYPE_CHECKING:  # it imports pytest, which the benchmark of peers has not
    from tests.suite.colors import Run

LONG = 60.0
"""Seconds that nothing here may wait for; a run that does fails the bound below on any machine."""
SOON = 20.0


ANSWER = calls(call("Score", {"score": 1}, "a"))
QUESTION: InputAgentState = {"messages": ["q"]}


def void(_: Any) -> None:
    return


def slow_tool(hang: Callable[[], None], **more: Any) -> Any:
    @tool(extras=None)
    def slow() -> str:
        """Search for long."""
        hang()
        return "late"

    slow.metadata = more.get("metadata")
    return slow


@tool
async def awaited_slow() -> str:
    """Search for long."""
    await asyncio.sleep(LONG)
    return "late"


@tool
async def stubborn_slow() -> str:
    """Search for long, and do not let it be cancelled at once."""
    for _ in range(12):
        try:
            await asyncio.sleep(0.3)
        except asyncio.CancelledError:
            continue
    return "late"


class HangingModel(ScriptedChatModel):
    """Hangs in the calls with these numbers."""

    hang: Any
    hangs: tuple[int, ...]

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[Any]:
        chunks = list(super()._stream(*args, **kwargs))
        if len(self.requests) - 1 in self.hangs:
            self.hang()
        yield from chunks

    async def _astream(self, *args: Any, **kwargs: Any) -> Any:
        chunks = list(super()._stream(*args, **kwargs))
        if len(self.requests) - 1 in self.hangs:
            await asyncio.sleep(LONG)
        for chunk in chunks:
            yield chunk


class ThinkingModel(ScriptedChatModel):
    """Thinks before its first reply, so that the run keeps as much and half as much again for the answer, on any machine."""

    seconds: float = 0.6

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[Any]:
        if not self.requests:
            threading.Event().wait(self.seconds)
        yield from super()._stream(*args, **kwargs)

    async def _astream(self, *args: Any, **kwargs: Any) -> Any:
        if not self.requests:
            await asyncio.sleep(self.seconds)
        for chunk in super()._stream(*args, **kwargs):
            yield chunk


class DrippingModel(ScriptedChatModel):
    """Writes a piece of four characters, then hangs after a number of pieces."""

    chunk_size: int = 4
    hang: Any
    pieces: int

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[Any]:
        for index, chunk in enumerate(super()._stream(*args, **kwargs)):
            if index == self.pieces:
                self.hang()
            yield chunk

    async def _astream(self, *args: Any, **kwargs: Any) -> Any:
        for index, chunk in enumerate(super()._stream(*args, **kwargs)):
            if index == self.pieces:
                await asyncio.sleep(LONG)
            yield chunk


def ran(run: Run, agent: Any, input: Any = QUESTION, config: Any = None) -> dict[str, Any]:
    began = monotonic()
    result: dict[str, Any] = run(agent, input, config)
    assert monotonic() - began < SOON
    return result


def agent_of(*replies: Any, tools: Any = (), **options: Any) -> Any:
    model = ScriptedChatModel(replies=list(replies))
    return create_agent(model, list(tools), **{"response_format": ToolStrategy(Score), **options})


def thinking_agent_of(*replies: Any, tools: Any, seconds: float = 4) -> Any:
    """Return an agent that keeps nearly a second of its run for the answer; the rest is for the tools, on a busy machine too."""
    limits, model = UsageLimits(seconds=seconds), ThinkingModel(replies=list(replies))
    return create_agent(model, list(tools), response_format=ToolStrategy(Score), limits=limits)


def told(result: dict[str, Any]) -> list[str]:
    return [message.text for message in result["messages"] if message.type == "tool"]
