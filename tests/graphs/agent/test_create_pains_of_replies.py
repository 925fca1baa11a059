"""Users' complaints about other agents, turned into requirements: replies, histories, costs."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphRecursionError
from pydantic import BaseModel, Field

from answergraph import DeferredStrategy, PromptedStrategy, ProviderStrategy, ToolStrategy, UsageLimits
from tests.graphs.agent.scripted_agents import (
    QUESTION,
    Missing,
    Verdict,
    agent_of,
    bad,
    call,
    calls,
    every_call_is_answered,
    good,
)

ANSWER = '{"passed": true, "score": 7}'
SEARCH = call("search", {"query": "x"}, "s")
THREAD: dict[str, Any] = {"configurable": {"thread_id": "1"}}


def cut(*tool_calls: Any) -> AIMessage:
    return AIMessage("", tool_calls=list(tool_calls), response_metadata={"finish_reason": "length"})


def malformed(name: str, args: str) -> AIMessage:
    broken = {"name": name, "args": args, "id": "m", "error": None, "type": "invalid_tool_call"}
    return AIMessage("", invalid_tool_calls=[broken])


# Refusals, cut and empty replies


def test_a_cut_reply_is_not_asked_for_again_unchanged(run: Any) -> None:
    cut = AIMessage('{"passed": tr', response_metadata={"finish_reason": "length"})
    agent, model = agent_of(cut, good("a"))
    assert run(agent, QUESTION)["outcome"]["status"] == "answered"
    assert "Be brief" in model.requests[1].messages[-1].text


HOW_CUT = {"length": "was cut at the token limit", "error": "was broken off by the provider (error)"}


@pytest.mark.parametrize("format", [ToolStrategy(Verdict), PromptedStrategy(Verdict)], ids=["tool", "prompted"])
@pytest.mark.parametrize("stop", HOW_CUT)
def test_the_model_is_told_how_its_reply_ended(run: Any, format: Any, stop: str) -> None:
    metadata = {"finish_reason": stop}
    texts = agent_of(*[AIMessage("I th", response_metadata=metadata) for _ in range(2)], response_format=format)
    tools = agent_of(AIMessage("", tool_calls=[SEARCH], response_metadata=metadata), good("a"), AIMessage(ANSWER))
    ended = run(texts[0], QUESTION)["outcome"]
    run(tools[0], QUESTION)
    assert texts[1].requests[1].messages[-1].text.startswith(f"Your reply {HOW_CUT[stop]}. Be brief. ")
    assert f"not carried out - your reply {HOW_CUT[stop]}, so" in tools[1].requests[1].messages[-1].text
    assert [ended["reason"], *(each["error"] for each in ended["attempts"])] == [f"The reply {HOW_CUT[stop]}."] * 3


def test_what_a_providers_filter_stopped_is_no_refusal_of_the_model(run: Any) -> None:
    agent, _ = agent_of(AIMessage("I think", response_metadata={"finish_reason": "content_filter"}))
    outcome = run(agent, QUESTION)["outcome"]
    assert (outcome["status"], outcome["reason"]) == ("refused", "The provider's filter stopped the reply: content_filter.")


def test_after_a_cut_a_model_held_to_the_schema_is_shown_an_example_without_patterns(run: Any) -> None:
    class Contact(BaseModel):
        email: str = Field(pattern="^.+@.+$", description="Where to write")

    broken = AIMessage('{"email": "ada@', response_metadata={"finish_reason": "length"})
    held = agent_of(broken, AIMessage('{"email": "a@b"}'), response_format=ProviderStrategy(Contact), tools=())
    in_words = agent_of(broken, AIMessage('{"email": "a@b"}'), response_format=PromptedStrategy(Contact), tools=())
    assert [run(agent, QUESTION)["structured_response"] for agent, _ in (held, in_words)] == [Contact(email="a@b")] * 2
    assert held[1].requests[1].messages[-1].text == 'Be brief. Like this: {"email": "<string, Where to write>"}'
    assert "matching ^.+@.+$" in in_words[1].requests[1].messages[-1].text


def test_a_model_that_only_reasons_is_nudged_once_and_then_ends_empty(run: Any) -> None:
    thinking = AIMessage([{"type": "reasoning", "reasoning": "Hm."}])
    agent, model = agent_of(thinking, thinking.model_copy())
    assert run(agent, QUESTION)["outcome"]["status"] == "empty"
    assert len(model.requests) == 2


def test_a_reply_is_cut_twice_at_most_whatever_comes_between(run: Any) -> None:
    cut = AIMessage('{"passed": tr', response_metadata={"finish_reason": "length"})
    agent, model = agent_of(cut, bad(0), cut.model_copy(), good("a"))
    assert run(agent, QUESTION)["outcome"]["status"] == "truncated"
    assert len(model.requests) == 3


def test_a_tool_call_in_a_cut_reply_is_not_carried_out_and_is_asked_for_again(run: Any) -> None:
    agent, model = agent_of(cut(SEARCH), calls({**SEARCH, "id": "t"}), good("a"))
    result = run(agent, QUESTION)
    first, second = [message for message in result["messages"] if message.type == "tool"][:2]
    assert (first.status, first.tool_call_id, second.text) == ("error", "s", "found x")
    assert "was not carried out - your reply was cut at the token limit" in first.text
    assert [message.type for message in model.requests[1].messages] == ["human", "ai", "tool"]
    assert (result["outcome"]["status"], result["outcome"]["usage"]["tool_calls"]) == ("answered", 1)


@pytest.mark.parametrize("format", [ToolStrategy(Verdict), PromptedStrategy(Verdict)], ids=["tool", "prompted"])
def test_a_tool_call_that_is_cut_twice_ends_the_run(run: Any, format: Any) -> None:
    agent, _ = agent_of(cut(SEARCH), cut({**SEARCH, "id": "t"}), response_format=format)
    result = run(agent, QUESTION)
    assert (result["outcome"]["status"], result["outcome"]["usage"]["tool_calls"]) == ("truncated", 0)
    assert every_call_is_answered(result["messages"])


def test_a_free_loop_whose_tool_call_is_cut_twice_goes_on_to_the_final_step(run: Any) -> None:
    agent, model = agent_of(
        cut(SEARCH), cut({**SEARCH, "id": "t"}), good("a"), response_format=DeferredStrategy(ToolStrategy(Verdict))
    )
    assert run(agent, QUESTION)["outcome"]["status"] == "answered"
    assert [request.tool_names for request in model.requests] == [["search"], ["search"], ["search", "Verdict"]]


def test_a_refusal_beside_a_tool_call_is_a_refusal(run: Any) -> None:
    refusal = AIMessage("", tool_calls=[SEARCH], response_metadata={"stop_reason": "refusal"})
    agent, model = agent_of(refusal, *(refusal.model_copy() for _ in range(3)), limits=UsageLimits(model_calls=4))
    result = run(agent, QUESTION)
    assert result["outcome"]["status"] == "refused"
    assert len(model.requests) == 1
    assert every_call_is_answered(result["messages"])


# History, cache, cost


def test_tools_keep_their_names_and_their_order_from_call_to_call_and_from_run_to_run(run: Any) -> None:
    untitled = {"type": "object", "properties": {"passed": {"type": "boolean"}}, "required": ["passed"]}

    def names() -> list[list[str]]:
        agent, model = agent_of(calls(SEARCH), '{"passed": true}', response_format=ToolStrategy(untitled))
        run(agent, QUESTION)
        return [request.tool_names for request in model.requests]

    first = names()
    assert len(first) == 2
    assert first[0] == first[1]
    assert names() == first


def test_the_next_turn_of_a_thread_begins_with_every_call_answered(run: Any) -> None:
    agent, model = agent_of(good("a"), good("b"), checkpointer=InMemorySaver())
    run(agent, QUESTION, THREAD)
    run(agent, {"messages": ["And now?"]}, THREAD)
    assert [m.type for m in model.requests[1].messages] == ["human", "ai", "tool", "human"]
    assert every_call_is_answered(model.requests[1].messages)


def test_the_receipt_of_an_answer_can_be_short(run: Any) -> None:
    agent, _ = agent_of(good("a"), response_format=ToolStrategy(Verdict, tool_message_content="Noted."))
    assert run(agent, QUESTION)["messages"][-1].text == "Noted."


def test_the_blocks_of_a_system_message_reach_the_model_unchanged(run: Any) -> None:
    blocks: list[Any] = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
    agent, model = agent_of(good("a"), system_prompt=SystemMessage(blocks))
    run(agent, QUESTION)
    assert model.requests[0].messages[0].content == blocks


def test_the_end_of_the_prompt_joins_a_users_message_of_blocks(run: Any) -> None:
    question = HumanMessage([{"type": "text", "text": "Did it pass?"}])
    agent, model = agent_of(ANSWER, response_format=PromptedStrategy(Verdict))
    run(agent, {"messages": [question]})
    assert [m.type for m in model.requests[0].messages] == ["human"]


def test_a_thread_that_was_stopped_after_a_correction_goes_on_without_two_user_messages_in_a_row(run: Any) -> None:
    agent, model = agent_of("It passed.", good("a"), checkpointer=InMemorySaver())
    with pytest.raises(GraphRecursionError):
        run(agent, QUESTION, {**THREAD, "recursion_limit": 2})
    run(agent, {"messages": ["And now?"]}, THREAD)
    assert [m.type for m in model.requests[1].messages] in (["human", "ai", "human"], ["human", "ai", "human", "ai", "human"])


@pytest.mark.parametrize(
    "format", [list[Missing], {"title": "Facts", "type": "array", "items": {"type": "string"}}], ids=["type", "schema"]
)
def test_a_correction_of_a_long_answer_stays_short(run: Any, format: Any) -> None:
    answers = [AIMessage("[" + ", ".join(["1"] * 20_000) + "]"), AIMessage(json.dumps("x" * 100_000))]
    agent, _ = agent_of(*answers, response_format=PromptedStrategy(format), limits=UsageLimits(answer_attempts=2))
    result = run(agent, QUESTION)
    assert [attempt["status"] for attempt in result["outcome"]["attempts"]] == ["invalid", "invalid"]
    assert all(len(message.text) < 6_000 for message in result["messages"] if isinstance(message, HumanMessage))
    assert len(json.dumps(result["outcome"])) < 20_000


def test_a_malformed_answer_beside_a_tool_is_answered_as_an_error(run: Any) -> None:
    malformed = AIMessage("", tool_calls=[SEARCH], invalid_tool_calls=[{**call("Verdict", {}, "a"), "args": "{", "error": None}])
    agent, model = agent_of(malformed, good("b"))
    assert run(agent, QUESTION)["structured_response"] == Verdict(passed=True, score=7)
    told = {m.tool_call_id: m.status for m in model.requests[-1].messages if isinstance(m, ToolMessage)}
    assert told == {"a": "error", "s": "success"}


@pytest.mark.parametrize("field", ["tool_calls", "invalid_tool_calls"])
def test_a_call_with_an_empty_id_in_the_history_is_answered(run: Any, field: str) -> None:
    waiting: Any = {**call("search", {}, ""), **({} if field == "tool_calls" else {"args": "{", "error": None})}
    agent, model = agent_of(good("v"))
    run(agent, {"messages": [HumanMessage("Go."), AIMessage("", **{field: [waiting]}), HumanMessage("And?")]})
    _, asking, result, _ = model.requests[0].messages
    # Servers refuse a call without an id.
    assert isinstance(asking, AIMessage)
    assert isinstance(result, ToolMessage)
    assert [call["id"] for call in asking.tool_calls] == [result.tool_call_id] != [""]
