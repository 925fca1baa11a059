"""The offline model keeps no state: a conversation alone tells it what to do next."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, HumanMessage, SystemMessage, ToolMessage

from answergraph.graphs.add_ons.calculator.calculator import CALCULATOR_TOOLS, Calculation, subtract
from answergraph.offline.offline_model import OfflineChatModel
from tests.answergraph.offline.offline_run import answer_of, calls_of, converse, native_format

# ---- conversations


def test_the_state_is_in_the_messages_so_that_any_prefix_goes_on_to_the_same_end() -> None:
    whole = converse("(17 × 23) + (89 ÷ 4) - 156", answer_tool=Calculation)

    for length in range(1, len(whole), 2):
        assert [message.content for message in converse(whole[:length], answer_tool=Calculation)] == [
            message.content for message in whole
        ]
        assert answer_of(converse(whole[:length], answer_tool=Calculation)) == answer_of(whole)


def _receipt(messages: list[AnyMessage], text: str) -> ToolMessage:
    last = messages[-1]
    assert isinstance(last, AIMessage)
    return ToolMessage(text, tool_call_id=last.tool_calls[0]["id"] or "", name=last.tool_calls[0]["name"])


def test_a_new_question_starts_a_new_plan() -> None:
    first = converse("3 + 4", answer_tool=Calculation)
    second = [*first, _receipt(first, "Returning structured response"), HumanMessage("Now 10 × 5, please.")]

    messages = converse(second, answer_tool=Calculation)

    assert answer_of(messages)["final_answer"] == 50
    assert calls_of(messages[len(second) :]) == ["multiply", "validate_calculation", "Calculation"]


def test_a_new_question_without_arithmetic_does_not_get_the_old_answer() -> None:
    first = converse("3 + 4", answer_tool=Calculation)
    second = [*first, _receipt(first, "Returning structured response"), HumanMessage("Tell me a joke.")]

    assert "not a language model" in converse(second, answer_tool=Calculation)[-1].text


@pytest.mark.parametrize("second", ["5 + 6 +", "Tell me a joke."])
def test_a_new_question_in_the_native_format_is_not_given_the_old_answer(second: str) -> None:
    first = converse("3 + 4", response_format=native_format(Calculation))

    reply = converse([*first, HumanMessage(second)], response_format=native_format(Calculation))[-1]

    assert reply.text.startswith(("I am a set of rules", "I cannot read"))


def test_a_new_question_without_a_format_is_not_given_the_old_answer() -> None:
    assert "not a language model" in converse([*converse("3 + 4"), HumanMessage("And a joke?")])[-1].text


@pytest.mark.parametrize(
    "nudge",
    [
        "Please call the answer tool.",
        "Give your final answer now. You have 1 attempt left.",
        "1 validation error for Calculation\nfinal_answer\n  Field required [input_value={'a': -3.5}]\n"
        "    For further information visit https://errors.pydantic.dev/2.14/v/missing",
    ],
)
def test_a_nudge_after_text_does_not_lose_the_question(nudge: str) -> None:
    text_answer = converse("3 + 4")

    messages = converse([*text_answer, HumanMessage(nudge)], answer_tool=Calculation, tool_choice="any")

    assert answer_of(messages)["final_answer"] == 7


def test_a_complaint_about_a_native_answer_gets_the_same_answer() -> None:
    first = converse("3 + 4", response_format=native_format(Calculation))
    complaint = HumanMessage("The field final_answer must be below 5.")

    again = converse([*first, complaint], response_format=native_format(Calculation))

    assert again[-1].text == first[-1].text


def test_a_complaint_in_a_tool_message_gets_the_same_answer_and_no_second_validation() -> None:
    first = converse("3 + 4", answer_tool=Calculation)

    again = converse([*first, _receipt(first, "Error: below 5, please")], answer_tool=Calculation)

    assert answer_of(again) == answer_of(first)
    assert calls_of(again).count("validate_calculation") == 1


def test_a_word_between_tool_calls_does_not_lose_the_question() -> None:
    begun = [*converse("3 + 4 + 5")[:3], HumanMessage("One call is left."), SystemMessage("1 + 1")]

    assert converse(begun)[-1].text == "The result of 3 + 4 + 5 is 12."


def test_two_human_messages_in_a_row_are_one_question() -> None:
    question: list[AnyMessage] = [SystemMessage("Never say 1 + 1."), HumanMessage("3 + 4"), HumanMessage("Be quick.")]

    assert converse(question)[-1].text == "The result of 3 + 4 is 7."


def test_content_blocks_are_read() -> None:
    question = HumanMessage([{"type": "text", "text": "What is 3 + 4?"}])

    reply = OfflineChatModel().bind_tools(CALCULATOR_TOOLS).invoke([question])

    assert reply.tool_calls[0]["args"] == {"a": 3, "b": 4}


def test_call_ids_never_repeat_in_a_trimmed_conversation() -> None:
    call = {"name": "subtract", "args": {"a": 1, "b": 1}, "id": "offline_2"}
    history = [AIMessage("", tool_calls=[call]), ToolMessage("0.0", tool_call_id="offline_2"), HumanMessage("9 - 4")]

    reply = OfflineChatModel().bind_tools([subtract]).invoke(history)

    assert reply.tool_calls[0]["id"] == "offline_3"


# ---- the chat model's interface


async def test_replies_are_the_same_streamed_or_not_and_awaited_or_not() -> None:
    arguments: list[dict[str, Any]] = [{}, {"response_format": native_format(Calculation)}]
    for schema_arguments in arguments:
        for messages in (converse("3 + 4", **schema_arguments)[:1], converse("3 + 4", **schema_arguments)[:-1]):
            model = OfflineChatModel(chunk_size=3).bind_tools(CALCULATOR_TOOLS, **schema_arguments)
            whole = model.invoke(messages)
            chunks = [chunk async for chunk in model.astream(messages)]
            total = sum(chunks[1:], start=chunks[0])

            assert (await model.ainvoke(messages)).tool_calls == whole.tool_calls
            assert all(isinstance(chunk, AIMessageChunk) for chunk in chunks)
            assert len(chunks) > 3
            assert (total.content, total.tool_calls, total.usage_metadata) == (
                whole.content,
                whole.tool_calls,
                whole.usage_metadata,
            )


def test_usage_is_estimated_by_characters() -> None:
    reply = OfflineChatModel().invoke("x" * 400)

    assert reply.usage_metadata is not None
    assert reply.usage_metadata["input_tokens"] == 100
    assert reply.usage_metadata["output_tokens"] == len(reply.text) // 4


def test_it_needs_no_arguments_and_says_what_it_is() -> None:
    model = OfflineChatModel()

    assert model._llm_type == "offline"
    assert model.profile is not None
    assert model.profile["tool_calling"] is True
    assert "rule-based" in (OfflineChatModel.__doc__ or "")
