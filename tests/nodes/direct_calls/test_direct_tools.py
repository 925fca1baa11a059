"""A plain call ends as it does in ToolNode: the same messages, the same commands, the same errors."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langchain_core.tools import BaseTool, InjectedToolCallId, StructuredTool, ToolException, tool
from langchain_core.tracers.context import collect_runs
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_config
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState, ToolNode, ToolRuntime
from langgraph.types import Command, Send, interrupt
from pydantic import BaseModel, Field

from answergraph.nodes.direct_calls.direct_tools import DirectTool
from answergraph.nodes.tools import ToolsNode
from answergraph.state.budget import NO_LIMITS
from tests.suite.colors import Run


class Point(BaseModel):
    x: int
    y: int = 0


@dataclass
class Call:
    """A tool, and what it is called with."""

    tool: BaseTool
    args: dict[str, Any]
    plain: bool


def returning(value: Any) -> BaseTool:
    def answer() -> Any:
        """Return a value."""
        return value() if callable(value) else value

    return tool(answer)


@tool
def add(a: int, b: Annotated[int, Field(ge=0)] = 1, kind: Literal["sum", "both"] = "sum") -> str:
    """Add."""
    return f"{type(a).__name__} {a} {b} {kind}"


@tool
def measure(points: list[Point], *, unit: str | None = None) -> str:
    """Measure points."""
    return f"{points!r} {unit!r}"


@tool
def fail(kind: str) -> str:
    """Fail."""
    raise {"value": ValueError, "tool": ToolException, "stop": RuntimeError}[kind]("no")


@tool
def fail_inside(city: str) -> str:
    """Fail as a validation of the tool's own."""
    return str(Point.model_validate({"x": city}))


@tool
def see_config(a: int, config: RunnableConfig) -> str:
    """Tell what the config says."""
    return str(config["metadata"]["who"])


@tool
def see_state(a: int, state: Annotated[dict[str, Any], InjectedState]) -> str:
    """Tell how long the conversation is."""
    return str(len(state["messages"]))


@tool
def see_runtime(a: int, runtime: ToolRuntime) -> str:
    """Tell the call's id."""
    return f"{runtime.tool_call_id} {len(runtime.state['messages'])}"


@tool
def see_id(a: int, tool_call_id: Annotated[str, InjectedToolCallId]) -> str:
    """Tell the call's id."""
    return tool_call_id


@tool
def see_context() -> str:
    """Tell what the running config says."""
    return str(get_config()["metadata"]["who"])


@tool
async def look(a: int) -> str:
    """Look, awaited."""
    await asyncio.sleep(0)
    return f"seen {a}"


@tool(response_format="content_and_artifact")
def make(a: int) -> tuple[str, int]:
    """Make something."""
    return "made", a


@tool
def anything(**kwargs: Any) -> str:
    """Take anything."""
    return str(kwargs)


class Own(BaseTool):
    name: str = "own"
    description: str = "A class of its own."

    def _run(self, a: int) -> str:
        return f"own {a}"


def answered(**update: Any) -> Callable[[], Command[Any]]:
    return lambda: Command(update={"messages": [ToolMessage("by command", tool_call_id="c1")], **update})


fail_handled = StructuredTool.from_function(fail.func, handle_tool_error=True)  # type: ignore[attr-defined]  # made by @tool
by_schema = StructuredTool.from_function(lambda x, y: f"{x} {y}", name="by_schema", description="x", args_schema=Point)
by_json = StructuredTool.from_function(lambda **k: str(k), name="by_json", description="x", args_schema=Point.model_json_schema())

CALLS = {
    "text": Call(returning("text"), {}, True),
    "number": Call(returning(4.5), {}, True),
    "truth": Call(returning(True), {}, True),
    "not a number": Call(returning(float("nan")), {}, True),
    "nothing": Call(returning(None), {}, True),
    "object": Call(returning({"ä": [1]}), {}, True),
    "object without JSON": Call(returning({1, 2}), {}, True),
    "blocks": Call(returning([{"type": "text", "text": "block"}]), {}, True),
    "message": Call(returning(lambda: ToolMessage("own", tool_call_id="c1", status="error")), {}, True),
    "command": Call(returning(answered()), {}, True),
    "command for another call": Call(
        returning(lambda: Command(update={"messages": [ToolMessage("x", tool_call_id="other")]})), {}, True
    ),
    "command without a message": Call(returning(lambda: Command(update={"messages": []})), {}, True),
    "command and message": Call(returning(lambda: [Command(update={}), ToolMessage("m", tool_call_id="c1")]), {}, True),
    "commands without a message": Call(returning(lambda: [Command(update={})]), {}, True),
    "arguments": Call(add, {"a": 2, "b": 3, "kind": "both"}, True),
    "coerced": Call(add, {"a": "2"}, True),
    "missing": Call(add, {}, True),
    "out of bounds": Call(add, {"a": 1, "b": -1}, True),
    "unknown argument": Call(add, {"a": 1, "c": 1}, True),
    "models": Call(measure, {"points": [{"x": 1}, {"x": "2", "y": 3}]}, True),
    "error": Call(fail, {"kind": "value"}, True),
    "tool error": Call(fail, {"kind": "tool"}, True),
    "validation of its own": Call(fail_inside, {"city": "Oslo"}, True),
    "own schema": Call(by_schema, {"x": "3"}, True),
    "running config": Call(see_context, {}, True),
    "awaited": Call(look, {"a": 1}, True),
    "handled error": Call(fail_handled, {"kind": "tool"}, False),
    "JSON schema": Call(by_json, {"x": 1}, False),
    "config": Call(see_config, {"a": 1}, False),
    "state": Call(see_state, {"a": 1}, False),
    "runtime": Call(see_runtime, {"a": 1}, False),
    "call id": Call(see_id, {"a": 1}, False),
    "artifact": Call(make, {"a": 1}, False),
    "any arguments": Call(anything, {"kwargs": {"a": 1}}, False),
    "own class": Call(Own(), {"a": 1}, False),
}


