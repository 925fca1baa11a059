"""Odd replies of real servers: usage, roles, missing or repeated ids, paused turns, empty texts."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, ChatMessage, HumanMessage, ToolMessage, convert_to_openai_messages
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver

from answergraph import (
    AutoStrategy,
    DeferredStrategy,
    PromptedStrategy,
    ProviderStrategy,
    ToolStrategy,
    UsageLimits,
    create_agent,
)
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run
from tests.suite.tools import search
from tests.suite.verdicts import Verdict

QUESTION: dict[str, Any] = {"messages": ["Did it pass?"]}
GOOD = '{"passed": true}'


class Sending(ScriptedChatModel):
    """Replies with one message, unchanged."""

    sent: Any

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self.sent)])


def with_usage(usage: Any) -> AIMessage:
    message = AIMessage(GOOD)
    message.usage_metadata = usage
    return message


@pytest.mark.parametrize(
    ("usage", "total"),
    [
        ({"total_tokens": "7", "input_tokens": "3", "output_tokens": 4}, 7),
        ({"total_tokens": None, "input_tokens": [], "output_tokens": {}}, 0),
        ({"total_tokens": 7.0, "input_tokens": "many", "output_tokens": float("inf")}, 7),
        ({"total_tokens": 0, "input_tokens": 3, "output_tokens": 4}, 7),
        ({"input_tokens": 3, "output_tokens": 4}, 7),
        ({}, 0),
        ("seven", 0),
    ],
    ids=str,
)
def test_usage_of_any_type_loses_no_answer(run: Any, usage: Any, total: int) -> None:
    model = Sending(replies=[], sent=with_usage(usage))
    result = run(create_agent(model, response_format=PromptedStrategy(Verdict)), QUESTION)
    assert result["structured_response"] == Verdict(passed=True)
    assert result["outcome"]["usage"]["total_tokens"] == total


@pytest.mark.parametrize("sent", [HumanMessage(GOOD), ChatMessage(content=GOOD, role="wizard")], ids=["user", "wizard"])
def test_a_reply_is_the_models_whatever_its_role(run: Any, sent: Any) -> None:
    result = run(create_agent(Sending(replies=[], sent=sent), response_format=PromptedStrategy(Verdict)), QUESTION)
    assert result["structured_response"] == Verdict(passed=True)
    assert [message.type for message in result["messages"]] == ["human", "ai"]


@pytest.mark.parametrize("id_", ["same", None, ""])
def test_each_call_gets_a_result_of_its_own(run: Any, id_: Any) -> None:
    calls = [{"name": "search", "args": {"query": each}, "id": id_, "type": "tool_call"} for each in ("a", "b")]
    model = ScriptedChatModel(replies=[AIMessage("", tool_calls=calls), GOOD])
    result = run(create_agent(model, [search], response_format=PromptedStrategy(Verdict)), QUESTION)
    _, asked, *results, _ = result["messages"]
    assert [message.tool_call_id for message in results] == [call["id"] for call in asked.tool_calls]
    assert [message.text for message in results] == ["found a", "found b"]


PAUSED = AIMessage("Searching the web.", response_metadata={"stop_reason": "pause_turn"})


@pytest.mark.parametrize("strategy", [PromptedStrategy(Verdict), DeferredStrategy(PromptedStrategy(Verdict))])
def test_a_paused_turn_is_sent_back_unchanged_and_is_not_an_attempt(run: Any, strategy: Any) -> None:
    model = ScriptedChatModel(replies=[PAUSED, PAUSED, GOOD])
    result = run(create_agent(model, response_format=strategy), QUESTION)
    assert (result["outcome"]["status"], len(result["outcome"]["attempts"])) == ("answered", 1)
    assert [message.type for message in model.requests[2].messages] == ["human", "ai", "ai"]
    assert model.requests[2].messages[-1].text == PAUSED.text


def test_a_turn_that_is_paused_in_the_last_call_is_not_an_answer(run: Any) -> None:
    paused = AIMessage(GOOD, response_metadata={"stop_reason": "pause_turn"})
    agent = create_agent(
        ScriptedChatModel(replies=[paused]), response_format=PromptedStrategy(Verdict), limits=UsageLimits(model_calls=1)
    )
    result = run(agent, QUESTION)
    assert (result["structured_response"], result["outcome"]["status"]) == (None, "out_of_budget")


@pytest.mark.parametrize(
    "content",
    ["", " \n", [], [{"type": "text", "text": ""}], [{"type": "thinking", "thinking": "Hm.", "signature": "s"}]],
    ids=str,
)
def test_a_reply_without_words_is_not_sent_back_without_words(run: Any, content: Any) -> None:
    model = ScriptedChatModel(replies=[AIMessage(content), GOOD])
    result = run(create_agent(model, response_format=PromptedStrategy(Verdict)), QUESTION)
    assert result["structured_response"] == Verdict(passed=True)
    assert model.requests[1].messages[1].text.strip()
    assert result["messages"][1].content == content


def test_calls_of_a_final_step_are_answered_and_not_run(run: Any) -> None:
    call = {"name": "search", "args": {"query": "x"}, "id": "1", "type": "tool_call"}
    answer = {"name": "Verdict", "args": {"passed": True}, "id": "2", "type": "tool_call"}
    model = ScriptedChatModel(replies=["Done.", AIMessage("", tool_calls=[call]), AIMessage("", tool_calls=[answer])])
    result = run(create_agent(model, [search], response_format=DeferredStrategy(ToolStrategy(Verdict))), QUESTION)
    assert result["structured_response"] == Verdict(passed=True)
    assert result["outcome"]["usage"]["tool_calls"] == 0
    assert any("not available any more" in message.text for message in result["messages"])


@pytest.mark.parametrize("strategy", [ToolStrategy, ProviderStrategy, PromptedStrategy, AutoStrategy])
def test_a_reply_of_10000_brackets_ends_in_an_outcome(run: Any, strategy: Any) -> None:
    text = "[" * 10_000 + "]" * 10_000
    agent = create_agent(ScriptedChatModel(replies=[text] * 4), response_format=strategy(Verdict))
    assert run(agent, QUESTION)["outcome"]["status"] in {"unanswered", "invalid"}


DEEP: Any = 1
for _ in range(129):
    DEEP = [DEEP]


def a_call(value: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": "search", "args": {"query": value}, "id": "1"}])


@pytest.mark.parametrize(
    "sent",
    [
        *(a_call(value) for value in (DEEP, 2**64, -(2**63) - 1, "\ud800", {"\ud800": 1}, object())),
        with_usage({"total_tokens": 2**70, "input_tokens": 1, "output_tokens": 1}),
        AIMessage("\ud800", additional_kwargs={"deep": DEEP}, response_metadata={"odd": object(), "a": ["\udc00"]}),
    ],
    ids=["deep", "long", "below", "surrogate", "surrogate key", "object", "usage", "elsewhere"],
)
def test_parts_of_a_reply_that_cannot_be_stored_are_removed_and_the_thread_continues(run: Any, sent: AIMessage) -> None:
    model = ScriptedChatModel(replies=[sent, GOOD, GOOD])
    agent = create_agent(model, [search], response_format=PromptedStrategy(Verdict), checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "1"}}
    for _ in range(2):
        assert run(agent, QUESTION, thread)["structured_response"] == Verdict(passed=True)
    sent_back = convert_to_openai_messages(model.requests[-1].messages)
    json.dumps(sent_back, ensure_ascii=False).encode()


def test_values_at_the_limit_are_kept_as_they_are(run: Any) -> None:
    args = {"query": "ä\U0001f600", "more": [DEEP[0][0][0], 2**64 - 1, -(2**63), 1.5, True, None]}
    call = {"name": "search", "args": args, "id": "1", "type": "tool_call"}
    model = ScriptedChatModel(replies=[AIMessage("", tool_calls=[call]), GOOD])
    agent = create_agent(model, [search], response_format=PromptedStrategy(Verdict), checkpointer=InMemorySaver())
    result = run(agent, QUESTION, {"configurable": {"thread_id": "1"}})
    assert result["messages"][1].tool_calls == [call]


def test_a_number_that_the_client_cannot_read_is_a_failed_attempt(run: Any) -> None:
    with pytest.raises(ValueError, match="limit") as caught:
        json.loads("9" * 5_000)
    agent = create_agent(ScriptedChatModel(replies=[caught.value, GOOD]), response_format=PromptedStrategy(Verdict))
    assert run(agent, QUESTION)["structured_response"] == Verdict(passed=True)


@pytest.mark.parametrize("args", [["Oslo"], "Oslo", None, 5])
@pytest.mark.parametrize("response_format", [Verdict, ToolStrategy(Verdict), None])
def test_a_call_whose_arguments_are_no_object_is_malformed_and_is_not_carried_out(
    run: Run, response_format: Any, args: Any
) -> None:
    broken = {"name": "search", "args": args, "id": "1", "type": "tool_call"}
    odd = AIMessage("").model_copy(update={"tool_calls": [broken]})  # a client of one's own may not check what it makes
    result = run(create_agent(ScriptedChatModel(replies=[odd, GOOD, GOOD]), [search], response_format=response_format), QUESTION)
    assert ["malformed" in each.text for each in result["messages"] if isinstance(each, ToolMessage)][:1] == [True]
    assert (result["messages"][-1].text == GOOD) if response_format is None else result["outcome"]["status"] == "answered"
