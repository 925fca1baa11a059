"""Runs the developer's checks of a valid answer, and passes an answer call through human-in-the-loop hooks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import update_wrapper
from inspect import isroutine
from typing import Any

from langchain_core.messages import AIMessage, ToolCall, ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.runtime import Runtime

from answergraph.answers.answer import Answer
from answergraph.nodes.tools import ToolCallStep, ToolResult
from answergraph.reading.reply_reader import Reading
from answergraph.runtime.argument_checks import is_async
from answergraph.runtime.errors import AgentSpecError, AnswerRejected
from answergraph.runtime.steps import TIMED_VISIT, Call, Step, off_loop
from answergraph.state.agent_state import RunState
from answergraph.state.budget import current_budget
from answergraph.state.field_path import FieldPath
from answergraph.state.field_record import FieldRecord, record_of
from answergraph.state.ledger import RunLedger, with_inner_usage
from answergraph.state.outcome import AnswerAccepted
from answergraph.state.usage import NO_USAGE, added

AnswerCheck = Callable[[Any, Any, Any], object]
"""Called with the answer, the state and the runtime."""
Checked = tuple[Reading, AnswerAccepted]
"""A reading after the checks, and their verdict."""


@dataclass(frozen=True)
class MoreWork:
    """Returned by a check that has to ask or await something before it decides; the step returns what a check returns."""

    step: Step[object]


ASYNC_ONLY = "The check {name!r} is async: call the agent with ainvoke or astream, or pass a blocking function."
NOT_ACCEPTED = "Your answer was not accepted by the check {name!r}{meaning}. Look at it again, and give a better one."
NO_VERDICT = (
    "The check {name!r} returned {verdict!r}. To accept the answer, return None, True or AnswerAccepted; to reject it, raise "
    "AnswerRejected or return False."
)
CHANGED = (
    "The check {name!r} changed the answer. A check must not change a validated answer: reject it, or make the change in a "
    "validator of the answer's type."
)
NO_RECORD = (
    "The check {name!r} returned {record!r} for the field {path!r}. Return a record such as "
    "{{'status': 'supported', 'evidence': [], 'problem': None}}, or those of check_evidence."
)
_LAMBDA = "<lambda>"


def in_either_colour(check: AnswerCheck, awaited: Callable[..., Awaitable[object]] | None = None) -> AnswerCheck:
    """Return one check for all runs: in awaited ones it calls ``awaited``, if there is one.

    Blocking runs of an async ``check`` raise ``AgentSpecError``.
    """
    blocking: Callable[..., object] = check
    if is_async(check):
        blocking, awaited = _refusing(check), check if awaited is None else awaited
    if awaited is None:
        return check
    call = Call(blocking, awaited)

    def either(*arguments: object) -> MoreWork:
        return MoreWork(_made(replace(call, arguments=arguments)))

    return update_wrapper(either, awaited if isroutine(awaited) else type(awaited).__call__)


def _made(call: Call) -> Step[object]:
    return (yield call)


def _refusing(check: Callable[..., object]) -> Callable[..., object]:
    def refuse(*arguments: object) -> object:
        raise AgentSpecError(ASYNC_ONLY.format(name=_name_of(check)))

    return refuse


def check_answer(
    checks: Sequence[AnswerCheck], reading: Reading, state: Any, runtime: Runtime[Any], *, in_thread: bool = False
) -> Step[Checked]:
    """Return the reading, rejected if a check did not accept the answer, and the combined verdict of the checks.

    Checks that search long texts run ``in_thread``, and those of a middleware that says so; all of a run with time limits.

    Raises:
        AgentSpecError: If a check returns something else, or changes the answer.
    """
    verdicts: list[AnswerAccepted] = []
    for check in checks:
        try:
            is_slow = in_thread or TIMED_VISIT.get() or getattr(getattr(check, "__self__", None), "checks_in_thread", False)
            result = yield from off_loop(check, reading.value, state, runtime, when=is_slow)
            verdict = _accepted(check, (yield from result.step) if isinstance(result, MoreWork) else result)
            made = _valid(verdict.answer, reading)
        except AnswerRejected as rejection:
            return reading.rejected(rejection.feedback, _records(rejection, reading.value), _shown_name(check)), AnswerAccepted()
        # The run must end with the value that was validated and checked.
        if reading.answer is not None and not reading.answer.is_unchanged:
            raise AgentSpecError(CHANGED.format(name=_name_of(check)))
        verdicts.append(verdict)
        if verdict.answer is not None:
            reading = replace(reading, answer=made)
    fields: dict[str, FieldRecord] = {}
    for verdict in verdicts:
        # What one check did not look at, another may have.
        fields |= {
            path: record for path, record in verdict.fields.items() if path not in fields or record["status"] != "unchecked"
        }
    return reading, AnswerAccepted(fields, abstained=any(verdict.abstained for verdict in verdicts))


def charged(ledger: RunLedger) -> RunLedger:
    """Return the ledger of a run that is charged for the models that its checks asked."""
    budget = current_budget()
    used = NO_USAGE if budget is None else budget.used()
    before = ledger.get("inner_usage_counted") or NO_USAGE
    return with_inner_usage(ledger, added(before, used)) if used["model_calls"] else ledger


def _valid(value: object, reading: Reading) -> Answer | None:
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
        for path, record in verdict.fields.items():
            if not isinstance(record, Mapping) or not record.keys() >= {"status", "evidence", "problem"}:
                raise AgentSpecError(NO_RECORD.format(name=_name_of(check), path=path, record=record))
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


def _records(rejection: AnswerRejected, answer: object) -> dict[str, FieldRecord]:
    """Return the records of a rejected answer's fields.

    Raises:
        AgentSpecError: If the check names a field that the answer does not have.
    """
    records: dict[str, FieldRecord] = {**rejection.records}
    for name, sentence in rejection.fields.items():
        path = FieldPath(name)
        try:
            path.get(answer)
        except LookupError as error:
            raise AgentSpecError(f"AnswerRejected names the field {name!r}, but {error}.") from error
        records[str(path)] = record_of(sentence)
    return records


def _shown_name(check: AnswerCheck) -> str | None:
    name = _name_of(check).removesuffix(".check_answer").removesuffix(".acheck_answer")
    return None if name == _LAMBDA else name


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
