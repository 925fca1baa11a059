"""The developer's own checks of a valid answer: what each thing that they may say of it means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import isroutine
from typing import Any

from langgraph.runtime import Runtime

from answergraph.response_format.reading.reply_reader import Reading
from answergraph.state.errors import AgentSpecError, AnswerRejected
from answergraph.state.outcome import AnswerAccepted

AnswerCheck = Callable[[Any, Any, Any], object]
"""Called with the answer, the state and the runtime."""

NOT_ACCEPTED = "Your answer was not accepted by the check {name!r}{meaning}. Look at it again, and give a better one."
NO_VERDICT = (
    "The check {name!r} returned {verdict!r}. A check that accepts the answer returns None, True or AnswerAccepted; one that "
    "does not raises AnswerRejected, or returns False."
)
CHANGED = (
    "The check {name!r} changed the answer. A check leaves an answer as it was validated: reject it, or change what is to be "
    "changed in a validator of the answer's type."
)
_LAMBDA = "<lambda>"


def check_answer(checks: Sequence[AnswerCheck], reading: Reading, state: Any, runtime: Runtime[Any]) -> AnswerAccepted:
    """Have all checks look at an answer.

    Args:
        checks: The checks, in order.
        reading: A valid answer, of the declared type.
        state: The agent's state.
        runtime: LangGraph's runtime.

    Returns:
        What the checks have said of it, together.

    Raises:
        AnswerRejected: If one of them does not accept it.
        AgentSpecError: If one of them says neither yes nor no, or accepts what it has changed.
    """
    said: list[AnswerAccepted] = []
    validated = _as_text(reading) if checks else ""
    for check in checks:
        said.append(_accepted(check, check(reading.value, state, runtime)))
        # What was validated, and what the checks before have seen, is what the run ends with.
        if _is_changed(reading, validated):
            raise AgentSpecError(CHANGED.format(name=_name_of(check)))
    evidence = {path: span for verdict in said for path, span in verdict.evidence.items()}
    return AnswerAccepted(evidence, abstained=any(verdict.abstained for verdict in said))


def _is_changed(reading: Reading, validated: str) -> bool:
    text = _as_text(reading)
    # A type whose JSON is another one every time, with a time or a salt in it, says nothing of a change.
    return text != validated and text == _as_text(reading)


def _as_text(reading: Reading) -> str:
    """Return a text that is another one if the answer is changed; a text, because ``nan`` is no equal of itself."""
    try:
        return repr(reading.value if reading.schema is None else reading.schema.dump(reading.value))
    except (ValueError, TypeError):
        # A check has put something into it that cannot be said in JSON.
        return repr(reading.value)


def _accepted(check: AnswerCheck, verdict: object) -> AnswerAccepted:
    if isinstance(verdict, AnswerAccepted):
        return verdict
    if verdict is None:
        return AnswerAccepted()
    # By name as well: the comparisons of numpy, polars and others return a bool of their own.
    if isinstance(verdict, bool) or type(verdict).__name__ in {"bool", "bool_"}:
        if not verdict:
            raise AnswerRejected(_without_a_reason(check))
        return AnswerAccepted()
    raise AgentSpecError(NO_VERDICT.format(name=_name_of(check), verdict=verdict))


def _without_a_reason(check: AnswerCheck) -> str:
    """Return what the model is told by a check that says no and nothing else: its name, and its docstring's first line."""
    name = _name_of(check)
    # Its own docstring: what the class of an object says of itself is not meant for a model.
    words = (check.__doc__ or "").strip() if isroutine(check) else ""
    meaning = f" ({words.splitlines()[0].rstrip('.')})" if words else ""
    return "" if name == _LAMBDA else NOT_ACCEPTED.format(name=name, meaning=meaning)


def _name_of(check: AnswerCheck) -> str:
    return str(getattr(check, "__qualname__", type(check).__name__)).rpartition("<locals>.")[2]
