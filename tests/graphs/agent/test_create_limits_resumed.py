"""What a run has used counts on when it is interrupted, cancelled or fails, and goes on later."""

import asyncio
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

from answergraph import ToolStrategy, UsageLimits, create_agent
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.hanging_agents import ANSWER, LONG, QUESTION, ThinkingModel
from tests.graphs.agent.scripted_agents import call, calls
from tests.suite.colors import Run
from tests.suite.verdicts import Score

CONFIG: Any = {"configurable": {"thread_id": "1"}}
PRICES: Any = {"scripted": {"input": 1000, "output": 1000}}
TOKENS = 100


@tool
def ask() -> str:
    """Ask a person."""
    return str(interrupt("Well?"))


def counted(reply: AIMessage) -> AIMessage:
    usage: Any = {"input_tokens": TOKENS, "output_tokens": 0, "total_tokens": TOKENS}
    return reply.model_copy(update={"usage_metadata": usage})


def asking_agent(**limits: Any) -> Any:
    """Return an agent that asks a person three times before it answers; each call has 100 tokens and costs 0.1."""
    replies = [counted(reply) for reply in (*[calls(call("ask", {}, f"{number}")) for number in range(3)], ANSWER)]
    model = ScriptedChatModel(replies=replies, model_name="scripted")
    limits = {"prices": PRICES, "reserve_final_answer": False, **limits}
    return create_agent(
        model, [ask], response_format=ToolStrategy(Score), limits=UsageLimits(**limits), checkpointer=InMemorySaver()
    )


def outcome_after_resuming(run: Run, agent: Any) -> dict[str, Any]:
    result = run(agent, QUESTION, CONFIG)
    while "__interrupt__" in result:
        result = run(agent, Command(resume="yes"), CONFIG)
    outcome: dict[str, Any] = result["outcome"]
    return outcome


@pytest.mark.parametrize("limits", [{"total_tokens": 250}, {"cost": 0.25}, {"model_calls": 2}])
def test_what_was_used_before_a_run_was_resumed_counts_to_its_limit(run: Run, limits: dict[str, Any]) -> None:
    outcome = outcome_after_resuming(run, asking_agent(**limits))
    assert (outcome["status"], outcome["limit"]) == ("out_of_budget", *limits)
    # One call before each interruption: no single execution came near the limit.
    assert 2 <= outcome["usage"]["model_calls"] < 4


def test_a_run_that_was_resumed_in_its_limits_says_what_all_of_it_has_used(run: Run) -> None:
    outcome = outcome_after_resuming(run, asking_agent(seconds=LONG, cost=1, total_tokens=2000, model_calls=9))
    usage = outcome["usage"]
    assert outcome["status"] == "answered"
    assert (usage["model_calls"], usage["total_tokens"], usage["cost"]) == (4, 4 * TOKENS, pytest.approx(0.4))


def thinking_agent(tools: Any) -> Any:
    model = ThinkingModel(replies=[calls(call("fetch", {}, "f")), ANSWER], seconds=0.3)
    limits = UsageLimits(seconds=LONG)
    return create_agent(model, tools, response_format=ToolStrategy(Score), limits=limits, checkpointer=InMemorySaver())


def test_the_time_of_a_run_that_failed_counts_when_it_goes_on(run: Run) -> None:
    failures = [OSError("The network is down.")]

    @tool
    def fetch() -> str:
        """Fetch it."""
        if failures:
            raise failures.pop()
        return "it"

    agent = thinking_agent([fetch])
    with pytest.raises(OSError, match="network"):
        run(agent, QUESTION, CONFIG)
    outcome = run(agent, None, CONFIG)["outcome"]
    assert (outcome["status"], outcome["usage"]["model_calls"]) == ("answered", 2)
    assert outcome["usage"]["seconds"] >= 0.3


async def test_a_run_with_limits_that_is_cancelled_goes_on_with_what_it_had_used() -> None:
    begun, may_end = asyncio.Event(), asyncio.Event()

    @tool
    async def fetch() -> str:
        """Fetch it."""
        begun.set()
        await may_end.wait()
        return "it"

    agent = thinking_agent([fetch])
    task = asyncio.create_task(agent.ainvoke(QUESTION, CONFIG))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    may_end.set()
    outcome = (await agent.ainvoke(None, CONFIG))["outcome"]
    assert (outcome["status"], outcome["usage"]["model_calls"]) == ("answered", 2)
    assert outcome["usage"]["seconds"] >= 0.3
