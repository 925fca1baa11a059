"""Runs the developer's checks of a valid answer, and passes an answer call through human-in-the-loop hooks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from inspect import isroutine
from typing import Any

from langchain_core.messages import AIMessage, ToolCall, ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.runtime import Runtime

from answergraph.answers.answer import Answer
from answergraph.nodes.tools import ToolCallStep, ToolResult
from answergraph.reading.reply_reader import Reading
from answergraph.runtime.errors import AgentSpecError, AnswerRejected
from answergraph.runtime.steps import Step
from answergraph.state.agent_state import RunState
from answergraph.state.outcome import AnswerAccepted, Problem

AnswerCheck = Callable[[Any, Any, Any], object]
"""Called with the answer, the state and the runtime."""

NOT_ACCEPTED = "Your answer was not accepted by the check {name!r}{meaning}. Look at it again, and give a better one."
NO_VERDICT = (
    "The check {name!r} returned {verdict!r}. To accept the answer, return None, True or AnswerAccepted; to reject it, raise "
    "AnswerRejected or return False."
)
CHANGED = (
    "The check {name!r} changed the answer. A check must not change a validated answer: reject it, or make the change in a "
    "validator of the answer's type."
)
_LAMBDA = "<lambda>"


def check_answer(
    checks: Sequence[AnswerCheck], reading: Reading, state: Any, runtime: Runtime[Any]
) -> tuple[Reading, AnswerAccepted]:
    """Return the reading, rejected if a check did not accept the answer, and the combined verdict of the checks.

    Raises:
        AgentSpecError: If a check returns something else, or changes the answer.
    """
    verdicts: list[AnswerAccepted] = []
    for check in checks:
        try:
            verdict = _accepted(check, check(reading.value, state, runtime))
            made = _valid(verdict.answer, reading)
        except AnswerRejected as rejection:
            return reading.rejected(rejection.feedback, _problems(check, rejection)), AnswerAccepted()
        # The run must end with the value that was validated and checked.
        if reading.answer is not None and not reading.answer.is_unchanged:
            raise AgentSpecError(CHANGED.format(name=_name_of(check)))
        verdicts.append(verdict)
        if verdict.answer is not None:
            reading = replace(reading, answer=made)
    evidence = {path: span for verdict in verdicts for path, span in verdict.evidence.items()}
    return reading, AnswerAccepted(evidence, abstained=any(verdict.abstained for verdict in verdicts))


def _valid(value: Any, reading: Reading) -> Answer | None:
    """Validate a check's replacement for the answer.

    Raises:
        AnswerRejected: If it does not fit.
    """
    if value is None or reading.answer is None:
        return None
    schema = reading.answer.schema
    try:
        data = schema.dump(value)
        return Answer.of(schema, schema.load(data), data)
    except ValueError as error:
        raise AnswerRejected(str(error)) from error


def _accepted(check: AnswerCheck, verdict: object) -> AnswerAccepted:
    if isinstance(verdict, AnswerAccepted):
        return verdict
    if verdict is None:
        return AnswerAccepted()
    # By name as well: numpy, polars and others have their own bool.
    if isinstance(verdict, bool) or type(verdict).__name__ in {"bool", "bool_"}:
        if not verdict:
            raise AnswerRejected(_without_a_reason(check))
        return AnswerAccepted()
    raise AgentSpecError(NO_VERDICT.format(name=_name_of(check), verdict=verdict))


def _without_a_reason(check: AnswerCheck) -> str:
    """Return the feedback for a check that returns ``False``: its name, and the first line of its docstring."""
    name = _name_of(check)
    # Its own docstring: a class's docstring is not meant for the model.
    words = (check.__doc__ or "").strip() if isroutine(check) else ""
    meaning = f" ({words.splitlines()[0].rstrip('.')})" if words else ""
    return "" if name == _LAMBDA else NOT_ACCEPTED.format(name=name, meaning=meaning)


def _problems(check: AnswerCheck, rejection: AnswerRejected) -> list[Problem]:
    """Return a check's problems, by field if given."""
    name = _name_of(check).removesuffix(".check_answer")
    problems = rejection.problems or [{"sentence": rejection.feedback}]
    return [
        Problem(
            path=problem.get("path", ""),
            sentence=problem["sentence"],
            check=None if name == _LAMBDA else name,
            nearest=list(span) if (span := problem.get("nearest")) else None,
        )
        for problem in problems
    ]


def _name_of(check: AnswerCheck) -> str:
    return str(getattr(check, "__qualname__", type(check).__name__)).rpartition("<locals>.")[2]


def reviewed_message(
    message: AIMessage, names: frozenset[str], wrap: Callable[[ToolCallStep], ToolCallStep], state: RunState
) -> Step[AIMessage]:
    """Return a reply with a person's edits of the answers in ``names``; the conversation keeps the original.

    LangChain's human-in-the-loop middleware applies edits when a tool runs. Answer calls are not run, so they pass its hook here.
    """
    calls: list[ToolCall] = []
    for call in message.tool_calls:
        calls.append((yield from _reviewed_call(call, wrap, state)) if call["name"] in names else call)
    # The same message if nothing was edited, so that its reading is still valid.
    return message if calls == message.tool_calls else message.model_copy(update={"tool_calls": calls})


def _reviewed_call(call: ToolCall, wrap: Callable[[ToolCallStep], ToolCallStep], state: RunState) -> Step[ToolCall]:
    decided = call

    def capture(request: ToolCallRequest) -> Step[ToolResult]:
        nonlocal decided
        decided = request.tool_call
        yield from ()
        return ToolMessage("", name=call["name"], tool_call_id=str(call["id"]))

    # The runtime is a tool's; there is no tool to run.
    yield from wrap(capture)(ToolCallRequest(tool_call=call, tool=None, state=state, runtime=None))  # type: ignore[arg-type]  # see above
    return decided