def graph_of(node: Any, call: dict[str, Any], **options: Any) -> Any:
    graph: Any = StateGraph(MessagesState)
    graph.add_node("tools", node)
    graph.add_conditional_edges(START, lambda state: [Send("tools", [call])], ["tools"])
    return graph.compile(**options)


def ours(*tools: BaseTool) -> ToolsNode:
    return ToolsNode(tools, lambda call: call, NO_LIMITS, lambda _: ())


def ended(run: Run, node: Any, name: str, args: dict[str, Any], callbacks: Any = None) -> Any:
    """Return how a call ended: the messages, or the error."""
    call = {"name": name, "args": args, "id": "c1", "type": "tool_call"}
    start = [HumanMessage("go", id="1"), AIMessage("", id="2", tool_calls=[call])]
    try:
        result = run(graph_of(node, call), {"messages": start}, RunnableConfig(metadata={"who": "me"}, callbacks=callbacks))
    except Exception as error:  # noqa: BLE001 - what was raised is compared
        return type(error), str(error)
    return [shown(message) for message in result["messages"]]


def shown(message: AnyMessage) -> Any:
    return message.model_dump(exclude={"id"})


@pytest.mark.parametrize("case", CALLS)
def test_a_call_ends_as_in_tool_node(run: Run, case: str) -> None:
    call = CALLS[case]
    assert (DirectTool.of(call.tool) is not None) == call.plain
    expected = ended(run, ToolNode([call.tool]), call.tool.name, call.args)
    assert ended(run, ours(call.tool), call.tool.name, call.args) == expected


@given(st.dictionaries(st.sampled_from(["a", "b", "kind", "c"]), st.one_of(st.integers(), st.text(), st.none(), st.just("both"))))
def test_arguments_are_read_as_in_tool_node(args: dict[str, Any]) -> None:
    def blocking(graph: Any, given: Any, config: Any) -> Any:
        return graph.invoke(given, config)

    run: Any = blocking
    assert ended(run, ours(add), "add", args) == ended(run, ToolNode([add]), "add", args)


def test_an_unknown_tool_is_answered_as_in_tool_node(run: Run) -> None:
    assert ended(run, ours(add), "nope", {}) == ended(run, ToolNode([add]), "nope", {})


class Heard(BaseCallbackHandler):
    """Takes note of what it hears of tools."""

    def __init__(self) -> None:
        self.events: list[Any] = []

    def on_tool_start(self, serialized: Any, input_str: str, **kwargs: Any) -> None:
        self.events.append(("start", serialized["name"], input_str, kwargs["inputs"]))

    def on_tool_end(self, output: Any, **kwargs: Any) -> None:
        self.events.append(("end", output.content))

    def on_tool_error(self, error: BaseException, **kwargs: Any) -> None:
        self.events.append(("error", str(error)))


@pytest.mark.parametrize("case", ["arguments", "missing", "error", "object"])
def test_a_listener_hears_of_a_plain_call_what_it_hears_of_any(run: Run, case: str) -> None:
    call = CALLS[case]
    mine, theirs = Heard(), Heard()
    ended(run, ours(call.tool), call.tool.name, call.args, callbacks=[mine])
    ended(run, ToolNode([call.tool]), call.tool.name, call.args, callbacks=[theirs])
    assert mine.events == theirs.events
    assert mine.events


def test_a_listener_that_is_not_inherited_hears_of_a_plain_call(run: Run) -> None:
    call = CALLS["arguments"]
    asked = {"name": call.tool.name, "args": call.args, "id": "c1", "type": "tool_call"}
    graph, state = graph_of(ours(call.tool), asked), {"messages": [AIMessage("", tool_calls=[asked])]}

    def names(_: Any) -> list[str]:
        with collect_runs() as collected:
            graph.invoke(state)
        return [traced.name for traced in collected.traced_runs]

    async def anames(_: Any) -> list[str]:
        with collect_runs() as collected:
            await graph.ainvoke(state)
        return [traced.name for traced in collected.traced_runs]

    assert call.tool.name in run(RunnableLambda(names, anames), None)


def test_a_plain_tool_that_interrupts_is_resumed(run: Run) -> None:
    @tool
    def ask(question: str) -> str:
        """Ask a person."""
        return f"{question} {interrupt(question)}"

    assert DirectTool.of(ask) is not None
    call = {"name": "ask", "args": {"question": "Sure?"}, "id": "c1", "type": "tool_call"}
    graph = graph_of(ours(ask), call, checkpointer=InMemorySaver())
    config: RunnableConfig = {"configurable": {"thread_id": "1"}}
    paused: Any = run(graph, {"messages": [AIMessage("", tool_calls=[call])]}, config)
    assert [asked.value for asked in paused["__interrupt__"]] == ["Sure?"]
    assert run(graph, Command(resume="yes"), config)["messages"][-1].content == "Sure? yes"


async def test_a_blocking_tool_may_start_an_event_loop_wherever_the_agent_is_invoked() -> None:
    @tool
    def wait() -> str:
        """Wait on a loop of its own."""
        return asyncio.run(asyncio.sleep(0, "waited"))

    def blocking(graph: Any, given: Any, config: Any) -> Any:
        return graph.invoke(given, config)

    run: Any = blocking
    assert ended(run, ours(wait), "wait", {})[-1]["content"] == "waited"
