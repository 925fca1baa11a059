"""The offline model against real tools: it plans, calls, fills the answer, and says what it cannot do."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from pydantic import BaseModel

from answergraph.graphs.calculator import CALCULATOR_TOOLS, Calculation, subtract
from answergraph.nodes.chat_models.offline import OfflineChatModel
from tests.nodes.chat_models.offline_run import answer_of, calculate, calls_of, converse, native_format

TASKS = [
    ("(17 × 23) + (89 ÷ 4) - 156 を計算してください。", 257.25),
    ("(1024 ÷ 16) × 7 - (33 + 45) を計算してください。", 370),
    ("(999 - 123) × 2 ÷ 4 + 67 を計算してください。", 505),
    ("(48 + 72) × 5 - (200 ÷ 8) を計算してください。", 575),
    ("(144 ÷ 12) + (35 × 6) - 89 を計算してください。", 133),
    ("(500 - 123) × 3 ÷ 9 + 44 を計算してください。", 377 * 3 / 9 + 44),
    ("(81 ÷ 9) × (14 + 6) - 55 を計算してください。", 125),
    ("(256 + 128) ÷ 4 × 3 - 100 を計算してください。", 188),
    ("(77 × 11) - (324 ÷ 18) + 29 を計算してください。", 858),
    ("(1000 - 450) ÷ 5 + (32 × 4) を計算してください。", 238),
]


@pytest.mark.parametrize(("task", "expected"), TASKS)
def test_each_seed_task_is_exact_through_the_answer_tool(task: str, expected: float) -> None:
    messages = converse(task, answer_tool=Calculation, tool_choice="any")

    answer = Calculation.model_validate(answer_of(messages))
    assert answer.final_answer == expected
    assert answer.validation_result == {
        "operation": task.removesuffix(" を計算してください。"),
        "is_correct": True,
        "expected": expected,
        "actual": expected,
    }
    assert calls_of(messages).count("validate_calculation") == 1
    assert calls_of(messages)[-2:] == ["validate_calculation", "Calculation"]


@pytest.mark.parametrize(("task", "expected"), TASKS)
def test_each_seed_task_is_exact_in_the_native_format(task: str, expected: float) -> None:
    messages = converse(task, response_format=native_format(Calculation))

    answer = Calculation.model_validate_json(messages[-1].text)
    assert answer.final_answer == expected
    assert answer.validation_result is not None
    assert calls_of(messages).count("validate_calculation") == 1


def test_the_sixth_task_has_all_its_digits() -> None:
    assert calculate(TASKS[5][0])["final_answer"] == pytest.approx(169.0 + 2 / 3, abs=1e-12)


def test_one_operation_is_called_per_step_in_the_order_of_the_expression() -> None:
    messages = converse(TASKS[0][0], answer_tool=Calculation)

    calls = [call for message in messages if isinstance(message, AIMessage) for call in message.tool_calls]
    assert [(call["name"], *call["args"].values()) for call in calls[:4]] == [
        ("multiply", 17, 23),
        ("divide", 89, 4),
        ("add", 391.0, 22.25),
        ("subtract", 413.25, 156),
    ]
    assert len({call["id"] for call in calls}) == len(calls)
    assert all(len(message.tool_calls) <= 1 for message in messages if isinstance(message, AIMessage))


def test_the_reasoning_is_made_from_the_tool_messages() -> None:
    assert calculate(TASKS[0][0])["reasoning"] == ("17 × 23 = 391; 89 ÷ 4 = 22.25; 391 + 22.25 = 413.25; 413.25 - 156 = 257.25")


def test_without_a_schema_the_result_is_said_in_a_sentence_and_nothing_is_validated() -> None:
    messages = converse(TASKS[0][0])

    assert messages[-1].text == "The result of (17 × 23) + (89 ÷ 4) - 156 is 257.25."
    assert "validate_calculation" not in calls_of(messages)


@tool("add")
def lying_add(a: float, b: float) -> float:
    """Add two numbers, wrongly."""
    return a + b + 1000


def test_an_add_that_lies_makes_the_answer_the_lie() -> None:
    tools = [lying_add, *CALCULATOR_TOOLS[1:]]

    assert calculate("3 + 4 × 2", tools=tools)["final_answer"] == 1011
    assert converse("3 + 4", tools=tools)[-1].text == "The result of 3 + 4 is 1007."


class Expression(BaseModel):
    """A random expression: its text, and its value by the same float operations, or ``None`` where it has none."""

    text: str
    value: float | None


def _joined(left: Expression, operator: str, right: Expression) -> Expression:
    text = f"({left.text}) {operator} ({right.text})"
    if left.value is None or right.value is None or (operator == "÷" and right.value == 0):
        return Expression(text=text, value=None)
    a, b = left.value, right.value
    by_operator = {"+": a + b, "-": a - b, "×": a * b, "÷": a / b if b else 0.0}
    return Expression(text=text, value=by_operator[operator])


def _negated(inner: Expression) -> Expression:
    return Expression(text=f"-({inner.text})", value=None if inner.value is None else 0 - inner.value)


numbers = st.decimals(min_value=-10_000, max_value=10_000, places=2).map(str) | st.integers(-999, 999).map(str)
leaves = numbers.map(lambda text: Expression(text=text, value=float(text)))
expressions = st.recursive(
    leaves,
    lambda inner: st.builds(_joined, inner, st.sampled_from("+-×÷"), inner) | inner.map(_negated),
    max_leaves=8,
)


@settings(deadline=None, max_examples=60)
@given(expressions)
def test_random_expressions_come_out_as_the_tools_compute_them(expression: Expression) -> None:
    messages = converse(expression.text, answer_tool=Calculation, tool_choice="any")

    if expression.value is None:
        assert "divide failed: Division by zero" in messages[-1].text
        assert "Calculation" not in calls_of(messages)
    else:
        assert answer_of(messages)["final_answer"] == expression.value
        assert calls_of(messages).count("validate_calculation") == 1


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from("+-*/"), min_size=1, max_size=8), st.data())
def test_random_chains_keep_the_usual_precedence(operators: list[str], data: st.DataObject) -> None:
    values = data.draw(st.lists(st.integers(1, 99), min_size=len(operators) + 1, max_size=len(operators) + 1))
    text = str(values[0]) + "".join(f" {operator} {value}" for operator, value in zip(operators, values[1:], strict=True))
    # Python's own precedence is the reference; the text holds nothing but digits and operators
    expected = eval(text.replace(" ", ".0 ") + ".0") if False else eval(_as_floats(text))

    assert calculate(text)["final_answer"] == expected


def _as_floats(text: str) -> str:
    return " ".join(f"{part}.0" if part.isdigit() else part for part in text.split())


@pytest.mark.parametrize(
    ("question", "unbound"),
    [("89 ÷ 4", "divide"), ("1 + 2 - 3", "subtract"), ("-(1 + 2)", "subtract")],
)
def test_an_unbound_tool_is_named_and_nothing_is_called(question: str, unbound: str) -> None:
    tools = [tool for tool in CALCULATOR_TOOLS if tool.name != unbound]

    messages = converse(question, tools=tools, answer_tool=Calculation, tool_choice="any")

    assert calls_of(messages) == []
    assert (
        messages[-1].text
        == f"I cannot work out {question}: I have no tool {unbound} for two numbers, and I compute nothing myself."
    )


def test_without_any_tool_it_says_that_it_computes_nothing() -> None:
    reply = OfflineChatModel().invoke("3 + 4")

    assert reply.text == "I cannot work out 3 + 4: I have no tool add for two numbers, and I compute nothing myself."


def test_division_by_zero_ends_in_one_sentence_and_no_half_answer() -> None:
    messages = converse("5 ÷ (3 - 3) + 1", answer_tool=Calculation, tool_choice="any")

    assert calls_of(messages) == ["subtract", "divide"]
    assert messages[-1].text == ("I cannot work out 5 ÷ (3 - 3) + 1: divide failed: Division by zero: 5.0 / 0.0 has no value.")


@pytest.mark.parametrize("returned", ["about 7", "", "nan", "inf", "1e999", '{"result": 7}', "1_000", "9" * 5000])
def test_a_tool_message_that_is_no_finite_number_ends_the_calculation(returned: str) -> None:
    @tool("add")
    def strange_add(a: float, b: float) -> str:
        """Add two numbers, strangely."""
        return returned

    messages = converse("3 + 4 + 5", tools=[strange_add], answer_tool=Calculation)

    assert calls_of(messages) == ["add"]
    assert "add returned" in messages[-1].text
    assert "no number I can read" in messages[-1].text


def test_whole_numbers_of_any_size_pass_through_unchanged() -> None:
    @tool("add")
    def exact_add(a: int, b: int) -> int:
        """Add two whole numbers."""
        return a + b

    messages = converse("9007199254740993 + 1 + 1", tools=[exact_add])

    assert messages[-1].text.endswith(" is 9007199254740995.")


def test_operand_names_are_taken_from_the_tools_schema() -> None:
    @tool("add")
    def other_add(first_term: float, second_term: float, note: str = "") -> float:
        """Add two numbers."""
        return first_term + second_term

    assert answer_of(converse("3 + 4", tools=[other_add])[:2]) == {"first_term": 3, "second_term": 4}


def test_an_add_that_demands_more_than_two_numbers_is_not_used() -> None:
    @tool("add")
    def demanding_add(a: float, b: float, unit: str) -> float:
        """Add two quantities."""
        return a + b

    assert "no tool add for two numbers" in converse("3 + 4", tools=[demanding_add])[-1].text


@pytest.mark.parametrize("question", ["Tell me a joke.", "", "素数とは何ですか。", "I am 42 years old."])
def test_what_is_no_arithmetic_is_declined_in_one_sentence_even_when_a_call_is_demanded(question: str) -> None:
    messages = converse(question, answer_tool=Calculation, tool_choice="any")

    assert calls_of(messages) == []
    assert messages[-1].text.startswith("I am a set of rules and no language model, and all I can do is")


@pytest.mark.parametrize(
    "question",
    [
        "3 +",
        "(3 + 4",
        "3 + 4)",
        "3 4 + 5",
        "2(3 + 4)",
        "3 + × 4",
        "() + 1",
        "1,5 + 2",
        "sqrt(16) + 3",
        "2^3 + 1",
        "3 + 4 and 5 + 6",
    ],
)
def test_an_expression_it_cannot_read_is_declined_with_the_reason(question: str) -> None:
    messages = converse(question, answer_tool=Calculation, tool_choice="any")

    assert calls_of(messages) == []
    assert messages[-1].text.startswith("I cannot read the arithmetic expression: ")


# ---- tool choice


@pytest.mark.parametrize("choice", ["any", "required", True, {"type": "any"}, None, "auto"])
def test_a_demanded_call_is_the_next_one_of_the_plan(choice: Any) -> None:
    assert calls_of(converse("3 + 4", answer_tool=Calculation, tool_choice=choice))[0] == "add"


def test_with_tools_forbidden_it_answers_in_text() -> None:
    messages = converse("3 + 4", answer_tool=Calculation, tool_choice="none")

    assert calls_of(messages) == []
    assert "the next step is a call of add, which is not allowed now" in messages[-1].text


def test_with_tools_forbidden_a_finished_result_is_still_said() -> None:
    finished = converse("3 + 4")[:-1]

    assert converse(finished, answer_tool=Calculation, tool_choice="none")[-1].text == "The result of 3 + 4 is 7."


def test_with_tools_forbidden_a_native_answer_is_still_given() -> None:
    finished = converse("3 + 4")[:-1]

    reply = converse(finished, tool_choice="none", response_format=native_format(Calculation))[-1]

    assert json.loads(reply.text) == {"final_answer": 7.0, "reasoning": "3 + 4 = 7"}


@pytest.mark.parametrize("choice", ["add", {"type": "function", "function": {"name": "add"}}, {"type": "tool", "name": "add"}])
def test_a_named_tool_is_called_if_it_is_the_next_step(choice: Any) -> None:
    assert calls_of(converse("3 + 4", tool_choice=choice)[:2]) == ["add"]


def test_no_other_tool_than_the_named_one_is_called() -> None:
    messages = converse("3 + 4", answer_tool=Calculation, tool_choice="Calculation")

    assert calls_of(messages) == []
    assert "the next step is a call of add" in messages[-1].text


def test_a_named_answer_tool_is_called_without_the_validation_it_forbids() -> None:
    finished = converse("3 + 4")[:-1]

    messages = converse(finished, answer_tool=Calculation, tool_choice="Calculation")

    assert answer_of(messages) == {"final_answer": 7.0, "reasoning": "3 + 4 = 7"}


def test_a_last_call_with_only_the_answer_tool_bound_is_answered_from_what_is_there() -> None:
    finished = converse("3 + 4")[:-1]

    messages = converse(finished, tools=[], answer_tool=Calculation, tool_choice="any")

    assert answer_of(messages)["final_answer"] == 7.0


# ---- answer schemas


class Value(BaseModel):
    value: float


class Whole(BaseModel):
    """Only whole numbers."""

    answer: int


class Demanding(BaseModel):
    final_answer: float
    customer: str
    mood: str = "good"


class Total(BaseModel):
    total: float
    remark: str | None = None


class StrictCalculation(BaseModel):
    """As providers in strict mode want it: everything required, what may be missing is nullable."""

    final_answer: float
    validation_result: dict[str, Any] | None
    explanation: str
    unit: str | None


class Referring(BaseModel):
    """Its validation is a model of its own, behind a reference."""

    class Validation(BaseModel):
        is_correct: bool

    result: float
    validation_result: Validation


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (Value, {"value": 3.5}),
        (Total, {"total": 3.5}),
        (
            StrictCalculation,
            {
                "final_answer": 3.5,
                "validation_result": {"operation": "7 ÷ 2", "is_correct": True, "expected": 3.5, "actual": 3.5},
                "explanation": "7 ÷ 2 = 3.5",
                "unit": None,
            },
        ),
        (
            Referring,
            {
                "result": 3.5,
                "validation_result": {"operation": "7 ÷ 2", "is_correct": True, "expected": 3.5, "actual": 3.5},
            },
        ),
    ],
)
def test_a_schema_is_filled_as_far_as_the_tools_told(schema: type[BaseModel], expected: dict[str, Any]) -> None:
    assert answer_of(converse("7 ÷ 2", answer_tool=schema, tool_choice="any")) == expected
    assert json.loads(converse("7 ÷ 2", response_format=native_format(schema))[-1].text) == expected


def test_a_required_field_without_a_source_is_named_and_the_answer_is_not_given() -> None:
    messages = converse("7 ÷ 2", answer_tool=Demanding, tool_choice="any")

    assert messages[-1].text == "I cannot fill Demanding: I have nothing for customer."


def test_a_fraction_is_not_put_into_a_whole_number_field() -> None:
    assert answer_of(converse("8 ÷ 2", answer_tool=Whole)) == {"answer": 4}
    assert converse("7 ÷ 2", answer_tool=Whole)[-1].text == "I cannot fill Whole: I have nothing for answer."


def test_a_native_format_without_a_number_is_not_filled() -> None:
    class Verdict(BaseModel):
        reasoning: str

    reply = converse("7 ÷ 2", response_format=native_format(Verdict))[-1]

    assert reply.text == "I cannot fill Verdict: I have nothing for a field for the result."


def test_of_several_answer_tools_the_first_that_can_be_filled_is_called() -> None:
    messages = converse("7 ÷ 2", tools=[*CALCULATOR_TOOLS], answer_tool=Value)[:-1]

    model = OfflineChatModel().bind_tools([*CALCULATOR_TOOLS, Demanding, Total, Value], tool_choice="any")

    assert model.invoke(messages).tool_calls[0]["name"] == "Value"


def test_a_tool_that_merely_takes_a_number_is_not_called_with_the_result() -> None:
    @tool
    def sleep(seconds: float) -> str:
        """Wait."""
        return "done"

    messages = converse("3 + 4", tools=[*CALCULATOR_TOOLS, sleep])

    assert messages[-1].text == "The result of 3 + 4 is 7."


def test_a_required_validation_that_cannot_be_had_is_named() -> None:
    messages = converse("7 ÷ 2", tools=CALCULATOR_TOOLS[:4], answer_tool=Referring, tool_choice="any")

    assert messages[-1].text == "I cannot fill Referring: I have nothing for validation_result."


def test_a_validation_that_fails_ends_the_calculation() -> None:
    messages: list[AnyMessage] = converse("7 ÷ 2", answer_tool=Calculation)[:4]
    call = messages[3]
    assert isinstance(call, AIMessage)
    messages.append(ToolMessage("out of order", tool_call_id=call.tool_calls[0]["id"] or "", status="error"))

    reply = converse(messages, answer_tool=Calculation)[-1]

    assert reply.text == "I cannot work out 7 ÷ 2: validate_calculation failed: out of order."


def test_the_format_is_found_in_the_extra_body_too() -> None:
    reply = converse("3 + 4", extra_body={"response_format": native_format(Value)})[-1]

    assert json.loads(reply.text) == {"value": 7.0}


# ---- conversations


def test_the_state_is_in_the_messages_so_that_any_prefix_goes_on_to_the_same_end() -> None:
    whole = converse(TASKS[0][0], answer_tool=Calculation)

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


def test_a_new_question_that_is_no_arithmetic_is_not_given_the_old_answer() -> None:
    first = converse("3 + 4", answer_tool=Calculation)
    second = [*first, _receipt(first, "Returning structured response"), HumanMessage("Tell me a joke.")]

    assert "no language model" in converse(second, answer_tool=Calculation)[-1].text


@pytest.mark.parametrize("second", ["5 + 6 +", "Tell me a joke."])
def test_a_new_question_in_the_native_format_is_not_given_the_old_answer(second: str) -> None:
    first = converse("3 + 4", response_format=native_format(Calculation))

    reply = converse([*first, HumanMessage(second)], response_format=native_format(Calculation))[-1]

    assert reply.text.startswith(("I am a set of rules", "I cannot read"))


def test_a_new_question_without_a_format_is_not_given_the_old_answer() -> None:
    assert "no language model" in converse([*converse("3 + 4"), HumanMessage("And a joke?")])[-1].text


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
    question = [SystemMessage("Never say 1 + 1."), HumanMessage("3 + 4"), HumanMessage("Be quick.")]

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
    for schema_arguments in ({}, {"response_format": native_format(Calculation)}):
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
    assert "no language model" in (OfflineChatModel.__doc__ or "")
