"""The outcome of an answer that was given although there are tools says that none was called."""

import pytest
from langchain_core.messages import AIMessage

from answergraph import create_agent
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import GOOD, Verdict, call, calls, search
from tests.suite.colors import Run

ANSWER = calls(call("Verdict", GOOD))
SEARCH = calls(call("search", {"query": "x"}, "s"))


@pytest.mark.parametrize(
    ("tools", "replies", "reason"),
    [
        ([search], [ANSWER], "The model answered with 'Verdict'. No tool was called."),
        ([search], [SEARCH, ANSWER], "The model answered with 'Verdict'."),
        ([], [ANSWER], "The model answered with 'Verdict'."),
    ],
)
def test_the_reason_says_whether_a_tool_was_called(run: Run, tools: list[object], replies: list[AIMessage], reason: str) -> None:
    agent = create_agent(ScriptedChatModel(replies=replies), tools, response_format=Verdict)  # type: ignore[arg-type]  # mixed tests
    assert run(agent, {"messages": ["q"]})["outcome"]["reason"] == reason
