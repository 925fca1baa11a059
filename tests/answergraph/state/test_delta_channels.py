"""Messages are stored as additions, and read back as if they had been stored whole."""

from functools import reduce
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain.agents import AgentState as LangChainAgentState
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, HumanMessage, RemoveMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.channels import BinaryOperatorAggregate
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.message import REMOVE_ALL_MESSAGES, add_messages
from langgraph.types import Overwrite

from answergraph import build_agent_graph, create_agent
from answergraph.middleware import AgentState
from answergraph.state.delta_channels import MESSAGES, MessagesChannel, merge_messages
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

THREAD: RunnableConfig = {"configurable": {"thread_id": "1"}}


class WholeMessages(AgentState):
    """The opt-out: a custom channel."""

    messages: Annotated[list[AnyMessage], BinaryOperatorAggregate(list, add_messages)]


def written(identity: str) -> AnyMessage:
    return HumanMessage(f"text {identity}", id=identity)


ids = st.sampled_from("abcdef")
message = st.one_of(
    st.builds(written, ids),
    st.builds(lambda identity: AIMessageChunk(content="part", id=identity), ids),
)
write = st.one_of(st.lists(message, max_size=3), message)


@given(st.lists(write, max_size=6), st.integers(min_value=0, max_value=6))
def test_writes_are_merged_as_add_messages_does_however_they_are_batched(writes: list[Any], cut: int) -> None:
    one_by_one: Any = add_messages
    expected: Any = reduce(one_by_one, writes, [])
    assert merge_messages([], writes) == expected
    assert merge_messages(merge_messages([], writes[:cut]), writes[cut:]) == expected


@given(st.lists(st.lists(write, min_size=1, max_size=2), max_size=8), st.lists(write, min_size=1, max_size=2))
def test_a_channel_holds_its_merged_writes_whatever_its_copies_receive(batches: list[list[Any]], tried: list[Any]) -> None:
    channel = MESSAGES.from_checkpoint([])
    expected: list[Any] = []
    for batch in batches:
        copy = channel.copy()
        copy.update(tried)
        copy.update(tried[:1])
        assert copy.get() == merge_messages(expected, [*tried, *tried[:1]])
        channel.update(batch)
        expected = merge_messages(expected, batch)
        assert channel.get() == expected


def test_removals_count_as_in_add_messages() -> None:
    a, b, c = written("a"), written("b"), written("c")
    gone: Any = RemoveMessage(id="a")
    cleared: Any = RemoveMessage(id=REMOVE_ALL_MESSAGES)
    assert merge_messages([a, b], [[gone], [a]]) == [b, a]
    assert merge_messages([a, b], [[c], [cleared, a]]) == [a]
    with pytest.raises(ValueError, match="doesn't exist"):
        merge_messages([b], [[gone]])


def test_a_merge_leaves_the_conversation_it_was_given_alone() -> None:
    before: list[Any] = [written("a")]
    assert len(merge_messages(before, [[written("b")], [written("c")]])) == 3
    assert len(before) == 1


def test_equal_messages_of_two_writes_are_two_messages() -> None:
    merged = merge_messages([written("a")], [[ToolMessage("ok", tool_call_id="1")], [ToolMessage("ok", tool_call_id="2")]])
    assert [m.content for m in merged] == ["text a", "ok", "ok"]


def test_a_text_is_a_new_message_also_where_it_stood_before() -> None:
    writes = [[written("a")], "Hello", [RemoveMessage(id="a")], [written("a")], "Hello"]
    merged = merge_messages([], writes)
    assert [m.content for m in merged] == ["Hello", "text a", "Hello"]
    assert merge_messages(merge_messages([], writes[:2]), writes[2:]) == merged


def test_a_pair_is_one_message_in_the_form_of_a_checkpoint_too() -> None:
    assert merge_messages([], [["user", "Hello"]]) == merge_messages([], [("user", "Hello")])
    assert [m.content for m in merge_messages([], [["Hello", "user"]])] == ["Hello", "user"]


@pytest.mark.parametrize("given", ["Hello", ("user", "Hello"), {"role": "user", "content": "Hello"}, HumanMessage("Hello")])
def test_a_message_in_any_form_keeps_its_id(run: Run, given: Any) -> None:
    agent = create_agent(ScriptedChatModel(replies=["Hi.", "Bye."]), [], checkpointer=InMemorySaver())
    run(agent, {"messages": [given]}, THREAD)
    first = [m.id for m in run.state(agent, THREAD).values["messages"]]
    again = given.model_copy(update={"id": None}) if isinstance(given, HumanMessage) else given
    result = run(agent, {"messages": [again]}, THREAD)
    assert all(first)
    assert len({m.id for m in result["messages"]}) == 4
    assert [m.id for m in run.state(agent, THREAD).values["messages"]] == [m.id for m in result["messages"]]
    assert [m.id for m in result["messages"]][:2] == first


@pytest.mark.parametrize(
    "given",
    ["Hello", ("user", "Hello"), {"role": "user", "content": "Hello"}, HumanMessage("Hello")],
    ids=["text", "pair", "dict", "message"],
)
@pytest.mark.parametrize("written", [Overwrite, lambda value: {"__overwrite__": value}], ids=["object", "json"])
def test_a_conversation_put_in_place_of_another_may_be_in_any_form(run: Run, given: Any, written: Any) -> None:
    agent = create_agent(ScriptedChatModel(replies=["Hi.", "Bye."]), [], checkpointer=InMemorySaver())
    run(agent, {"messages": ["before"]}, THREAD)
    result = run(agent, {"messages": written([given])}, THREAD)
    assert [m.text for m in result["messages"]] == ["Hello", "Bye."]
    assert all(m.id for m in result["messages"])


