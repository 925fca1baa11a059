"""The scenes of ``answergraph demo``: agents with scripted models or a real one, the calculator, and a triage."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from pydantic import BaseModel

from answergraph import Abstention, AnswerRejected, PromptedStrategy, Quote, ToolStrategy, UsageLimits, create_agent, graphs
from answergraph.middleware import GroundedAnswer, RequireTools
from answergraph.runtime.extras import MissingExtraError
from answergraph.testing import ScriptedChatModel

FAILED_RUN = Path(__file__).parent / "failed_run"
"""The files of three test runs."""
LOG = "test_total FAILED\nE   AssertionError: expected 30, got 27\n1 failed, 41 passed"
QUESTION = "Did the tests pass?"
WITH_LOG = f"{QUESTION} This is the log:\n{LOG}"
LIMITS = UsageLimits(model_calls=12, seconds=60)
"""A scripted model stays far below them; a small model on a slow machine may not."""
VERDICTS = {"disagreement": "disagreement", "false-pass": "should have failed", "not-real": "should have passed"}


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
    """A title for what the scripted model does, one for what any model is asked for, and labelled lines of what happened."""

    title: str
    task: str
    lines: Callable[[BaseChatModel | None], Iterator[tuple[str, str]]]


def read_log(path: str) -> str:
    """Read a log."""
    return LOG


def counts_agree(answer: Report, state: Any, runtime: Any) -> None:
    """Accept a report only if its two fields agree."""
    if answer.passed and answer.failed_tests:
        raise AnswerRejected(f"{answer.failed_tests} tests failed, so passed must be false.")


def _says(schema: type[BaseModel], **fields: object) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": schema.__name__, "args": fields, "id": f"{schema.__name__} {json.dumps(fields)}"}])


def _ran(
    replies: Sequence[AIMessage | str], response_format: Any, *, question: str = QUESTION, **options: Any
) -> Callable[[BaseChatModel | None], Iterator[tuple[str, str]]]:
    def lines(model: BaseChatModel | None) -> Iterator[tuple[str, str]]:
        chosen = ScriptedChatModel(replies=list(replies)) if model is None else model
        agent = create_agent(chosen, response_format=response_format, limits=LIMITS, **options)
        return _transcript(agent.invoke({"messages": [question]}))

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


def _calculated(_: object) -> Iterator[tuple[str, str]]:
    result = graphs.create_calculator().invoke({"messages": ["(17 × 23) + (89 ÷ 4) - 156"]})
    answer, outcome = result["structured_response"], result["outcome"]
    if answer is None:
        raise RuntimeError(outcome["reason"])
    [evidence] = outcome["fields"]["final_answer"]["evidence"]
    yield "question", result["messages"][0].text
    yield "steps", answer.reasoning
    yield "outcome", f"{outcome['status']} → {answer.final_answer} after {outcome['usage']['tool_calls']} tool calls"
    yield "evidence", f"the result of {evidence['source']['name']} says {evidence['unit']}"


def _triaged(_: object) -> Iterator[tuple[str, str]]:
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
        "A report, given as text",
        _ran(["Sure!\n```json\n{'passed': False, 'failed_tests': 1,}\n```"], PromptedStrategy(Report), question=WITH_LOG),
    ),
    Scene(
        "An answer that contradicts itself: your check sends it back",
        "A report whose two fields must agree",
        _ran([WRONG, _says(Report, passed=False, failed_tests=1)], Report, question=WITH_LOG, check_answer=counts_agree),
    ),
    Scene(
        "An answer before any evidence: until the log is read, only an abstention is accepted",
        "A finding with a quote; an abstention counts too",
        _ran(
            [_says(Finding, cause="wrong total", quote="1 failed"), _says(Abstention, missing=["the log of the test run"])],
            Finding,
            tools=[read_log],
            middleware=[RequireTools("read_log"), GroundedAnswer(sources=["read_log"], abstain=Abstention)],
        ),
    ),
    Scene(
        "An invented quote: the nearest passage of the log goes back to the model",
        "A finding with a quote from the log",
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
        "A report by tool call whose two fields must agree",
        _ran([WRONG] * 2, ToolStrategy(Report), question=WITH_LOG, check_answer=counts_agree),
    ),
    Scene(CALCULATION := "A calculation with one tool call per operation", CALCULATION, _calculated),
    Scene(TRIAGE := "Triage: can these three test results be trusted?", TRIAGE, _triaged),
)
