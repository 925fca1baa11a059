"""Measurements of finished runs; a run whose strategy is not that of its setting does not count."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from answergraph import FallbackStrategy, PromptedStrategy, ProviderStrategy, ToolStrategy
from answergraph.experiment.measurement import Measurement, WrongStrategyError, measure
from answergraph.experiment.seed_experiment import TASKS, SchemaWithValidation
from answergraph.experiment.settings import SETTINGS, Setting
from answergraph.testing import ScriptedChatModel

NAMED = {setting.name: setting for setting in SETTINGS}
TASK = TASKS[0]
ANSWER = {"final_answer": TASK.value, "reasoning": "r"}
VALIDATED = ("validate_calculation", {"expected": TASK.value, "actual": TASK.value, "operation": "o"})


def calling(*calls: tuple[str, dict[str, Any]]) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"{name}{args}"} for name, args in calls])


def measured(setting: str | Setting, *replies: Any) -> Measurement:
    chosen = NAMED[setting] if isinstance(setting, str) else setting
    agent = chosen.agent(ScriptedChatModel(replies=list(replies)))
    return measure(chosen, TASK, agent.invoke({"messages": [("user", TASK.question)]}))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (json.dumps(ANSWER), 257.25),
        (f"The answer is:\n```json\n{json.dumps(ANSWER)}\n```", 257.25),
        (f"It is {json.dumps(ANSWER)}.", 257.25),
        (f"{json.dumps(ANSWER)} and {json.dumps(ANSWER)}", 257.25),
        (f'{json.dumps(ANSWER)} or {{"final_answer": 1}}', None),
        ('{"final_answer": "257.25"}', None),
        ('{"final_answer": true}', None),
        ('{"final_answer": null}', None),
        ("257.25", None),
        ("[257.25]", None),
        ("", None),
    ],
)
def test_without_a_format_the_answer_is_the_json_that_the_prompt_asks_for(text: str, answer: float | None) -> None:
    run = measured("no_format", text)
    assert (run.answer, run.correct) == (answer, answer is not None)
    assert run.status == ("unanswered" if answer is None else "answered")


@pytest.mark.parametrize(
    ("value", "correct"), [(257.25, True), (257.254, True), (257.246, True), (257.256, False), (257, False), (-257.25, False)]
)
def test_an_answer_is_correct_to_two_decimals(value: float, correct: bool) -> None:
    assert measured("tool_no_field", calling(("CalculationResult", {**ANSWER, "final_answer": value}))).correct is correct


@pytest.mark.parametrize(
    ("calls", "given", "evidence"),
    [
        ([VALIDATED], {"operation": "o", "is_correct": True}, "grounded"),
        ([VALIDATED], {"is_correct": True}, "grounded"),
        ([VALIDATED], {"is_correct": False}, "invented"),
        ([VALIDATED], {"operation": "o", "is_correct": True, "checked_by": "me"}, "invented"),
        ([VALIDATED], None, "none"),
        ([VALIDATED], {}, "none"),
        ([], {"is_correct": True}, "invented"),
        ([("add", {"a": 1, "b": 2})], {"is_correct": True}, "invented"),
    ],
)
def test_evidence_is_grounded_where_the_tool_of_this_run_said_so(calls: Sequence[Any], given: Any, evidence: str) -> None:
    answer = calling(("SchemaWithValidation", {**ANSWER, "validation_result": given}))
    assert measured("tool_strategy", *([calling(*calls)] if calls else []), answer).evidence == evidence


def test_a_verdict_written_in_words_counts_as_evidence_without_a_format() -> None:
    assert (
        measured("no_format_named", calling(VALIDATED), json.dumps({**ANSWER, "validation_result": True})).evidence == "grounded"
    )
    assert measured("no_format_named", json.dumps({**ANSWER, "validation_result": True})).evidence == "invented"


@pytest.mark.parametrize(
    ("calls", "grounded", "validated"),
    [
        ([], False, False),
        ([VALIDATED], False, True),  # a validation repeats the model's own number: that grounds nothing
        ([("add", {"a": 257, "b": 0.25})], True, False),
        ([("add", {"a": 257, "b": 0.253})], True, False),  # rounded to two decimals
        ([("add", {"a": 257, "b": 0.5}), ("subtract", {"a": 257.5, "b": 0.25})], True, False),
        ([("validate_calculation", {"expected": 1, "actual": TASK.value, "operation": "o"})], False, False),
        ([("validate_calculation", {"expected": 1, "actual": 1, "operation": "o"})], False, False),
    ],
)
def test_an_answer_is_grounded_by_arithmetic_and_validated_by_a_validation(
    calls: Sequence[Any], grounded: bool, validated: bool
) -> None:
    run = measured("no_format", *([calling(*calls)] if calls else []), json.dumps(ANSWER))
    assert (run.grounded, run.validated) == (grounded, validated)


def test_only_calls_with_a_result_are_counted() -> None:
    replies = [
        calling(("add", {"a": 1, "b": 2}), ("add", {"a": 3, "b": 4})),
        calling(("divide", {"a": 1, "b": 0})),
        calling(("add", {"a": "no number", "b": 4})),
        calling(("nope", {})),
    ]
    run = measured("no_format", *replies, "I give up.")
    assert (run.calls, run.rounds, run.model_calls) == ({"add": 2}, 1, 5)


def test_a_run_asked_otherwise_is_an_error_and_no_figure() -> None:
    strategy = FallbackStrategy([ToolStrategy(SchemaWithValidation), PromptedStrategy(SchemaWithValidation)])
    setting = Setting("tool_strategy", "steps down", response_format=strategy, strategies=frozenset({"tool"}))
    with pytest.raises(WrongStrategyError, match="asked for by prompted, not by tool"):
        measured(setting, "It is 257.25.", json.dumps(ANSWER))
    assert measured(setting, calling(("SchemaWithValidation", ANSWER))).correct


def test_a_run_without_an_outcome_does_not_count_for_a_setting_with_a_format() -> None:
    with pytest.raises(WrongStrategyError, match="asked for by nothing, not by tool"):
        measure(NAMED["tool_strategy"], TASK, {"messages": [HumanMessage("?"), AIMessage("It is 257.25.")]})


def test_a_run_with_a_strategy_does_not_count_for_a_setting_without_a_format() -> None:
    agent = NAMED["tool_no_field"].agent(ScriptedChatModel(replies=[calling(("CalculationResult", ANSWER))]))
    state = agent.invoke({"messages": [("user", TASK.question)]})
    with pytest.raises(WrongStrategyError, match="asked for by tool, not by the prompt alone"):
        measure(NAMED["no_format"], TASK, state)


def test_a_conversation_that_ends_in_a_tool_result_holds_no_answer() -> None:
    called = calling(("add", {"a": 1, "b": 2}))
    messages = [HumanMessage("?"), called, ToolMessage("3.0", tool_call_id=called.tool_calls[0]["id"] or "", name="add")]
    assert measure(NAMED["no_format"], TASK, {"messages": messages}).answer is None


def test_what_was_different_in_how_it_was_asked_is_noted() -> None:
    strategy = ProviderStrategy(SchemaWithValidation)
    setting = Setting("provider_strategy", "strict where it can be", response_format=strategy, strategies=frozenset({"provider"}))
    state = setting.agent("offline").invoke({"messages": [("user", TASK.question)]})
    (note,) = measure(setting, TASK, state).notes
    assert "cannot be enforced strictly" in note
    assert measured("provider_strategy", json.dumps(ANSWER)).notes == []