def test_a_thread_is_read_at_every_point_and_goes_on_from_it(run: Run) -> None:
    agent = create_agent(ScriptedChatModel(replies=lambda messages: f"{len(messages)}"), [], checkpointer=InMemorySaver())
    for number in range(3):
        run(agent, {"messages": [f"question {number}"]}, THREAD)
    history = run.history(agent, THREAD)
    lengths = [len(snapshot.values.get("messages", ())) for snapshot in history]
    assert lengths == sorted(lengths, reverse=True)
    after_one = next(snapshot for snapshot in history if len(snapshot.values["messages"]) == 2)
    forked = run(agent, {"messages": ["another"]}, after_one.config)
    assert [m.text for m in forked["messages"]] == ["question 0", "1", "another", "3"]


def test_a_removed_message_stays_removed(run: Run) -> None:
    agent = create_agent(ScriptedChatModel(replies=["Hi.", "Bye."]), [], checkpointer=InMemorySaver())
    first = run(agent, {"messages": ["one"]}, THREAD)["messages"][0]
    result = run(agent, {"messages": [RemoveMessage(id=first.id), HumanMessage("two")]}, THREAD)
    assert [m.text for m in result["messages"]] == ["Hi.", "two", "Bye."]
    assert [m.text for m in run.state(agent, THREAD).values["messages"]] == ["Hi.", "two", "Bye."]


@pytest.mark.torture
def test_a_long_thread_is_read_back_through_its_whole_copies(run: Run) -> None:
    agent = create_agent(ScriptedChatModel(replies=lambda messages: f"{len(messages)}"), [], checkpointer=InMemorySaver())
    for number in range(120):
        run(agent, {"messages": [f"{number}"]}, THREAD)
    messages = run.state(agent, THREAD).values["messages"]
    assert [m.text for m in messages[::2]] == [f"{number}" for number in range(120)]
    assert len(messages) == 240


class CountingSerializer(JsonPlusSerializer):
    def __init__(self) -> None:
        super().__init__()
        self.written = 0

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        kind, data = super().dumps_typed(obj)
        self.written += len(data)
        return kind, data


def bytes_written(turns: int) -> int:
    serializer = CountingSerializer()
    model = ScriptedChatModel(replies=lambda messages: "x" * 200)
    agent = create_agent(model, [], checkpointer=InMemorySaver(serde=serializer))
    for _ in range(turns):
        agent.invoke({"messages": ["Go on. " * 30]}, THREAD)
    return serializer.written


@pytest.mark.torture
def test_what_a_thread_writes_grows_with_its_length_not_with_its_square() -> None:
    # Stored whole, four times the turns take about eleven times the bytes here, and sixteen times in the long run.
    assert bytes_written(200) / bytes_written(50) < 5


def test_a_custom_channel_is_kept(run: Run) -> None:
    model = ScriptedChatModel(replies=["Hi."])
    graph = build_agent_graph(model, [], state_schema=WholeMessages)
    assert isinstance(graph.channels["messages"], BinaryOperatorAggregate)
    assert run(graph.compile(), {"messages": ["Hello"]})["messages"][-1].text == "Hi."


@pytest.mark.parametrize("schema", [LangChainAgentState, MessagesState])
def test_nodes_annotated_with_other_schemas_can_be_added(run: Run, schema: Any) -> None:
    def greet(state: schema) -> Any:
        return {"messages": [AIMessage("Welcome.")]}

    graph = build_agent_graph(ScriptedChatModel(replies=["Hi."]), [], state_schema=None)
    graph.add_node("greet", greet, input_schema=schema)
    graph.add_edge("greet", END)
    graph.add_edge(START, "greet")
    assert isinstance(graph.channels["messages"], MessagesChannel)
    texts = {m.text for m in run(graph.compile(), {"messages": ["Hello"]})["messages"]}
    assert texts == {"Hello", "Welcome.", "Hi."}


@pytest.mark.parametrize("schema", [MessagesState, LangChainAgentState])
def test_an_agent_is_a_node_of_a_parent_with_other_messages(run: Run, schema: Any) -> None:
    parent: Any = StateGraph(schema)
    parent.add_node("agent", create_agent(ScriptedChatModel(replies=["Hi.", "Bye."]), []))
    parent.add_edge(START, "agent")
    graph = parent.compile(checkpointer=InMemorySaver())
    run(graph, {"messages": ["Hello"]}, THREAD)
    result = run(graph, {"messages": ["Well?"]}, THREAD)
    assert [m.text for m in result["messages"]] == ["Hello", "Hi.", "Well?", "Bye."]


def test_threads_written_whole_go_on(run: Run) -> None:
    saver = InMemorySaver()
    model = ScriptedChatModel(replies=["Hi.", "Bye."])
    run(create_agent(model, [], state_schema=WholeMessages, checkpointer=saver), {"messages": ["Hello"]}, THREAD)
    result = run(create_agent(model, [], checkpointer=saver), {"messages": ["Well?"]}, THREAD)
    assert [m.text for m in result["messages"]] == ["Hello", "Hi.", "Well?", "Bye."]


def test_the_channel_is_equal_to_the_plain_one_of_the_same_reducer_only() -> None:
    plain: Any = BinaryOperatorAggregate(list, add_messages)
    other: Any = BinaryOperatorAggregate(list, lambda left, right: left + right)
    ours = MESSAGES
    assert ours == plain
    assert ours != other
