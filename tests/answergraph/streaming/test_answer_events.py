"""An answer event can be told from anything else, and a stream nobody reads from one that somebody does."""

from typing import Any

import pytest
from langgraph.config import get_stream_writer
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime

from answergraph.streaming.answer_events import ANSWER_EVENT, is_answer_event, is_heard
from tests.suite.colors import Run

SEEN: list[Any] = []


def to_a_global(item: Any) -> None:
    SEEN.append(item)


class Writer:
    def __call__(self, item: Any) -> None:
        SEEN.append(item)


@pytest.mark.parametrize("data", [None, "growing", 5, {}, {"type": "progress"}, [ANSWER_EVENT]])
def test_what_a_tool_writes_is_no_answer_event(data: object) -> None:
    assert not is_answer_event(data)


@pytest.mark.parametrize("writer", [SEEN.append, to_a_global, Writer(), print])
def test_a_writer_that_can_write_is_heard(writer: Any) -> None:
    assert is_heard(writer)


def test_the_writer_of_a_runtime_without_a_run_is_not_heard() -> None:
    assert not is_heard(Runtime().stream_writer)


@pytest.mark.parametrize(
    ("mode", "heard"), [("values", False), ("messages", False), ("custom", True), (["updates", "custom"], True)]
)
@pytest.mark.parametrize("subgraphs", [False, True])
def test_a_run_is_heard_if_its_custom_stream_is_asked_for(run: Run, mode: Any, heard: bool, subgraphs: bool) -> None:
    found: list[bool] = []

    def node(state: MessagesState) -> None:
        found.append(is_heard(get_stream_writer()))

    inner = StateGraph(MessagesState).add_node("inner", node).add_edge(START, "inner").compile()
    graph = StateGraph(MessagesState).add_node("node", node).add_node("graph", inner).add_edge(START, "node")
    run.stream(graph.add_edge("node", "graph").compile(), {"messages": []}, stream_mode=mode, subgraphs=subgraphs)
    assert found == [heard, heard and subgraphs]
