"""The offline model with real tools: it plans, calls, fills the answer, and says what it cannot do."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from pydantic import BaseModel

from answergraph.graphs.add_ons.calculator.calculator import CALCULATOR_TOOLS, Calculation
from answergraph.offline.offline_model import OfflineChatModel
from tests.answergraph.offline.offline_run import answer_of, calculate, calls_of, converse, native_format

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
def test_a_tool_message_that_is_not_a_finite_number_ends_the_calculation(returned: str) -> None:
    @tool("add")
    def strange_add(a: float, b: float) -> str:
        """Add two numbers, strangely."""
        return returned

    messages = converse("3 + 4 + 5", tools=[strange_add], answer_tool=Calculation)

    assert calls_of(messages) == ["add"]
    assert "add returned" in messages[-1].text
    assert "cannot read as a number" in messages[-1].text


def test_a_sum_as_long_as_may_be_is_not_nested() -> None:
    reply = OfflineChatModel().bind_tools(CALCULATOR_TOOLS).invoke("+".join(["1"] * 1_000))
    assert [call["name"] for call in reply.tool_calls] == ["add"]


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
def test_anything_but_arithmetic_is_declined_in_one_sentence_even_if_a_call_is_forced(question: str) -> None:
    messages = converse(question, answer_tool=Calculation, tool_choice="any")

    assert calls_of(messages) == []
    assert messages[-1].text.startswith("I am a set of rules, not a language model, and all I can do is")


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
