"""Measures a finished run, and checks that the model was asked as the setting requires."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.messages import AIMessage, AnyMessage

from answergraph import AnswerGraphError, Outcome, check_evidence
from answergraph.evidence import FromTools, ToolRun
from answergraph.experiment.seed_experiment import ARITHMETIC_TOOLS, HALF_A_HUNDREDTH, Task, validate_calculation
from answergraph.experiment.settings import Setting, confirms
from answergraph.kit import find_json, tool_runs

Evidence = Literal["none", "grounded", "invented"]
"""Whether ``validation_result`` is missing, a result of the tool in this run, or something else."""

_ARITHMETIC = frozenset(tool.name for tool in ARITHMETIC_TOOLS)


class WrongStrategyError(AnswerGraphError):
    """The answer was requested in another way than the setting requires, so the run does not count."""


@dataclass(frozen=True)
class Measurement:
    """The figures of one run, in plain JSON."""

    status: str
    """How the run ended; without a response format ``"answered"`` or ``"unanswered"``."""
    answer: float | None
    """The final answer, ``None`` if there is none."""
    correct: bool  # whether it is the known value
    calls: dict[str, int]  # successful calls per tool
    rounds: int
    """Messages with successful tool calls."""
    validated: bool
    """Whether a validation in this run confirmed the answer."""
    grounded: bool
    """Whether the answer is in a result of an arithmetic tool."""
    evidence: Evidence  # the kind of its ``validation_result``
    model_calls: int
    input_tokens: int
    """As reported by the provider, else 0."""
    output_tokens: int
    notes: list[str]
    """Notes on the requests for the answer."""


def measure(setting: Setting, task: Task, state: Mapping[str, Any]) -> Measurement:
    """Measure a finished run; raise ``WrongStrategyError`` if the answer was requested in another way than the setting's."""
    outcome: Outcome | None = state.get("outcome")
    _refuse_other_strategies(setting, outcome)
    messages: Sequence[AnyMessage] = state["messages"]
    runs = [run for run in tool_runs(messages, answers=setting.schema_names) if run.succeeded]
    answered = state.get("structured_response")
    if setting.response_format is None:
        fields = _answer_in_text(messages)
    else:
        fields = {} if answered is None else vars(answered)
    answer, usage = _number(fields.get("final_answer")), _usage(messages, outcome)
    without_outcome = "unanswered" if answer is None else "answered"
    return Measurement(
        status=outcome["status"] if outcome else without_outcome,
        answer=answer,
        correct=answer is not None and abs(answer - task.value) < HALF_A_HUNDREDTH,
        calls=dict(Counter(run.name for run in runs)),
        rounds=_rounds(messages, {run.tool_call_id for run in runs}),
        validated=answer is not None and any(confirms(run, answer) for run in runs),
        grounded=answer is not None and _is_grounded(answer, runs),
        evidence=_evidence(fields.get("validation_result"), runs),
        model_calls=usage["model_calls"],
        input_tokens=usage["input_tokens"],
        output_tokens=usage["output_tokens"],
        notes=sorted({attempt["note"] for attempt in outcome["attempts"] if attempt["note"]} if outcome else ()),
    )


def _refuse_other_strategies(setting: Setting, outcome: Outcome | None) -> None:
    used = [outcome["strategy"], *(attempt["strategy"] for attempt in outcome["attempts"])] if outcome else []
    strategies = {strategy for strategy in used if strategy is not None}
    others = sorted(strategies - setting.strategies)
    if others or (setting.strategies and not strategies):
        asking = ", ".join(others) or "nothing"
        raise WrongStrategyError(f"asked for by {asking}, not by {' or '.join(sorted(setting.strategies)) or 'the prompt alone'}")


def _answer_in_text(messages: Sequence[AnyMessage]) -> Mapping[str, object]:
    """Return the JSON answer in the last message; empty if it holds several different ones."""
    last = messages[-1]
    objects = find_json(last.text) if isinstance(last, AIMessage) and not last.tool_calls else []
    answers = [data for data in objects if isinstance(data, Mapping) and "final_answer" in data]
    return answers[0] if answers and all(answer == answers[0] for answer in answers) else {}


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _usage(messages: Sequence[AnyMessage], outcome: Outcome | None) -> Mapping[str, Any]:
    if outcome is not None:
        return outcome["usage"]
    replies = [message for message in messages if isinstance(message, AIMessage)]
    counts = [reply.usage_metadata for reply in replies if reply.usage_metadata]
    tokens = {"input_tokens": sum(c["input_tokens"] for c in counts), "output_tokens": sum(c["output_tokens"] for c in counts)}
    return {"model_calls": len(replies), **tokens}


def _rounds(messages: Sequence[AnyMessage], done: set[str]) -> int:
    called = [{call["id"] for call in message.tool_calls} for message in messages if isinstance(message, AIMessage)]
    return sum(1 for ids in called if ids & done)


def _is_grounded(answer: float, runs: Sequence[ToolRun]) -> bool:
    sources = [run for run in runs if run.name in _ARITHMETIC]
    return not check_evidence({"final_answer": answer}, sources, marks={"final_answer": FromTools(rounding=2)}).feedback


def _evidence(validation: object, runs: Sequence[ToolRun]) -> Evidence:
    if validation in (None, "", {}):
        return "none"
    results = [run.value for run in runs if run.name == validate_calculation.name]
    return "grounded" if any(_repeats(validation, result) for result in results) else "invented"


def _repeats(validation: object, result: object) -> bool:
    """Return whether a value repeats the tool's result: whole, in part, or only its verdict."""
    if isinstance(validation, Mapping) and isinstance(result, Mapping):
        return all(name in result and result[name] == value for name, value in validation.items())
    return isinstance(validation, bool) and isinstance(result, Mapping) and validation == result.get("is_correct")
