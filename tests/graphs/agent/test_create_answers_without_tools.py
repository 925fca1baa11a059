"""The outcome of an answer that was given although there are tools says that none was called, or that no call succeeded."""

import pytest
from langchain_core.messages import AIMessage, RemoveMessage, ToolMessage
from langchain_core.tools import ToolException, tool
from langgraph.runtime import Runtime

from answergraph import create_agent
from answergraph.middleware import InputAgentState, before_model
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import GOOD, Verdict, call, calls
from tests.suite.colors import Run
from tests.suite.tools import search

ANSWER = calls(call("Verdict", GOOD))
SEARCH = calls(call("search", {"query": "x"}, "s"))
REFUSED = calls(call("search", {"words": "x"}, "r"))
UNKNOWN = calls(call("find", {"query": "x"}, "u"))


@tool
def broken() -> str:
    """Read the log."""
    raise ToolException("there is no log")


broken.handle_tool_error = True


@pytest.mark.parametrize(
    ("tools", "replies", "reason"),
    [
        ([search], [ANSWER], "The model answered with 'Verdict'. No tool was called."),
        ([search], [SEARCH, ANSWER], "The model answered with 'Verdict'."),
        ([], [ANSWER], "The model answered with 'Verdict'."),
        ([search], [UNKNOWN, ANSWER], "The model answered with 'Verdict'. No call of a tool succeeded."),
        ([search], [REFUSED, UNKNOWN, ANSWER], "The model answered with 'Verdict'. No call of a tool succeeded."),
        ([search], [REFUSED, SEARCH, ANSWER], "The model answered with 'Verdict'."),
        ([broken], [calls(call("broken", {}, "b")), ANSWER], "The model answered with 'Verdict'. No call of a tool succeeded."),
    ],
)
def test_the_reason_says_whether_a_call_of_a_tool_succeeded(
    run: Run, tools: list[object], replies: list[AIMessage], reason: str
) -> None:
    agent = create_agent(ScriptedChatModel(replies=replies), tools, response_format=Verdict)  # type: ignore[arg-type]  # mixed tests
    assert run(agent, {"messages": ["q"]})["outcome"]["reason"] == reason


def test_nothing_is_said_of_calls_whose_results_a_hook_removed(run: Run) -> None:
    @before_model
    def forget(state: InputAgentState, runtime: Runtime[None]) -> dict[str, object] | None:
        results = [each for each in state["messages"] if isinstance(each, ToolMessage)]
        return {"messages": [RemoveMessage(id=str(each.id)) for each in results]} if results else None

    agent = create_agent(ScriptedChatModel(replies=[SEARCH, ANSWER]), [search], response_format=Verdict, middleware=[forget])
    assert run(agent, {"messages": ["q"]})["outcome"]["reason"] == "The model answered with 'Verdict'."
