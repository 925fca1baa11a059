"""What hangs in runs with a deadline, in seeded combinations: models, tools, and how they are called.

Without pytest, since the benchmark of peers makes runs of them too.
"""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from time import monotonic
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import START, StateGraph

from answergraph import ToolStrategy, UsageLimits, as_tool, create_agent
from answergraph.middleware import AgentState
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.hanging_agents import ANSWER, LONG, DrippingModel, HangingModel
from tests.graphs.agent.scripted_agents import call, calls
from tests.suite.verdicts import Score

RUNS = 200
DEADLINE = 2.0


@dataclass(frozen=True)
class Case:
    """One combination."""

    model: str
    tool: str
    place: str
    awaited: bool
    streamed: bool

    @classmethod
    def of(cls, seed: int) -> "Case":
        random = Random(seed)
        model, slow = random.choice(["answers", "never", "drips", "dies after the tool", "times out"]), random.choice([*TOOLS])
        return cls(model, slow, random.choice(["alone", "node", "tool"]), random.random() < 0.5, random.random() < 0.5)


def spins(over: threading.Event) -> None:
    end = monotonic() + DEADLINE + 1
    while monotonic() < end and not over.is_set():
        pass


def spawns(over: threading.Event) -> None:
    child = subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({LONG})"])
    over.wait(LONG)
    child.kill()
    child.wait()


async def ignores_cancellation() -> None:
    for _ in range(3):
        try:
            await asyncio.sleep(DEADLINE)
        except asyncio.CancelledError:
            continue


async def raises_when_cancelled() -> None:
    try:
        await asyncio.sleep(LONG)
    except asyncio.CancelledError:
        raise OSError("The connection was closed.") from None


def returns(over: threading.Event) -> None:
    assert not over.is_set()


def waits(over: threading.Event) -> None:
    over.wait(LONG)


TOOLS: dict[str, tuple[Callable[[threading.Event], None], Any]] = {
    "returns": (returns, None),
    "waits": (waits, None),
    "spins": (spins, None),
    "spawns": (spawns, None),
    "sleeps": (waits, lambda: asyncio.sleep(LONG)),
    "ignores cancellation": (waits, ignores_cancellation),
    "raises when cancelled": (waits, raises_when_cancelled),
}


def slow_functions(kind: str, over: threading.Event) -> tuple[Callable[[], str], Any]:
    """Return a tool's function, and the one that is awaited, if it has one."""
    blocking, awaited = TOOLS[kind]

    def slow() -> str:
        """Search for long."""
        blocking(over)
        return "late"

    async def aslow() -> str:
        """Search for long."""
        await awaited()
        return "late"

    return slow, None if awaited is None else aslow


def model_of(kind: str, over: threading.Event, *, calls_tool: bool) -> ScriptedChatModel:
    search = [calls(call("slow", {}, "s"))] if calls_tool else []
    replies: list[Any] = [*search, *[ANSWER] * 9]
    hang: Any = lambda: over.wait(LONG)  # noqa: E731 - a field of the models
    if kind == "never":
        return HangingModel(replies=replies, hang=hang, hangs=tuple(range(9)))
    if kind == "dies after the tool":
        return HangingModel(replies=replies, hang=hang, hangs=tuple(range(1, 9)))
    if kind == "drips":
        return DrippingModel(replies=[AIMessage("I think and think and think.")] * 9, hang=hang, pieces=3)
    return ScriptedChatModel(replies=[TimeoutError("The connection hangs."), *replies] if kind == "times out" else replies)


def graph_of(case: Case, over: threading.Event) -> Any:
    """Return the graph of a case; ``over`` lets go what hangs."""
    # A blocking run cannot call a tool that has to be awaited.
    kind = case.tool if case.awaited or TOOLS[case.tool][1] is None else "waits"
    blocking, awaited = slow_functions(kind, over)
    limits = UsageLimits(seconds=DEADLINE)
    inner = case.place == "tool"
    model = model_of(case.model, over, calls_tool=True)
    own: Any = create_agent(
        model,
        [tool("slow")(awaited or blocking)],
        response_format=ToolStrategy(Score),
        name="inner",
        limits=None if inner else limits,
    )
    if inner:
        asks = as_tool(own, description="Ask the inner agent.")
        replies = [calls(call(asks.name, {"request": "q"}, "s")), ANSWER]
        return create_agent(ScriptedChatModel(replies=replies), [asks], response_format=ToolStrategy(Score), limits=limits)
    if case.place == "node":
        parent: Any = StateGraph(AgentState)
        parent.add_node("agent", own)
        parent.add_edge(START, "agent")
        return parent.compile()
    return own
