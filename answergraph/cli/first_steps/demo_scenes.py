"""The scenes of ``answergraph demo``: agents with scripted models, the calculator, and a triage."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from langchain_core.messages import AIMessage
from pydantic import BaseModel

from answergraph import Abstention, AnswerRejected, PromptedStrategy, Quote, ToolStrategy, create_agent, graphs
from answergraph.middleware import GroundedAnswer, RequireTools
from answergraph.runtime.extras import MissingExtraError
from answergraph.testing import ScriptedChatModel

FAILED_RUN = Path(__file__).parent / "failed_run"
"""The files of three test runs."""
VERDICTS = {"disagreement": "test and application disagree", "false-pass": "should have failed", "not-real": "should have passed"}


class Report(BaseModel):
    """The report on a test run."""

    passed: bool
    failed_tests: int


class Finding(BaseModel):
    """A finding in a log."""

    cause: str
    quote: Annotated[str, Quote()]


@dataclass(frozen=True)
class Scene:
    """A title, and labelled lines of what happened."""

    title: str
    lines: Callable[[], Iterator[tuple[str, str]]]


def read_log(path: str) -> str:
    """Read a log."""
    return "test_total FAILED\nE   AssertionError: expected 30, got 27\n1 failed, 41 passed"


def counts_agree(answer: Report, state: Any, runtime: Any) -> None:
    """Accept a report only if its two fields agree."""
    if answer.passed and answer.failed_tests:
        raise AnswerRejected(f"{answer.failed_tests} tests failed, so passed must be false.")


def _says(schema: type[BaseModel], **fields: object) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": schema.__name__, "args": fields, "id": f"{schema.__name__} {json.dumps(fields)}"}])


def _ran(replies: Sequence[AIMessage | str], response_format: Any, **options: Any) -> Callable[[], Iterator[tuple[str, str]]]:
    def lines() -> Iterator[tuple[str, str]]:
        agent = create_agent(ScriptedChatModel(replies=list(replies)), response_format=response_format, **options)
        return _transcript(agent.invoke({"messages": ["Did the tests pass?"]}))

    return lines


def _transcript(result: Any) -> Iterator[tuple[str, str]]:
    """Yield each reply of the model, each correction, and how the run ended."""
    outcome = result["outcome"]
    repairs = [repair for attempt in outcome["attempts"] for repair in attempt["repairs"]]
    *before, last = result["messages"][1:]
    for message in before if last.type == "tool" else [*before, last]:
        if isinstance(message, AIMessage):
            calls = [f"{call['name']} {json.dumps(call['args'])}" for call in message.tool_calls]
            yield "model", message.text or ", ".join(calls)
        else:
            yield "tool" if message.name == read_log.__name__ else "sent back", message.text
    if repairs:
        yield "repaired", ", ".join(repairs)
    yield "outcome", f"{outcome['status']} → {result['structured_response']!r}"
    if result["structured_response"] is None:
        yield "reason", outcome["reason"]


def _calculated() -> Iterator[tuple[str, str]]:
    result = graphs.create_calculator().invoke({"messages": ["(17 × 23) + (89 ÷ 4) - 156"]})
    answer, outcome = result["structured_response"], result["outcome"]
    if answer is None:
        raise RuntimeError(outcome["reason"])
    [evidence] = outcome["fields"]["final_answer"]["evidence"]
    yield "question", result["messages"][0].text
    yield "steps", answer.reasoning
    yield "outcome", f"{outcome['status']} → {answer.final_answer} after {outcome['usage']['tool_calls']} tool calls"
    yield "evidence", f"the result of {evidence['source']['name']} says {evidence['unit']}"


def _triaged() -> Iterator[tuple[str, str]]:
    try:
        agent = graphs.create_triage_agent()
    except MissingExtraError as error:
        yield "left out", str(error)
        return
    for report in agent.invoke({"folder": str(FAILED_RUN)})["reports"]:
        details = (report["answer"] or {}).get("cause_details")
        yield VERDICTS[report["verdict"]], f"{report['test'].rpartition('::')[-1]}: {details}"


WRONG = _says(Report, passed=True, failed_tests=3)
SCENES: Sequence[Scene] = (
    Scene(
        "Prose around JSON with single quotes and a stray comma: read without asking again",
        _ran(["Sure!\n```json\n{'passed': True, 'failed_tests': 0,}\n```"], PromptedStrategy(Report)),
    ),
    Scene(
        "An answer that contradicts itself: your check sends it back",
        _ran([WRONG, _says(Report, passed=False, failed_tests=3)], Report, check_answer=counts_agree),
    ),
    Scene(
        "An answer before any evidence: until the log is read, only an abstention is accepted",
        _ran(
            [_says(Finding, cause="wrong total", quote="1 failed"), _says(Abstention, missing=["the log of the test run"])],
            Finding,
            tools=[read_log],
            middleware=[RequireTools("read_log"), GroundedAnswer(sources=["read_log"], abstain=Abstention)],
        ),
    ),
    Scene(
        "An invented quote: the nearest passage of the log goes back to the model",
        _ran(
            [
                AIMessage("", tool_calls=[{"name": "read_log", "args": {"path": "ci.log"}, "id": "read"}]),
                _says(Finding, cause="wrong total", quote="AssertionError: expected 30, got 28"),
                _says(Finding, cause="wrong total", quote="AssertionError: expected 30, got 27"),
            ],
            Finding,
            tools=[read_log],
            middleware=[RequireTools("read_log"), GroundedAnswer(sources=["read_log"])],
        ),
    ),
    Scene(
        "The same mistake twice: the run ends without an answer, and says why",
        _ran([WRONG] * 2, ToolStrategy(Report), check_answer=counts_agree),
    ),
    Scene("A calculation with one tool call per operation", _calculated),
    Scene("Triage: can these three test results be trusted?", _triaged),
)
