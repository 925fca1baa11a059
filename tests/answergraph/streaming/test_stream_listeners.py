"""A stream nobody reads is told from one that somebody does."""

import queue
from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda
from langchain_core.tracers.context import collect_runs
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime

from answergraph.runtime.steps import GraphNode, Step, run_step
from answergraph.streaming import stream_listeners
from answergraph.streaming.stream_listeners import SilentWriters, has_listener
from tests.suite.colors import Run

SEEN: list[Any] = []
QUEUE: queue.Queue[Any] = queue.Queue()


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_listeners, "SILENT_WRITERS", SilentWriters())


def to_a_global(item: Any) -> None:
    SEEN.append(item)


class Writer:
    def __call__(self, item: Any) -> None:
        SEEN.append(item)


WRITERS = [SEEN.append, to_a_global, Writer(), print, lambda item, put=QUEUE.put: put(item)]


@pytest.mark.parametrize("writer", WRITERS, ids=map(str, range(len(WRITERS))))
def test_a_writer_of_ones_own_has_a_listener(writer: Any) -> None:
    assert run_step(has_listener(writer))


def test_the_writer_of_a_runtime_without_a_run_has_none() -> None:
    assert not run_step(has_listener(Runtime().stream_writer))


class Found:
    """Takes note, in a graph with a subgraph, of whether each has a listener."""

    def __init__(self) -> None:
        self.has_listener: list[bool] = []
        inner = self._graph().add_edge(START, "node").compile()
        self.graph = self._graph().add_node("graph", inner).add_edge(START, "node").add_edge("node", "graph").compile()

    def _graph(self) -> StateGraph[Any]:
        return StateGraph(MessagesState).add_node("node", GraphNode(self._step, name="node"))

    def _step(self, state: Any, runtime: Runtime[Any]) -> Step[None]:
        self.has_listener.append((yield from has_listener(runtime.stream_writer)))


@pytest.mark.parametrize(
    ("mode", "listens"), [("values", False), ("messages", False), ("custom", True), (["updates", "custom"], True)]
)
@pytest.mark.parametrize("subgraphs", [False, True])
def test_a_run_has_a_listener_if_its_custom_stream_is_asked_for(run: Run, mode: Any, listens: bool, subgraphs: bool) -> None:
    found = Found()
    run.stream(found.graph, {"messages": []}, stream_mode=mode, subgraphs=subgraphs)
    assert found.has_listener == [listens, listens and subgraphs]


def test_an_invoked_run_has_none(run: Run) -> None:
    found = Found()
    run(found.graph, {"messages": []})
    assert found.has_listener == [False, False]


def test_finding_out_leaves_no_trace_in_the_run(run: Run) -> None:
    graph = Found().graph

    def traced(state: Any) -> set[str]:
        with collect_runs() as collected:
            graph.invoke(state)
        return {child.name for traced in collected.traced_runs for child in [traced, *traced.child_runs]}

    async def atraced(state: Any) -> set[str]:
        with collect_runs() as collected:
            await graph.ainvoke(state)
        return {child.name for traced in collected.traced_runs for child in [traced, *traced.child_runs]}

    names: Any = run(RunnableLambda(traced, atraced), {"messages": []})
    assert "empty" not in names
    assert names


def test_writers_of_one_function_are_never_taken_to_be_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_listeners, "MODES", ("custom", "custom"))
    assert SilentWriters().perform() == {Runtime().stream_writer.__code__}
