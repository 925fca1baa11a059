# pyright: strict
"""Tests of a user's own agent, with a factory that passes its options on."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from pydantic import BaseModel

from answergraph import AgentGraph, NoAnswerError, UsageLimits, create_agent
from answergraph.testing import ScriptedChatModel


class Verdict(BaseModel):
    """A verdict."""

    passed: bool


def agent_of(replies: Sequence[str], **options: Any) -> AgentGraph[Verdict | None]:
    """Return the agent under test."""
    return create_agent(ScriptedChatModel(replies=replies), response_format=Verdict, **options)


def test_a_verdict_is_read() -> None:
    verdict = agent_of(['{"passed": true}']).invoke({"messages": ["Did it pass?"]})["structured_response"]
    assert verdict is not None
    assert verdict.passed


def test_prose_is_not_a_verdict() -> None:
    result = asyncio.run(agent_of(["No idea."] * 9).ainvoke({"messages": ["Did it pass?"]}))
    assert (result["structured_response"], result["outcome"]["status"]) == (None, "unanswered")


def test_a_run_without_a_verdict_is_raised() -> None:
    agent = agent_of(["No idea."] * 9, on_failure="raise", limits=UsageLimits(model_calls=2))
    with pytest.raises(NoAnswerError, match="No answer"):
        agent.invoke({"messages": ["Did it pass?"]})


def test_a_run_that_stays_below_its_limits_says_what_it_cost() -> None:
    limits = UsageLimits(cost=1.0, prices={"scripted": {"input": 1.0, "output": 2.0}})
    outcome = agent_of(['{"passed": true}'], limits=limits).invoke({"messages": ["Did it pass?"]})["outcome"]
    usage = outcome["usage"]
    tokens = usage["input_tokens"] + 2 * usage["output_tokens"]
    assert (usage["cost"], usage["unpriced"], usage["cached_tokens"], usage["reasoning_tokens"]) == (tokens / 1e6, [], 0, 0)
    assert outcome["limits"]["cost"] == limits.cost


def main() -> int:
    """Run the tests; return how many there are."""
    tests = (
        test_a_verdict_is_read,
        test_prose_is_not_a_verdict,
        test_a_run_without_a_verdict_is_raised,
        test_a_run_that_stays_below_its_limits_says_what_it_cost,
    )
    for test in tests:
        test()
    return len(tests)
