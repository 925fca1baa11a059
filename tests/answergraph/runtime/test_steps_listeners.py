"""A stream with listeners is distinguished from one without."""

import queue
from typing import Any

import pytest
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime

from answergraph.runtime.steps import GraphNode, has_listener, pure
from tests.suite.colors import Run

SEEN: list[Any] = []
QUEUE: queue.Queue[Any] = queue.Queue()


def to_a_global(item: Any) -> None:
    SEEN.append(item)


def through_another(item: Any) -> None:
    def pass_on() -> None:
        SEEN.append(item)

    pass_on()


class Writer:
    def __call__(self, item: Any) -> None:
        SEEN.append(item)

    def to_a_global(self, item: Any) -> None:
        SEEN.append(item)


WRITERS = [
    SEEN.append,
    to_a_global,
    Writer(),
    Writer().to_a_global,
    print,
    lambda item, put=QUEUE.put: put(item),
    through_another,
]


@pytest.mark.parametrize("writer", WRITERS, ids=map(str, range(len(WRITERS))))
def test_a_custom_writer_has_a_listener(writer: Any) -> None:
    assert has_listener(writer)


def test_the_writer_of_a_runtime_without_a_run_has_none() -> None:
    assert not has_listener(Runtime().stream_writer)


class Found:
    """Records, in a graph with a subgraph, whether each has a listener."""

    def __init__(self) -> None:
        self.has_listener: list[bool] = []
        inner = self._graph().add_edge(START, "node").compile()
        self.graph = self._graph().add_node("graph", inner).add_edge(START, "node").add_edge("node", "graph").compile()

    def _graph(self) -> StateGraph[Any]:
        return StateGraph(MessagesState).add_node("node", GraphNode(pure(self._note), name="node"))

    def _note(self, state: Any, runtime: Runtime[Any]) -> None:
        self.has_listener.append(has_listener(runtime.stream_writer))


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
