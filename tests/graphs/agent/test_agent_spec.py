"""Mistakes are refused while building, and the message says what to change."""

from typing import Any

import langchain.agents.structured_output as langchains
import pytest
from langchain_core.messages import AIMessage

from answergraph import AgentSpecError, FallbackStrategy, PromptedStrategy, ToolStrategy, UsageLimits, create_agent
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import BAD, GOOD, QUESTION, Verdict, agent_of, call, calls


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"check_answer": 3}, "not a function"),
        ({"limits": {"model_calls": 3}}, "not a UsageLimits"),
        ({"limits": UsageLimits}, "not a UsageLimits"),
        ({"response_format": ()}, "names no schema"),
    ],
)
def test_what_could_only_fail_later_is_refused_while_building(options: dict[str, Any], words: str) -> None:
    with pytest.raises(AgentSpecError, match=words):
        create_agent(ScriptedChatModel(replies=[]), **{"response_format": ToolStrategy(Verdict), **options})


@pytest.mark.parametrize(
    "limit",
    [{"model_calls": "3"}, {"model_calls": 2.5}, {"tool_calls": True}, {"total_tokens": float("nan")}, {"answer_attempts": None}],
    ids=str,
)
def test_a_limit_is_a_whole_number(limit: dict[str, Any]) -> None:
    with pytest.raises(AgentSpecError, match="write a whole number of at least 1"):
        UsageLimits(**limit)


def test_a_final_answer_is_reserved_or_not() -> None:
    with pytest.raises(AgentSpecError, match="write True or False"):
        UsageLimits(reserve_final_answer=None)  # type: ignore[arg-type]  # the mistake


def test_a_fallback_takes_strategies_of_langchains(run: Any) -> None:
    bad = [calls(call("Verdict", BAD, f"b{number}")) for number in range(2)]
    ladder: Any = FallbackStrategy([langchains.ToolStrategy(Verdict), PromptedStrategy(Verdict)])  # type: ignore[list-item]  # known by what it has
    agent, _ = agent_of(*bad, '{"passed": true, "score": 7}', response_format=ladder)
    result = run(agent, QUESTION)
    assert (result["structured_response"], result["outcome"]["strategy"]) == (Verdict.model_validate(GOOD), "prompted")


def test_the_reason_of_a_run_that_ends_over_a_tool_call_quotes_no_text(run: Any) -> None:
    search = AIMessage("", tool_calls=[call("search", {"query": "q"}, "s")])
    agent, _ = agent_of(search, limits=UsageLimits(model_calls=1))
    reason = run(agent, QUESTION)["outcome"]["reason"]
    assert reason == "The run's budget is spent: 1 of 1 model calls. The model called tools and gave no answer."
