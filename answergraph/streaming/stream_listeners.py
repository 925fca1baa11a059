"""Whether anyone reads the ``custom`` stream of a run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import StreamMode
from langsmith import tracing_context  # langchain-core, which traces with it, requires it

from answergraph.runtime.steps import GraphNode, Step, pure

MODES: tuple[StreamMode, ...] = ("values", "custom")


@dataclass(frozen=True)
class SilentWriters:
    """An effect that returns the code of the stream writers of runs nobody listens to.

    LangGraph gives such a run a writer that does nothing, and has no public sign of it. To find that function, a graph of one
    empty node is run without a listener and with one, once per colour. Two writers of one function do not count as silent.
    """

    known: dict[str, frozenset[CodeType]] = field(
        default_factory=lambda: {"no run": frozenset({_code_of(Runtime().stream_writer)})}
    )

    def perform(self) -> frozenset[CodeType]:
        if "blocking" not in self.known:
            self.known["blocking"] = Context().run(_watch)
        return frozenset().union(*self.known.values())

    async def aperform(self) -> frozenset[CodeType]:
        if "awaited" not in self.known:
            # In a context of its own, as above: a run in that of the node would be part of the agent's run.
            self.known["awaited"] = await asyncio.create_task(_awatch(), context=Context())
        return frozenset().union(*self.known.values())


def has_listener(writer: Callable[..., Any]) -> Step[bool]:
    """Return whether what is written to a run's stream writer can reach anyone."""
    code = _code_of(writer)
    return code is None or code not in (yield SILENT_WRITERS)


def _watch() -> frozenset[CodeType]:
    graph, codes = _empty_graph()
    with tracing_context(enabled=False):
        for mode in MODES:
            list(graph.stream({}, stream_mode=mode))
    return frozenset(codes[:1]).difference(codes[1:])


async def _awatch() -> frozenset[CodeType]:
    graph, codes = _empty_graph()
    with tracing_context(enabled=False):
        for mode in MODES:
            [_ async for _ in graph.astream({}, stream_mode=mode)]
    return frozenset(codes[:1]).difference(codes[1:])


def _empty_graph() -> tuple[Any, list[Any]]:
    """Return a graph of one empty node, and a list that takes the code of the writer of each run."""
    codes: list[Any] = []
    node = GraphNode(pure(lambda state, runtime: codes.append(_code_of(runtime.stream_writer))), name="empty")
    state: Any = dict
    return StateGraph(state).add_node("empty", node).add_edge(START, "empty").compile(), codes


def _code_of(writer: Any) -> Any:
    return getattr(writer, "__code__", None)


SILENT_WRITERS = SilentWriters()
