"""The events that tell of an answer while the model writes it, and of what became of it.

They go to LangGraph's ``custom`` stream as plain JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from langgraph.runtime import Runtime
from typing_extensions import TypedDict, TypeIs

from answergraph.response_format.schemas.answer_schema import AnswerSchema
from answergraph.response_format.schemas.json_envelope import VALUE
from answergraph.response_format.strategies.declared_format import Offers
from answergraph.response_format.strategies.run_time_format import RunTimeOffers
from answergraph.runtime.steps import Step
from answergraph.state.agent_state import AnswerKeys
from answergraph.state.ledger import LEDGER, Ledger, current_ledger
from answergraph.state.messages import last_turn
from answergraph.state.outcome import Outcome
from answergraph.streaming.stream_listeners import has_listener

ANSWER_EVENT: Literal["answergraph.answer"] = "answergraph.answer"
"""The ``type`` of every answer event, which tells it from what tools write to the same stream."""

AnswerEventStatus = Literal["growing", "accepted", "rejected"]
"""``growing`` while the model writes; then ``accepted`` or ``rejected``, for what was shown in this attempt."""


class AnswerEvent(TypedDict):
    """The answer of an agent as far as it is known; takes the place of the event before it with the same ``key``."""

    type: Literal["answergraph.answer"]
    status: AnswerEventStatus
    key: str
    """The state key the answer goes to."""
    agent: str | None
    """The agent's name."""
    attempt: int
    """Which attempt of the run at an answer this is, from 1; a reply with tool calls alone is none."""
    message_id: str | None
    """The message that holds it; another id begins again, a retried call of the model included."""
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


def bare_value(schema: AnswerSchema | None, data: Any) -> Any:
    """Return an answer as it is declared: a value that is no object, such as a list, is written inside one."""
    if schema is None or schema.is_object or not isinstance(data, Mapping) or not data.keys() <= {VALUE}:
        return data
    return data.get(VALUE)


def attempt_number(ledger: Ledger) -> int:
    """Return the number of the attempt that a run makes next."""
    return len(ledger["attempts"]) + ledger["holds"] + 1


def decided_event(
    schemas: tuple[AnswerSchema, ...], keys: AnswerKeys, agent: str | None, state: Mapping[str, Any], update: Mapping[str, Any]
) -> AnswerEvent:
    """Return the event of a reply that was accepted or rejected, from the state before and the update that decided."""
    message, _ = last_turn(state["messages"])
    outcome: Outcome | None = update.get(keys.outcome)
    value = update.get(keys.answer)
    schema = next((s for s in schemas if outcome is not None and s.name == outcome["schema"]), None)
    accepted = value is not None and schema is not None
    return AnswerEvent(
        type=ANSWER_EVENT,
        status="accepted" if accepted else "rejected",
        key=keys.answer,
        agent=agent,
        attempt=attempt_number(current_ledger(state, begins_run=False)),
        message_id=message.id if message is not None else None,
        schema=schema.name if schema is not None else None,
        value=schema.dump(value) if schema is not None and accepted else None,
        reason=None if accepted else _reason(outcome, update[LEDGER]),
    )


@dataclass(frozen=True)
class Announced:
    """The step of the ``structured_response`` node, followed by an event that tells what it decided."""

    inner: Callable[[Mapping[str, Any], Runtime[Any]], Step[dict[str, Any]]]
    offers: Offers | RunTimeOffers
    keys: AnswerKeys
    agent: str | None

    def step(self, state: Mapping[str, Any], runtime: Runtime[Any]) -> Step[dict[str, Any]]:
        update = yield from self.inner(state, runtime)
        # Without an update nothing was decided: the answer is read again.
        if update and (yield from has_listener(runtime.stream_writer)):
            schemas = self.offers.for_reply(state, runtime).schemas
            if schemas:
                runtime.stream_writer(decided_event(schemas, self.keys, self.agent, state, update))
        return update


def _reason(outcome: Outcome | None, ledger: Ledger) -> str:
    if outcome is not None:
        return outcome["reason"]
    if ledger["cause"] == "confirmation":
        return "The answer is held until the results of the tools called beside it are there."
    if ledger["cause"] == "final_answer" or not ledger["attempts"]:
        return "The answer is asked for now."
    return ledger["attempts"][-1]["error"] or "The model is asked again."
