"""The tools node: calls, the budget of inner runs, and middleware around them."""

import asyncio
from typing import Any, NotRequired

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool, tool
from langgraph.graph import START, StateGraph
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command, Send, interrupt

from answergraph import UsageLimits, create_agent
from answergraph.middleware import AgentState
from answergraph.nodes.tools import ToolCallStep, ToolResult, ToolsNode
from answergraph.runtime.steps import Step
from answergraph.state.agent_state import AnswerKeys, PrivateState
from answergraph.state.budget import current_budget
from answergraph.state.ledger import INNER_USAGE, LEDGER, empty_ledger
from answergraph.state.turn import CallNames
from answergraph.state.usage import NO_LIMITS, NO_USAGE
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import call, calls
from tests.suite.colors import Run


class State(AgentState[Any], PrivateState):
    """The state of an agent with its private keys."""

    remark: NotRequired[str]


@tool
def echo(word: str) -> str:
    """Say a word."""
    return word


@tool
def fail(word: str) -> str:
    """Fail."""
    raise RuntimeError(word)


@tool
def ask(word: str) -> str:
    """Ask a person."""
    return str(interrupt(word))


left: list[Any] = []


@tool
def look() -> str:
    """Look at the budget around the call."""
    budget = current_budget()
    left.append(None if budget is None else budget.remaining_for(empty_ledger()))
    return "seen"


@tool
def judge(word: str) -> str:
    """Run another agent."""
    return str(create_agent(ScriptedChatModel(replies=[word])).invoke({"messages": [word]})["messages"][-1].text)


def unwrapped(step: ToolCallStep) -> ToolCallStep:
    return step


def node_of(
    *tools: BaseTool, wrap: Any = unwrapped, limits: UsageLimits = NO_LIMITS, answers: frozenset[str] = frozenset()
) -> ToolsNode:
    return ToolsNode(tools, wrap, limits, CallNames(answers), AnswerKeys())


def ended(run: Run, node: ToolsNode, *tool_calls: Any, **state: Any) -> dict[str, Any]:
    graph = StateGraph(State)
    graph.add_node("tools", node)
    graph.add_conditional_edges(START, lambda _: [Send("tools", [each]) for each in tool_calls], ["tools"])
    messages = [HumanMessage("go", id="1"), calls(*tool_calls).model_copy(update={"id": "2"})]
    result: dict[str, Any] = run(graph.compile(), {"messages": messages, **state})
    return {**result, "messages": result["messages"][2:]}


def loud(step: ToolCallStep) -> ToolCallStep:
    """Middleware that runs a call with an argument in capitals."""

    def wrapped(request: ToolCallRequest) -> Step[ToolResult]:
        changed: Any = {**request.tool_call, "args": {"word": request.tool_call["args"]["word"].upper()}}
        result: ToolResult = yield from step(request.override(tool_call=changed))
        return result

    return wrapped


def passed_on(step: ToolCallStep) -> ToolCallStep:
    """Middleware that changes nothing: the call goes through ``ToolNode`` all the same."""

    def wrapped(request: ToolCallRequest) -> Step[ToolResult]:
        return (yield from step(request))

    return wrapped


def test_each_call_is_answered(run: Run) -> None:
    result = ended(run, node_of(echo), call("echo", {"word": "a"}), call("echo", {"word": "b"}, "2"))
    assert [(message.tool_call_id, message.text) for message in result["messages"]] == [("1", "a"), ("2", "b")]


@pytest.mark.parametrize("wrap", [unwrapped, loud])
def test_the_error_of_a_tool_is_raised_as_in_tool_node(run: Run, wrap: Any) -> None:
    with pytest.raises(RuntimeError, match=r"(?i)lost"):
        ended(run, node_of(fail, wrap=wrap), call("fail", {"word": "lost"}))


def test_wrong_arguments_and_unknown_tools_are_reported_to_the_model(run: Run) -> None:
    result = ended(run, node_of(echo), call("echo", {}), call("nosuch", {}, "2"))
    assert [message.status for message in result["messages"]] == ["error", "error"]


def test_middleware_around_a_call_changes_it(run: Run) -> None:
    (message,) = ended(run, node_of(echo, wrap=loud), call("echo", {"word": "a"}))["messages"]
    assert message.text == "A"


def test_middleware_may_answer_a_call_itself(run: Run) -> None:
    def answers(step: ToolCallStep) -> ToolCallStep:
        def wrapped(request: ToolCallRequest) -> Step[ToolResult]:
            yield from ()
            return ToolMessage("mine", tool_call_id=str(request.tool_call["id"]))

        return wrapped

    (message,) = ended(run, node_of(fail, wrap=answers), call("fail", {"word": "x"}))["messages"]
    assert message.text == "mine"


