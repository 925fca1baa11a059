"""Every change of messages has the same result as with LangGraph's own channel, at every point of a thread's history."""

import gc
import itertools
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.types import Command, Overwrite
from typing_extensions import TypedDict

from answergraph import build_agent_graph
from answergraph.state.delta_channels import DELTA_MESSAGES, MESSAGES, MessagesChannel
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

THREAD: RunnableConfig = {"configurable": {"thread_id": "1"}}

Write = Callable[[], Any]
"""Makes the writes again for each graph, because LangGraph sets ids on the objects it receives."""


@pytest.fixture(scope="module", autouse=True)
def few_objects_to_search() -> None:
    """Leave what is there before the tests out of their searches for garbage, which took half of their time."""
    gc.collect()
    gc.freeze()


class DeltaState(TypedDict):
    messages: Annotated[list[AnyMessage], MESSAGES]


def text_of(identity: str | None, content: str) -> AnyMessage:
    return HumanMessage(content, id=identity)


WRITES: dict[str, Write] = {
    "a message": lambda: HumanMessage("new"),
    "messages": lambda: [HumanMessage("one"), AIMessage("two"), SystemMessage("three"), ToolMessage("four", tool_call_id="1")],
    "a text": lambda: "Hello",
    "texts": lambda: ["Hello", "Hello"],
    "a pair": lambda: ("user", "Hello"),
    "pairs": lambda: [("user", "Hello"), ("ai", "Hi")],
    "a dict": lambda: {"role": "user", "content": "Hello"},
    "dicts": lambda: [{"role": "user", "content": "Hello"}, {"type": "ai", "content": "Hi", "id": "c"}],
    "all forms": lambda: ["Hello", ("ai", "Hi"), {"role": "user", "content": "Well?"}, HumanMessage("So?")],
    "a message with a new id": lambda: text_of("c", "new"),
    "a message in place of another": lambda: text_of("a", "changed"),
    "a message twice": lambda: [text_of("c", "once"), text_of("c", "twice")],
    "a dict in place of another": lambda: {"role": "user", "content": "changed", "id": "a"},
    "a chunk": lambda: AIMessageChunk(content="part", id="c"),
    "a chunk in place of a message": lambda: AIMessageChunk(content="part", id="b"),
    "a removal": lambda: RemoveMessage(id="a"),
    "a removal beside a message": lambda: [RemoveMessage(id="b"), HumanMessage("instead")],
    "a removal of nothing": lambda: RemoveMessage(id="nope"),
    "a removal and the same again": lambda: [RemoveMessage(id="a"), text_of("a", "again")],
    "a removal of all": lambda: [RemoveMessage(id=REMOVE_ALL_MESSAGES)],
    "a removal of all before messages": lambda: [
        RemoveMessage(id=REMOVE_ALL_MESSAGES),
        text_of("a", "first"),
        HumanMessage("next"),
    ],
    "a removal of all after a message": lambda: [HumanMessage("lost"), RemoveMessage(id=REMOVE_ALL_MESSAGES)],
    "another conversation": lambda: Overwrite([text_of("c", "other"), text_of("d", "conversation")]),
    "no conversation": lambda: Overwrite([]),
    "another conversation as JSON": lambda: {"__overwrite__": [text_of("c", "other")]},
    "nothing": list,
}
START_OF_THREAD = {"messages": [text_of("a", "first"), AIMessage("second", id="b")]}


class Graphs:
    """The same graph with LangGraph's channel of messages and with ours. Two nodes make given writes in parallel."""

    def __init__(self, expected: Any = MessagesState, ours: Any = DeltaState) -> None:
        self.told: list[Write] = [list, list]
        self.expected, self.ours = self._graph(expected), self._graph(ours)

    def _graph(self, schema: Any) -> Any:
        graph = StateGraph(schema)
        for place, name in enumerate("lr"):
            graph.add_node(name, lambda state, place=place: {"messages": self.told[place]()})
            graph.add_edge(START, name)
        return graph.compile(checkpointer=InMemorySaver())

    def both(self, act: Callable[[Any], Any]) -> None:
        """Do the same with both, and compare the results and the threads."""
        expected, ours = (self._ended(act, graph) for graph in (self.expected, self.ours))
        assert ours == expected
        assert history_of(self.ours) == history_of(self.expected)

    def _ended(self, act: Callable[[Any], Any], graph: Any) -> Any:
        try:
            result = act(graph)
        except Exception as error:  # noqa: BLE001 - what was raised is compared
            ended = type(error), str(error)
        else:
            return shown(result["messages"]) if "messages" in result else None
        # LangGraph leaves the threads of a run open whose checkpoint cannot be read. Left to chance, the garbage collector joins
        # them from any thread, and waits for ever if that thread is just starting another one.
        gc.collect()
        return ended


def shown(messages: list[AnyMessage]) -> list[Any]:
    """Return messages with the same names for the same ids that were given to them."""
    names = (f"given {number}" for number in itertools.count())
    known: dict[Any, str] = {}
    assert all(message.id for message in messages)
    assert len({message.id for message in messages}) == len(messages)
    return [(type(m), m.content, m.id if len(str(m.id)) == 1 else known.setdefault(m.id, next(names))) for m in messages]


