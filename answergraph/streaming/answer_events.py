"""Events about an answer that is being written or was decided, as plain JSON in LangGraph's ``custom`` stream."""

from collections.abc import Mapping
from typing import Any, Literal

from typing_extensions import TypedDict, TypeIs

from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.answers.schemas.json_envelope import VALUE
from answergraph.state.ledger import RunLedger
from answergraph.state.outcome import Outcome

ANSWER_EVENT: Literal["answergraph.answer"] = "answergraph.answer"
"""The ``type`` of answer events in the ``custom`` stream."""

AnswerEventStatus = Literal["growing", "accepted", "rejected"]
"""``growing`` while the model writes, then ``accepted`` or ``rejected``, per attempt."""


class AnswerEvent(TypedDict):
    """The answer of an agent so far; replaces the previous event with the same ``key``."""

    type: Literal["answergraph.answer"]
    status: AnswerEventStatus
    key: str
    """The state key the answer goes to."""
    agent: str | None
    """The agent's name."""
    attempt: int
    """The number of the attempt, from 1."""
    message_id: str | None
    """The message id; a new id, as after a retry, starts over."""
    schema: str | None
    """The schema that is answered."""
    value: Any
    """All of the answer so far, as JSON; if accepted the answer itself, if rejected ``None``."""
    reason: str | None
    """Why it was rejected."""


def is_answer_event(data: object) -> TypeIs[AnswerEvent]:
    """Tell an answer event from other items of the ``custom`` stream.

    Args:
        data: An item of the stream.

    Example:
        >>> is_answer_event({"progress": 0.5})
        False
    """
    return isinstance(data, Mapping) and data.get("type") == ANSWER_EVENT


def bare_value(schema: AnswerSchema | None, data: object) -> Any:
    """Unwrap a value that is not an object, such as a list."""
    if schema is None or schema.is_object or not isinstance(data, Mapping) or not data.keys() <= {VALUE}:
        return data
    return data.get(VALUE)


def attempt_number(ledger: RunLedger) -> int:
    return len(ledger["attempts"]) + ledger["confirmations_asked"] + 1


def growing_event(key: str, agent: str | None, attempt: int, message_id: str | None = None) -> AnswerEvent:
    """Return the event before anything is written."""
    begun: Any = {**dict.fromkeys(AnswerEvent.__annotations__), "type": ANSWER_EVENT, "status": "growing"}
    event: AnswerEvent = begun | {"key": key, "agent": agent, "attempt": attempt, "message_id": message_id}
    return event


def why_rejected(outcome: Outcome | None, ledger: RunLedger) -> str:
    """Return the reason of a rejected reply; ``outcome`` is ``None`` if the model is asked again."""
    if outcome is not None:
        return outcome["reason"]
    if ledger["cause"] == "confirmation":
        return "The answer is held until the tools called beside it have returned."
    if ledger["cause"] == "final_answer" or not ledger["attempts"]:
        return "The answer is asked for now."
    return ledger["attempts"][-1]["error"] or "The model is asked again."
