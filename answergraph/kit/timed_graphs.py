"""Graphs whose runs end in time, whatever hangs in a node."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph

from answergraph.runtime.steps import TIMED_VISIT, GraphNode, Step
from answergraph.runtime.time_limits import with_clock

SECONDS = "seconds"
"""State key: what a run has used, so that it counts on where it is resumed."""

Late = Callable[[Any, str], Mapping[str, object]]
"""Makes the update of a node that does not end before the run's time is over, from its state and why."""


class TimedNode(GraphNode):
    """A ``GraphNode`` of a timed graph; its step returns a mapping."""

    def __init__(self, step: Callable[[Any, Any], Step[Mapping[str, object]]], *, name: str, late: Late) -> None:
        """Take the node's step, and its update where that takes too long."""

        def counted(state: object, runtime: object) -> Step[Mapping[str, object]]:
            update = yield from step(state, runtime)
            visit = TIMED_VISIT.get()
            return update if visit is None else {**update, SECONDS: visit.clock.used}

        super().__init__(counted, name=name, late=lambda state, error: late(state, time_is_up() or str(error)), grace=0)

    def _deadline(self, clock: Any, input: object) -> float:
        if isinstance(input, Mapping):
            clock.resume(input.get(SECONDS) or 0)  # what earlier executions used
        return super()._deadline(clock, input)


class _TimedGraph(CompiledStateGraph[Any, Any]):
    def stream(self, input: object, config: RunnableConfig | None = None, **options: Any) -> Iterator[Any]:
        return super().stream(input, self._with_clock(config), **options)

    def astream(self, input: object, config: RunnableConfig | None = None, **options: Any) -> AsyncIterator[Any]:
        return super().astream(input, self._with_clock(config), **options)

    def _with_clock(self, config: RunnableConfig | None) -> RunnableConfig | None:
        seconds = vars(self.builder)[SECONDS]
        if seconds is None and TIMED_VISIT.get() is None:
            return config
        return with_clock(config, per_visit=self.step_timeout, seconds=seconds)


def timed(graph: CompiledStateGraph[Any, Any], seconds: float | None) -> CompiledStateGraph[Any, Any]:
    """Let the runs of a graph end after ``seconds``, and before the run that they are in; its state needs the key ``seconds``."""
    graph.__class__ = _TimedGraph
    vars(graph.builder)[SECONDS] = seconds  # LangGraph makes copies of the graph, of its own attributes
    return graph


def time_is_up() -> str | None:
    """Return why no further work of a visit would end in time; what is inside it ends a little earlier than the run does."""
    clock = None if (visit := TIMED_VISIT.get()) is None else visit.clock
    if clock is None or clock.seconds is None or clock.left > min(0.4, 0.2 * clock.seconds):
        return None
    return f"The limit of {clock.seconds:g} seconds is reached."
