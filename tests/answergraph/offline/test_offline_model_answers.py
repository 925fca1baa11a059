"""The offline model with tool choices and answer schemas."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.tools import tool
from pydantic import BaseModel

from answergraph.graphs.add_ons.calculator.calculator import CALCULATOR_TOOLS, Calculation
from answergraph.offline.offline_model import OfflineChatModel
from tests.answergraph.offline.offline_run import answer_of, calls_of, converse, native_format

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
def test_a_schema_is_filled_as_far_as_the_tools_returned_values(schema: type[BaseModel], expected: dict[str, Any]) -> None:
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
