"""Requests grow only at their end, so that a provider's prompt cache hits: over rounds, corrections and turns."""

import itertools
import json
from typing import Any

import pytest
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel, SecretStr

from answergraph import DeferredStrategy, PromptedStrategy, ProviderStrategy, ToolStrategy, create_agent
from tests.openai_server import OpenAIServer, Reply, ToolCall, calls, says
from tests.suite.verdicts import Missing


class ScoredVerdict(BaseModel):
    """A verdict."""

    passed: bool
    score: int = 1


@tool
def search(query: str, limit: int = 3) -> str:
    """Search the logs."""
    return f"found {query}"


@tool
def count(words: list[str]) -> int:
    """Count words."""
    return len(words)


SEARCH = calls(ToolCall("search", {"query": "x"}), ToolCall("count", {"words": ["a"]}))
BESIDE = calls(ToolCall("search", {"query": "y"}), ToolCall("ScoredVerdict", {"passed": True}))
WRONG, RIGHT = calls(ToolCall("ScoredVerdict", {"passed": "maybe"})), calls(ToolCall("ScoredVerdict", {"passed": True}))
UNION = '{"schema": "ScoredVerdict", "value": {"passed": %s, "score": 1}}'
WRITTEN = [SEARCH, says("It passed."), says(UNION % '"maybe"'), says(UNION % "true")]
SCRIPTS: dict[str, tuple[Any, list[Reply]]] = {
    "tool": (ToolStrategy(ScoredVerdict | Missing), [SEARCH, says("It passed."), BESIDE, WRONG, RIGHT]),
    "provider": (ProviderStrategy(ScoredVerdict | Missing), WRITTEN),
    "prompted": (PromptedStrategy(ScoredVerdict | Missing), WRITTEN),
    "deferred": (DeferredStrategy(ToolStrategy(ScoredVerdict | Missing)), [SEARCH, says("It passed."), WRONG, RIGHT]),
}


def bodies_of(run: Any, response_format: Any, replies: list[Reply], *, turns: int = 2) -> list[dict[str, Any]]:
    """Return the requests of several turns of one thread; each turn has the same replies."""
    with OpenAIServer([reply for _ in range(turns) for reply in replies]) as server:
        model = ChatOpenAI(model="gpt-4o", base_url=server.base_url, api_key=SecretStr("key"), max_retries=0)
        agent = create_agent(
            model, [search, count], response_format=response_format, system_prompt="Judge.", checkpointer=InMemorySaver()
        )
        for turn in range(turns):
            result = run(agent, {"messages": [f"Did {turn} pass?"]}, {"configurable": {"thread_id": "1"}})
            assert result["structured_response"] == ScoredVerdict(passed=True)
        return [dict(request.body) for request in server.requests]


@pytest.mark.parametrize("name", ["tool", "provider"])
def test_each_request_begins_with_the_one_before_and_has_the_same_tools(run: Any, name: str) -> None:
    bodies = bodies_of(run, *SCRIPTS[name])
    assert len(bodies) == 2 * len(SCRIPTS[name][1])
    for before, after in itertools.pairwise(bodies):
        assert after["messages"][: len(before["messages"])] == before["messages"]
        assert len(after["messages"]) > len(before["messages"])
    fixed = [{key: body.get(key) for key in ("tools", "response_format", "tool_choice")} for body in bodies]
    assert {json.dumps(parts) for parts in fixed} == {json.dumps(fixed[0])}


def test_words_that_end_the_prompt_are_all_that_is_not_a_prefix(run: Any) -> None:
    def without_end(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        *rest, last = messages
        kept = last["content"].partition("When you need no further tool")[0].rstrip()
        return [*rest, {**last, "content": kept}] if kept else rest

    bodies = bodies_of(run, *SCRIPTS["prompted"])
    for before, after in itertools.pairwise(bodies):
        begun = without_end(before["messages"])
        assert without_end(after["messages"])[: len(begun)] == begun
        assert "like this one" in str(after["messages"][-1])
        assert "like this one" not in str(after["messages"][:-1])
    assert len({json.dumps(body["tools"]) for body in bodies}) == 1


def test_a_deferred_answer_adds_its_tools_in_its_final_step_alone(run: Any) -> None:
    bodies = bodies_of(run, *SCRIPTS["deferred"])
    for before, after in itertools.pairwise(bodies):
        assert after["messages"][: len(before["messages"])] == before["messages"]
    names = [[tool["function"]["name"] for tool in body["tools"]] for body in bodies]
    free, final = ["search", "count"], ["search", "count", "ScoredVerdict", "Missing"]
    assert names == [free, free, final, final] * 2


def test_the_order_of_tools_and_schemas_is_the_one_declared(run: Any) -> None:
    (body, *_) = bodies_of(run, *SCRIPTS["tool"], turns=1)
    assert [tool["function"]["name"] for tool in body["tools"]] == ["search", "count", "ScoredVerdict", "Missing"]
