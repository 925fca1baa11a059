"""A direct tool call ends as in LangGraph's ``ToolNode``, also with the switch off: messages, commands, errors, events."""

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langchain_core.tools import BaseTool, tool
from langchain_core.tracers.context import collect_runs
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, Send, interrupt

from answergraph.nodes.direct_calls.direct_tools import DIRECT_CALLS, DirectTool
from answergraph.nodes.tools import ToolsNode
from answergraph.state.agent_state import AnswerKeys
from answergraph.state.turn import CallNames
from answergraph.state.usage import NO_LIMITS
from tests.nodes.direct_calls.tool_calls import CALLS, Call
from tests.nodes.direct_calls.tool_kinds import IN_CONTEXT, add
from tests.suite.colors import Run

THREAD: RunnableConfig = {"configurable": {"thread_id": "1"}}


class State(MessagesState):
    note: str


@pytest.fixture(params=["in place", "switched off"])
def ours(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what makes our node of tools, with the switch on and off."""
    monkeypatch.setenv(DIRECT_CALLS, "1" if request.param == "in place" else "0")
    return ours_as_set


def ours_as_set(*tools: BaseTool) -> ToolsNode:
    return ToolsNode(tools, lambda call: call, NO_LIMITS, CallNames(), AnswerKeys())


def theirs(*tools: BaseTool) -> ToolNode:
    return ToolNode(tools)


def graph_of(node: Any, call: dict[str, Any], **options: Any) -> Any:
    graph: Any = StateGraph(State)
    graph.add_node("tools", node)
    graph.add_conditional_edges(START, lambda state: [Send("tools", [call])], ["tools"])
    store = InMemoryStore()
    store.put(("notes",), "1", {"text": "stored"})
    return graph.compile(store=store, **options)


def call_of(name: str, args: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "args": args, "id": "c1", "type": "tool_call"}


def ended(run: Run, node: Any, name: str, args: dict[str, Any], callbacks: Any = None) -> Any:
    """Return how a call ended: the state, or the error."""
    call = call_of(name, args)
    start = [HumanMessage("go", id="1"), AIMessage("", id="2", tool_calls=[call])]
    try:
        result = run(graph_of(node, call), {"messages": start}, RunnableConfig(metadata={"who": "me"}, callbacks=callbacks))
    except Exception as error:  # noqa: BLE001 - what was raised is compared
        return type(error), str(error), type(error.__cause__)
    assert IN_CONTEXT.get() == "nothing"
    return result.get("note"), [(type(message), message.model_dump(exclude={"id"})) for message in result["messages"]]


@pytest.mark.parametrize("case", CALLS)
def test_a_call_ends_as_in_tool_node(run: Run, ours: Any, case: str) -> None:
    call = CALLS[case]
    expected = repr(ended(run, theirs(call.tool), call.tool.name, call.args))
    actual = repr(ended(run, ours(call.tool), call.tool.name, call.args))
    if "does not support sync invocation" in expected:
        # Theirs does not say which tool.
        assert f"The tool {call.tool.name!r} is async" in actual
    elif case == "returns message for another call":
        # Theirs leaves the call without a result, which no server accepts.
        assert f"The tool {call.tool.name!r} returned a ToolMessage for the call" in actual
    else:
        assert actual == expected


@pytest.mark.parametrize("case", CALLS)
def test_only_tools_that_are_known_to_be_plain_are_called_in_place(case: str) -> None:
    assert (DirectTool.of(CALLS[case].tool) is not None) == CALLS[case].is_direct


def test_an_unknown_tool_is_answered_as_in_tool_node(run: Run, ours: Any) -> None:
    assert ended(run, ours(add), "nope", {}) == ended(run, theirs(add), "nope", {})


VALUES = st.one_of(st.integers(), st.text(), st.none(), st.booleans(), st.just("both"), st.lists(st.integers(), max_size=2))


@given(st.dictionaries(st.sampled_from(["a", "b", "kind", "c"]), VALUES))
def test_arguments_are_read_as_in_tool_node(args: dict[str, Any]) -> None:
    def run(graph: Any, given: Any, config: Any) -> Any:
        return graph.invoke(given, config)

    blocking: Any = run
    assert ended(blocking, ours_as_set(add), "add", args) == ended(blocking, theirs(add), "add", args)


NAMES = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(), part, max_size=3),
    max_leaves=5,
)


@given(NAMES, JSON)
def test_any_value_of_a_tool_of_any_name_becomes_the_message_of_tool_node(name: str, value: Any) -> None:
    @tool(name)
    def answer() -> Any:
        """Answer."""
        return value

    def run(graph: Any, given: Any, config: Any) -> Any:
        return graph.invoke(given, config)

    blocking: Any = run
    assert repr(ended(blocking, ours_as_set(answer), name, {})) == repr(ended(blocking, theirs(answer), name, {}))


class Heard(BaseCallbackHandler):
    """Takes note of what it hears of tools."""

    def __init__(self) -> None:
        self.events: list[Any] = []

    def on_tool_start(self, serialized: Any, input_str: str, **kwargs: Any) -> None:
        self.events.append(("start", serialized["name"], input_str, kwargs["inputs"], kwargs.get("tool_call_id")))

    def on_tool_end(self, output: Any, **kwargs: Any) -> None:
        self.events.append(("end", repr(output)))

    def on_tool_error(self, error: BaseException, **kwargs: Any) -> None:
        self.events.append(("error", repr(error)))


@pytest.mark.parametrize("case", [case for case, call in CALLS.items() if call.is_direct])
def test_a_listener_hears_what_it_hears_of_tool_node(run: Run, ours: Any, case: str) -> None:
    call = CALLS[case]
    mine, expected = Heard(), Heard()
    ended(run, ours(call.tool), call.tool.name, call.args, callbacks=[mine])
    ended(run, theirs(call.tool), call.tool.name, call.args, callbacks=[expected])
    assert mine.events == expected.events
    assert mine.events


def interrupted(run: Run, node: Any, call: Call) -> Any:
    """Return what a person was asked, and how the call ended with the answer."""
    graph = graph_of(node, call_of(call.tool.name, call.args), checkpointer=InMemorySaver())
    paused: Any = run(graph, {"messages": [AIMessage("", tool_calls=[call_of(call.tool.name, call.args)])]}, THREAD)
    asked = [interrupt.value for interrupt in paused["__interrupt__"]]
    again: Any = run(graph, Command(resume="first"), THREAD)
    asked += [interrupt.value for interrupt in again["__interrupt__"]]
    ended = run(graph, Command(resume="second"), THREAD)["messages"][-1]
    return asked, ended.model_dump(exclude={"id"})


def test_an_interrupted_call_is_resumed_as_in_tool_node(run: Run, ours: Any) -> None:
    @tool
    def ask(question: str) -> str:
        """Ask a person twice."""
        return f"{interrupt(question)} {interrupt(question + ' Really?')}"

    call = Call(ask, {"question": "Sure?"}, True)
    assert DirectTool.of(ask) is not None
    expected = interrupted(run, theirs(ask), call)
    assert interrupted(run, ours(ask), call) == expected
    assert expected[0] == ["Sure?", "Sure? Really?"]


def test_a_listener_that_is_not_inherited_hears_of_a_direct_call(run: Run) -> None:
    graph, state = graph_of(ours_as_set(add), call_of("add", {"a": 1})), {"messages": [AIMessage("")]}

    def names(_: Any) -> list[str]:
        with collect_runs() as collected:
            graph.invoke(state)
        return [traced.name for traced in collected.traced_runs]

    async def anames(_: Any) -> list[str]:
        with collect_runs() as collected:
            await graph.ainvoke(state)
        return [traced.name for traced in collected.traced_runs]

    assert "add" in run(RunnableLambda(names, anames), None)


async def test_a_blocking_tool_may_start_an_event_loop_wherever_the_agent_is_invoked() -> None:
    @tool
    def wait() -> str:
        """Wait on a loop of its own."""
        return asyncio.run(asyncio.sleep(0, "waited"))

    result = graph_of(ours_as_set(wait), call_of("wait", {})).invoke({"messages": []})
    assert result["messages"][-1].content == "waited"


@pytest.mark.parametrize("value", ["", "off", "true"])
def test_a_switch_is_0_or_1(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv(DIRECT_CALLS, value)
    with pytest.raises(ValueError, match=DIRECT_CALLS):
        ours_as_set(add)
