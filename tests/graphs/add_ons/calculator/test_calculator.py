"""The calculator on the ten tasks of its experiment, with the offline model."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.checkpoint.memory import InMemorySaver

from answergraph import UsageLimits
from answergraph.graphs import create_calculator
from answergraph.graphs.add_ons.calculator.calculator import CALCULATOR_TOOLS, SYSTEM_PROMPT, Calculation, validate_calculation
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

TASKS = {
    "(17 × 23) + (89 ÷ 4) - 156 を計算してください。": 257.25,
    "(1024 ÷ 16) × 7 - (33 + 45) を計算してください。": 370,
    "(999 - 123) × 2 ÷ 4 + 67 を計算してください。": 505,
    "(48 + 72) × 5 - (200 ÷ 8) を計算してください。": 575,
    "(144 ÷ 12) + (35 × 6) - 89 を計算してください。": 133,
    "(500 - 123) × 3 ÷ 9 + 44 を計算してください。": 377 * 3 / 9 + 44,  # 169.666…
    "(81 ÷ 9) × (14 + 6) - 55 を計算してください。": 125,
    "(256 + 128) ÷ 4 × 3 - 100 を計算してください。": 188,
    "(77 × 11) - (324 ÷ 18) + 29 を計算してください。": 858,
    "(1000 - 450) ÷ 5 + (32 × 4) を計算してください。": 238,
}


def called(result: dict[str, Any]) -> list[str]:
    return [call["name"] for m in result["messages"] if isinstance(m, AIMessage) for call in m.tool_calls]


def answering(value: float, call_id: str = "a") -> AIMessage:
    call = {"name": "Calculation", "args": {"final_answer": value, "reasoning": "given"}, "id": call_id}
    return AIMessage("", tool_calls=[call])


def validating(actual: float, expected: float | None = None) -> AIMessage:
    args = {"expected": actual if expected is None else expected, "actual": actual, "operation": "o"}
    return AIMessage("", tool_calls=[{"name": "validate_calculation", "args": args, "id": f"v{actual}"}])


def stubborn(*first: AIMessage) -> ScriptedChatModel:
    """Return a model that first says this, then always answers 2."""
    ahead = list(first)
    return ScriptedChatModel(replies=lambda messages: ahead.pop(0) if ahead else answering(2, f"a{len(messages)}"))


@pytest.mark.parametrize(("task", "value"), TASKS.items(), ids=[f"task {n}" for n in range(1, 11)])
def test_each_task_is_answered_exactly_and_checked(run: Run, task: str, value: float) -> None:
    result = run(create_calculator(), {"messages": [task]})
    answer = result["structured_response"]
    assert isinstance(answer, Calculation)
    assert answer.final_answer == value
    assert answer.validation_result == {
        "operation": task.removesuffix(" を計算してください。"),
        "is_correct": True,
        "expected": value,
        "actual": value,
    }
    assert answer.reasoning
    assert result["outcome"]["status"] == "answered"


def test_every_field_but_the_prose_is_what_a_tool_returned(run: Run) -> None:
    fields = run(create_calculator(), {"messages": [next(iter(TASKS))]})["outcome"]["fields"]
    assert {path for path, record in fields.items() if record["status"] != "supported"} == {"reasoning"}
    assert len(fields) == 6


def test_a_validation_that_no_tool_returned_is_sent_back(run: Run) -> None:
    wrong = {"final_answer": 6, "validation_result": {"expected": 7}, "reasoning": "given"}
    lie = AIMessage("", tool_calls=[{"name": "Calculation", "args": wrong, "id": "lie"}])
    result = run(create_calculator(ScriptedChatModel(replies=[validating(6), lie, answering(6)])), {"messages": ["2 × 3"]})
    assert [attempt["status"] for attempt in result["outcome"]["attempts"]] == ["invalid", "answered"]
    assert [*result["outcome"]["attempts"][0]["fields"]] == ["validation_result['expected']"]


def test_every_operation_of_a_task_is_a_tool_call_of_its_own(run: Run) -> None:
    result = run(create_calculator(), {"messages": [next(iter(TASKS))]})
    # The answer is a call too: its validation_result is an open map, which no provider's own mode supports.
    assert called(result) == ["multiply", "divide", "add", "subtract", "validate_calculation", "Calculation"]
    assert result["outcome"]["usage"]["tool_calls"] == 5


def test_the_path_leads_through_the_tools_to_the_structured_response(run: Run) -> None:
    steps = run.stream(create_calculator(), {"messages": ["2 × 3"]}, stream_mode="updates")
    assert [node for step in steps for node in step] == ["model", "tools", "model", "tools", "model", "structured_response"]


@pytest.mark.parametrize("question", ["1 ÷ 0", "(5 + 3) / (2 - 2)", "4 × (1 ÷ 0) + 2"])
def test_a_division_by_zero_ends_without_a_value_and_says_why(run: Run, question: str) -> None:
    result = run(create_calculator(), {"messages": [question]})
    assert result["structured_response"] is None
    assert result["outcome"]["status"] == "refused"
    assert "Division by zero" in result["outcome"]["reason"]


@pytest.mark.parametrize("question", ["(3 + ", "What is the capital of France?"])
def test_what_holds_no_expression_ends_without_a_value(run: Run, question: str) -> None:
    result = run(create_calculator(), {"messages": [question]})
    assert result["structured_response"] is None
    assert result["outcome"]["status"] == "refused"
    assert result["outcome"]["usage"]["model_calls"] == 1
    assert called(result) == []


def test_the_model_is_given_the_rules_the_tools_and_the_schema(run: Run) -> None:
    model = ScriptedChatModel(replies=[validating(1), answering(1)])
    result = run(create_calculator(model), {"messages": ["1"]})
    assert result["structured_response"] == Calculation(final_answer=1, reasoning="given")
    assert model.requests[0].messages[0].text == SYSTEM_PROMPT
    assert model.requests[0].tool_names == [*(tool.name for tool in CALCULATOR_TOOLS), "Calculation"]


def test_options_reach_the_agent(run: Run) -> None:
    model = ScriptedChatModel(replies=["One."])
    result = run(create_calculator(model, response_format=None, system_prompt="Be brief."), {"messages": ["1"]})
    assert model.requests[0].messages[0].text == "Be brief."
    assert result["messages"][-1].text == "One."
    assert "outcome" not in result


@pytest.mark.parametrize(
    ("expected", "actual", "is_correct"), [(1, 1, True), (1, 1 + 9e-7, True), (1, 1 + 1.1e-6, False), (1, -1, False)]
)
def test_a_calculation_is_correct_within_the_tolerance(expected: float, actual: float, is_correct: bool) -> None:
    tool: BaseTool = validate_calculation
    assert tool.invoke({"expected": expected, "actual": actual, "operation": "o"}) == {
        "operation": "o",
        "is_correct": is_correct,
        "expected": expected,
        "actual": actual,
    }


def test_an_answer_that_was_not_validated_is_sent_back_saying_so(run: Run) -> None:
    model = ScriptedChatModel(replies=[answering(2), validating(2), answering(2, "b")])
    result = run(create_calculator(model), {"messages": ["1 + 1"]})
    assert "first call validate_calculation with your final_answer" in result["messages"][2].text
    assert (result["structured_response"].final_answer, result["outcome"]["status"]) == (2, "answered")


@pytest.mark.parametrize("validation", [validating(3), validating(2, expected=3)], ids=["of another number", "that failed"])
def test_only_a_validation_that_confirms_the_answer_counts(run: Run, validation: AIMessage) -> None:
    result = run(create_calculator(stubborn(validation)), {"messages": ["1 + 1"]})
    assert (result["structured_response"], result["outcome"]["status"]) == (None, "invalid")


@pytest.mark.parametrize(("calls", "status"), [(50, "invalid"), (1, "out_of_budget")])
def test_a_model_that_never_validates_never_answers(run: Run, calls: int, status: str) -> None:
    result = run(create_calculator(stubborn(), limits=UsageLimits(model_calls=calls)), {"messages": ["1 + 1"]})
    assert (result["structured_response"], result["outcome"]["status"]) == (None, status)


def test_a_validation_of_an_earlier_run_of_the_thread_does_not_count(run: Run) -> None:
    agent = create_calculator(stubborn(validating(2)), checkpointer=InMemorySaver())
    config: RunnableConfig = {"configurable": {"thread_id": "1"}}
    assert run(agent, {"messages": ["1 + 1"]}, config)["outcome"]["status"] == "answered"
    assert run(agent, {"messages": ["And again?"]}, config)["outcome"]["status"] == "invalid"