def test_a_blocking_tool_may_start_an_event_loop_though_one_runs_the_graph() -> None:
    @tool
    def loop() -> str:
        """Run a loop of its own."""
        return asyncio.run(asyncio.sleep(0, "looped"))

    graph = StateGraph(State)
    graph.add_node("tools", node_of(loop))
    graph.add_conditional_edges(START, lambda _: [Send("tools", [call("loop", {})])], ["tools"])

    async def blocking() -> Any:
        return graph.compile().invoke({"messages": [HumanMessage("go"), calls(call("loop", {}))]})

    assert asyncio.run(blocking())["messages"][-1].text == "looped"


def test_an_interrupt_inside_a_tool_is_not_a_tool_error() -> None:
    graph = StateGraph(State)
    graph.add_node("tools", node_of(ask))
    graph.add_conditional_edges(START, lambda _: [Send("tools", [call("ask", {"word": "sure?"})])], ["tools"])
    result = graph.compile().invoke({"messages": [HumanMessage("go"), calls(call("ask", {"word": "sure?"}))]})
    assert [each.value for each in result["__interrupt__"]] == ["sure?"]


class TestBudget:
    """Runs inside a run's tools share its remaining budget."""

    def left_in(self, run: Run, node: ToolsNode, *tool_calls: Any) -> list[Any]:
        left.clear()
        ledger = {**empty_ledger(), "usage": {**NO_USAGE, "model_calls": 3}}
        ended(run, node, *tool_calls, **{LEDGER: ledger})
        return list(left)

    @pytest.mark.parametrize("wrap", [unwrapped, passed_on])
    def test_a_tool_may_use_what_the_run_has_left(self, run: Run, wrap: Any) -> None:
        (remaining,) = self.left_in(run, node_of(look, wrap=wrap, limits=UsageLimits(model_calls=10)), call("look", {}))
        assert remaining.model_calls == 6

    def test_calls_of_one_turn_share_it_and_answers_are_no_calls(self, run: Run) -> None:
        node = node_of(look, echo, limits=UsageLimits(model_calls=10), answers=frozenset({"Verdict"}))
        graph = StateGraph(State)
        graph.add_node("tools", node)
        turn = [call("look", {}), call("echo", {"word": "x"}, "2"), call("Verdict", {}, "3")]
        graph.add_conditional_edges(START, lambda _: [Send("tools", [each]) for each in turn[:2]], ["tools"])
        ledger = {**empty_ledger(), "usage": {**NO_USAGE, "model_calls": 3}}
        left.clear()
        run(graph.compile(), {"messages": [HumanMessage("go"), calls(*turn)], LEDGER: ledger})
        assert [remaining.model_calls for remaining in left] == [3]

    @pytest.mark.parametrize("wrap", [unwrapped, passed_on])
    def test_what_a_run_inside_a_tool_has_used_is_charged_beside_its_result(self, run: Run, wrap: Any) -> None:
        result = ended(run, node_of(judge, wrap=wrap), call("judge", {"word": "fine"}), **{LEDGER: empty_ledger()})
        assert (result["messages"][0].text, result[INNER_USAGE]["model_calls"]) == ("fine", 1)

    def test_a_tool_that_runs_nothing_charges_nothing(self, run: Run) -> None:
        assert INNER_USAGE not in ended(run, node_of(echo), call("echo", {"word": "a"}))


def test_a_command_of_a_tool_updates_the_state(run: Run) -> None:
    @tool
    def jump() -> Any:
        """Set a key."""
        message = ToolMessage("set", tool_call_id="1")
        return Command(update={"remark": "x", "structured_response": "x", "messages": [message]})

    result = ended(run, node_of(jump), call("jump", {}))
    assert (result["remark"], [type(message) for message in result["messages"]]) == ("x", [ToolMessage])
    assert "structured_response" not in result


def test_a_list_of_calls_and_a_whole_state_are_taken_as_by_tool_node(run: Run) -> None:
    graph = StateGraph(State)
    graph.add_node("tools", node_of(echo))
    graph.add_edge(START, "tools")
    reply = calls(call("echo", {"word": "a"}), call("echo", {"word": "b"}, "2"))
    result = run(graph.compile(), {"messages": [AIMessage("earlier"), reply]})
    assert [message.text for message in result["messages"][2:]] == ["a", "b"]
