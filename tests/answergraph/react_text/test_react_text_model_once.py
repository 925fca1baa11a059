"""An action is carried out once, and none is the answer where only that is left."""

from typing import Any

import pytest
from langchain_core.tools import tool
from pydantic import BaseModel

from answergraph import (
    AutoStrategy,
    DeferredStrategy,
    PromptedStrategy,
    ProviderStrategy,
    ToolStrategy,
    UsageLimits,
    create_agent,
)
from answergraph.models import ReActTextModel
from answergraph.state.messages import RAN_BEFORE
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

QUESTION: dict[str, Any] = {"messages": ["Which city?"]}
ACTION = "I look.\nAction: weather\nAction Input: Oslo"
OTHER = ACTION.replace("Oslo", "Rome")
EVERY = [
    AutoStrategy,
    ToolStrategy,
    PromptedStrategy,
    ProviderStrategy,
    lambda city: DeferredStrategy(PromptedStrategy(city)),
    None,
]
STRATEGIES = pytest.mark.parametrize("strategy", EVERY, ids=["auto", "tool", "prompted", "provider", "deferred", "none"])


class City(BaseModel):
    """A city."""

    city: str


@tool
def weather(city: str) -> str:
    """Look the weather up."""
    if city == "Atlantis":
        raise ValueError("no such city")
    return f"Rain in {city}"


def ran(run: Run, strategy: Any, *replies: str, **options: Any) -> tuple[dict[str, Any], ScriptedChatModel]:
    llm = ScriptedChatModel(replies=[*replies, *replies[-1:] * 20])
    agent = create_agent(ReActTextModel(llm), [weather], response_format=strategy and strategy(City), **options)
    return run(agent, QUESTION), llm


def results(result: dict[str, Any]) -> list[str]:
    return [message.text for message in result["messages"] if message.type == "tool" and message.status == "success"]


@STRATEGIES
def test_an_action_that_is_only_repeated_is_carried_out_once_and_ends_the_run(run: Run, strategy: Any) -> None:
    result, llm = ran(run, strategy, ACTION, limits=UsageLimits(model_calls=12))
    assert results(result) == ["Rain in Oslo"]
    assert f"Observation: {RAN_BEFORE}\n" in llm.requests[2].messages[-1].text
    assert len(llm.requests) < 12
    if strategy is not None:
        assert result["outcome"]["reason"] == "The model called tools and gave no answer."


@STRATEGIES
def test_another_input_and_the_same_one_in_another_run_are_carried_out(run: Run, strategy: Any) -> None:
    answer = 'Final Answer: {"city": "Oslo"}'
    llm = ScriptedChatModel(replies=[ACTION, OTHER, ACTION, answer, ACTION, answer, answer])
    agent = create_agent(ReActTextModel(llm), [weather], response_format=strategy and strategy(City))
    first = run(agent, QUESTION)
    second = run(agent, {"messages": [*first["messages"], ("user", "And now?")]})
    assert results(first) == ["Rain in Oslo", "Rain in Rome"]
    assert results(second)[2:] == ["Rain in Oslo"]


def test_an_action_that_failed_twice_is_not_tried_again(run: Run) -> None:
    weather.handle_tool_error = weather.handle_validation_error = True
    llm = ScriptedChatModel(replies=["Action: weather\nAction Input: {}"] * 3 + ["Final Answer: none"])
    result = run(create_agent(ReActTextModel(llm), [weather]), QUESTION)
    assert [message.status for message in result["messages"] if message.type == "tool"] == ["error"] * 3
    assert RAN_BEFORE in llm.requests[3].messages[-1].text


@STRATEGIES
@pytest.mark.parametrize("name", ["refund", "weather"])
def test_an_action_is_no_answer_where_no_call_is_left(run: Run, strategy: Any, name: str) -> None:
    action = f'I think.\nAction: {name}\nAction Input: {{"city": "Bergen"}}'
    result, _ = ran(run, strategy, ACTION, action, limits=UsageLimits(model_calls=2))
    assert (result.get("structured_response"), result["outcome"]["status"]) == (None, "out_of_budget")
    assert results(result) == ["Rain in Oslo"]


def test_a_model_that_acts_where_only_the_answer_is_left_is_told_so(run: Run) -> None:
    action = 'Action: refund\nAction Input: {"city": "Bergen"}'
    strategy = DeferredStrategy(PromptedStrategy(City))
    llm = ScriptedChatModel(replies=[ACTION, "Final Answer: it rains", action, '{"city": "Oslo"}'])
    result = run(create_agent(ReActTextModel(llm), [weather], response_format=strategy), QUESTION)
    assert result["structured_response"] == City(city="Oslo")
    assert "Observation: refund is not a valid tool now: no tool can be called any more" in llm.requests[3].messages[-1].text
