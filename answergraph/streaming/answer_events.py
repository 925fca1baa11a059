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
from answergraph.response_format.storage.answer_channel import answer_codec
from answergraph.response_format.strategies.declared_format import DeclaredFormat
from answergraph.response_format.strategies.run_time_format import RunTimeFormat
from answergraph.runtime.steps import Step
from answergraph.state.agent_state import AnswerKeys
from answergraph.state.ledger import LEDGER, RunLedger, current_ledger
from answergraph.state.messages import last_turn
from answergraph.state.outcome import Outcome

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


def is_heard(writer: Callable[..., Any]) -> bool:
    """Return whether what is written to a stream writer can get anywhere.

    LangGraph gives a run whose ``custom`` stream nobody asked for a writer that does nothing, and no other sign of it. A Python
    function that refers to no name but its argument can do nothing; anything else is taken to be listening.
    """
    code = getattr(writer, "__code__", None)
    return code is None or bool(code.co_freevars or code.co_names)


def bare_value(schema: AnswerSchema | None, data: Any) -> Any:
    """Return an answer as it is declared: a value that is no object, such as a list, is written inside one."""
    if schema is None or schema.is_object or not isinstance(data, Mapping) or not data.keys() <= {VALUE}:
        return data
    return data.get(VALUE)


def attempt_number(ledger: RunLedger) -> int:
    """Return the number of the attempt that a run makes next."""
    return len(ledger["attempts"]) + ledger["confirmations_asked"] + 1


@dataclass(frozen=True)
class Announced:
    """The step of the ``structured_response`` node, told to the ``custom`` stream; ``step`` is the node."""

    inner: Callable[[Mapping[str, Any], Runtime[Any]], Step[dict[str, Any]]]
    declared: DeclaredFormat | RunTimeFormat
    """Know all that may be answered."""
    keys: AnswerKeys
    agent: str | None

    def step(self, state: Mapping[str, Any], runtime: Runtime[Any]) -> Step[dict[str, Any]]:
        """Run the step, and say what it made of the reply.

        Args:
            state: The agent's state.
            runtime: LangGraph's runtime.

        Returns:
            The step's own update.
        """
        update = yield from self.inner(state, runtime)
        # Without an update nothing was decided: the answer is read again.
        if update and is_heard(runtime.stream_writer):
            schemas = self.declared.for_reply(state, runtime).schemas
            if schemas:
                runtime.stream_writer(self._event(schemas, state, update))
        return update

    def _event(self, schemas: tuple[AnswerSchema, ...], state: Mapping[str, Any], update: Mapping[str, Any]) -> AnswerEvent:
        message, _ = last_turn(state["messages"])
        outcome: Outcome | None = update.get(self.keys.outcome)
        value = answer_codec(self.declared.schemas).from_write(update.get(self.keys.answer))
        schema = next((s for s in schemas if outcome is not None and s.name == outcome["schema"]), None)
        accepted = value is not None and schema is not None
        return AnswerEvent(
            type=ANSWER_EVENT,
            status="accepted" if accepted else "rejected",
            key=self.keys.answer,
            agent=self.agent,
            attempt=attempt_number(current_ledger(state, begins_run=False)),
            message_id=message.id if message is not None else None,
            schema=schema.name if schema is not None else None,
            value=schema.dump(value) if schema is not None and accepted else None,
            reason=None if accepted else _reason(outcome, update[LEDGER]),
        )


def _reason(outcome: Outcome | None, ledger: RunLedger) -> str:
    if outcome is not None:
        return outcome["reason"]
    if ledger["cause"] == "confirmation":
        return "The answer is held until the results of the tools called beside it are there."
    if ledger["cause"] == "final_answer" or not ledger["attempts"]:
        return "The answer is asked for now."
    return ledger["attempts"][-1]["error"] or "The model is asked again."