def history_of(graph: Any) -> Any:
    try:
        return [(shown(snapshot.values.get("messages", [])), snapshot.next) for snapshot in graph.get_state_history(THREAD)]
    except ValueError as error:  # a pending write that cannot be applied
        return str(error)


@pytest.mark.parametrize("write", WRITES)
def test_a_write_of_a_node_of_a_caller_and_into_a_state(run: Run, write: str) -> None:
    graphs = Graphs()
    graphs.both(lambda graph: run(graph, START_OF_THREAD, THREAD))
    graphs.told[0] = WRITES[write]
    graphs.both(lambda graph: run(graph, {"messages": ["Go on."]}, THREAD))
    graphs.told[0] = list
    graphs.both(lambda graph: run(graph, {"messages": WRITES[write]()}, THREAD))
    graphs.both(lambda graph: graph.update_state(THREAD, {"messages": WRITES[write]()}, as_node="l"))
    if write != "a pair":  # LangGraph's own channel reads a pending pair in a checkpoint as two texts.
        graphs.both(lambda graph: run(graph, Command(update={"messages": WRITES[write]()}), THREAD))


@pytest.mark.parametrize("write", WRITES)
def test_a_write_beside_that_of_another_node(run: Run, write: str) -> None:
    graphs = Graphs()
    graphs.both(lambda graph: run(graph, START_OF_THREAD, THREAD))
    graphs.told = [lambda: [AIMessage("left"), text_of("a", "left")], WRITES[write]]
    graphs.both(lambda graph: run(graph, {"messages": ["Go on."]}, THREAD))
    graphs.told = [lambda: Overwrite([text_of("e", "left")]), WRITES[write]]
    graphs.both(lambda graph: run(graph, {"messages": ["Go on."]}, THREAD))


def said(run: Run, identity: str, graph: Any) -> Any:
    return run(graph, {"messages": [text_of(identity, "said")]}, THREAD)


@pytest.mark.parametrize("write", WRITES)
def test_a_write_into_a_fork(run: Run, write: str) -> None:
    graphs = Graphs()
    for identity in "abc":
        graphs.both(partial(said, run, identity))

    def fork(graph: Any) -> Any:
        early = list(graph.get_state_history(THREAD))[4].config
        forked = graph.update_state(early, {"messages": WRITES[write]()}, as_node="l")
        result = run(graph, {"messages": ["Another way."]}, forked)
        assert shown(run.state(graph, THREAD).values["messages"]) == shown(result["messages"])
        return result

    graphs.both(fork)


WRITTEN = st.sampled_from([write for write in WRITES if write != "a removal of nothing"])
OPERATIONS = st.tuples(st.sampled_from(["run", "update", "fork"]), WRITTEN, WRITTEN, WRITTEN)


@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(OPERATIONS, max_size=4))
def test_any_changes_one_after_another(operations: list[Any]) -> None:
    graphs = Graphs()
    graphs.both(lambda graph: graph.invoke(START_OF_THREAD, THREAD))
    for kind, *writes in operations:
        # Beside another conversation, LangGraph's delta channel skips a removal that its plain one would refuse.
        assume(not any("conversation" in write for write in writes[1:]) or not any("removal" in write for write in writes[1:]))
        first, *graphs.told = [WRITES[write] for write in writes]
        graphs.both(partial(DONE[kind], first))


def ran(write: Write, graph: Any) -> Any:
    return graph.invoke({"messages": write()}, THREAD)


def updated(write: Write, graph: Any) -> Any:
    return graph.update_state(THREAD, {"messages": write()}, as_node="r")


def forked(write: Write, graph: Any) -> Any:
    return graph.update_state(middle_of(graph), {"messages": write()}, as_node="r")


DONE: dict[str, Callable[[Write, Any], Any]] = {"run": ran, "update": updated, "fork": forked}


def middle_of(graph: Any) -> RunnableConfig:
    history = list(graph.get_state_history(THREAD))
    config: RunnableConfig = history[len(history) // 2].config
    return config


def agent_of(monkeypatch: pytest.MonkeyPatch, switch: str, saver: Any) -> Any:
    monkeypatch.setenv(DELTA_MESSAGES, switch)
    graph = build_agent_graph(ScriptedChatModel(replies=lambda messages: f"{len(messages)}"), [])
    assert isinstance(graph.channels["messages"], MessagesChannel) == (switch == "1")
    return graph.compile(checkpointer=saver)


@pytest.mark.parametrize("switches", ["01", "10", "0101", "1010"])
def test_a_thread_continues_after_the_setting_changes(run: Run, monkeypatch: pytest.MonkeyPatch, switches: str) -> None:
    saver = InMemorySaver()
    for number, switch in enumerate(switches):
        result = run(agent_of(monkeypatch, switch, saver), {"messages": [f"question {number}"]}, THREAD)
    expected = [text for number in range(len(switches)) for text in (f"question {number}", f"{2 * number + 1}")]
    assert [message.text for message in result["messages"]] == expected
    for switch in "01":
        state = run.state(agent_of(monkeypatch, switch, saver), THREAD).values
        assert [message.text for message in state["messages"]] == expected
