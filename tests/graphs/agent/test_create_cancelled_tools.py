"""Tools that hang after their run was cancelled keep no later run waiting."""

import asyncio
from typing import Any

import pytest
from langchain_core.tools import tool

from answergraph import create_agent
from answergraph.middleware import wrap_tool_call
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.hanging_agents import ANSWER, QUESTION, agent_of, slow_tool
from tests.graphs.agent.scripted_agents import call, calls
from tests.suite.verdicts import Score

MORE_THAN_ANY_POOL = 70


@wrap_tool_call
async def untouched(request: Any, handler: Any) -> Any:
    return await handler(request)


@tool
def quick() -> str:
    """Search."""
    return "done"


@pytest.mark.parametrize("middleware", [[], [untouched]], ids=["plain", "wrapped"])
async def test_more_cancelled_runs_than_there_are_threads_keep_no_later_run_waiting(hang: Any, middleware: list[Any]) -> None:
    slow = slow_tool(hang)
    replies = [calls(call("slow", {}, str(number))) for number in range(MORE_THAN_ANY_POOL)]
    agent: Any = create_agent(ScriptedChatModel(replies=replies), [slow], middleware=middleware)
    runs = [asyncio.ensure_future(agent.ainvoke(QUESTION)) for _ in replies]
    await asyncio.sleep(1)
    for run in runs:
        run.cancel()
    await asyncio.gather(*runs, return_exceptions=True)
    later = agent_of(calls(call("quick", {}, "q")), ANSWER, tools=[quick], middleware=middleware)
    result = await asyncio.wait_for(later.ainvoke(QUESTION), 60)
    assert result["structured_response"] == Score(score=1)
