"""One visit of the model node: the run's progress and budget, its replies and their records."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Self

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage, ToolCall, ToolMessage

from answergraph.asking.strategies.call_or_answer import CallOrAnswer
from answergraph.asking.strategies.declared_format import DeclaredFormat
from answergraph.asking.strategies.strategy import AnswerRequest, Strategy
from answergraph.calling.model_calls import ModelCalls
from answergraph.calling.purse import Purse
from answergraph.reading.reply_reader import Reading
from answergraph.runtime.recent_cache import RecentCache
from answergraph.runtime.snapshot import Snapshot
from answergraph.runtime.steps import TIMED_VISIT, Step, off_loop
from answergraph.runtime.time_limits import RunClock, TimedVisit
from answergraph.state.agent_state import RunState
from answergraph.state.budget import callers_budget
from answergraph.state.ledger import (
    EXISTING,
    AnswerRequestRecord,
    RunLedger,
    Running,
    StoredValue,
    repair_in,
)
from answergraph.state.messages import repaired_history, was_sent_back, without_wrong_answers
from answergraph.state.outcome import Cause, LimitName, PendingCall, Usage
from answergraph.state.turn import Turn
from answergraph.state.usage import UsageLimits, added, usage_of

MIN_CALLS_FOR_TWO = 5
"""With fewer model calls, a tool is worth more than a correction."""
AFRESH = "An answer before this one was wrong:\n{problem}"
"""Ends a request that leaves out an answer which was given twice."""


@dataclass(frozen=True)
class ModelReply:
    """One model call: reply, request and reading."""

    message: AIMessage
    request: AnswerRequest
    reading: Reading | None
    """``None`` without a format, or if only tools were called."""
    seen: Snapshot | None = None
    """Of the message that was read."""
    is_shown: bool = True
    """Whether middleware was shown the value."""

    def shows(self, value: object) -> bool:
        """Return whether a value is the unchanged answer that middleware was shown."""
        answer = None if self.reading is None else self.reading.answer
        return answer is not None and value is answer.value and (not self.is_shown or answer.is_unchanged)

    def stands(self, request: AnswerRequest) -> bool:
        """Return whether message, value and request are unchanged."""
        if self.reading is None or request.strategy is not self.request.strategy or request.dialect is not self.request.dialect:
            return False
        answer = self.reading.answer
        is_same_value = answer is None or not self.is_shown or answer.is_unchanged
        return is_same_value and self.seen is not None and self.seen.is_of(self.message)


Readings = RecentCache[ModelReply]
"""The replies read by an agent's model node, by message object, for ``structured_response``."""


@dataclass
class ModelVisit(ModelCalls):
    """One visit of the model node."""

    messages: list[AnyMessage]
    """The conversation; every tool call in it is answered."""
    stored: list[AnyMessage]
    """The conversation as the state holds it."""
    begins_run: bool
    """Whether this is the first model call of a run."""
    running: Running | None
    """This execution; ``None`` at its first visit."""
    ledger: RunLedger
    """The ledger at the start of the visit."""
    waits: list[PendingCall]
    """The calls of a deferred run without results: the model waits for them."""
    limit: LimitName | None = None
    """The limit that ends the run after this call, or before it."""
    has_no_call: bool = False
    is_last_call: bool = False
    tool_calls_left: int | None = None
    """The remaining tool calls, ``None`` for no limit."""
    origin: float = 0.0
    """When the run would have begun without interruptions, on the monotonic clock in seconds."""
    purse: Purse | None = None
    """Counts what the calls cost, if the limits have a cost or prices."""
    is_wrapped: bool = True
    """Whether middleware is around the model call."""
    calls_off: bool = False
    """Whether middleware chose that no tool may be called."""
    sent: Sequence[AnyMessage] = ()
    """The conversation as last sent to the model."""
    replies: dict[str, ModelReply] = field(default_factory=dict)
    """By message id; a retry by middleware has its own reply."""

    def with_note(self, reply: AIMessage, strategy: Strategy, *, is_narrowed: bool) -> AIMessage:
        """Return a reply with a note of its cost and unusual circumstances; ``response_metadata`` is not sent to models."""
        note = {
            "strategy": strategy.name,
            "offered": is_narrowed and strategy.schema_names,
            "given_up": self.used_strategies[len(self.ledger["used_strategies"]) :],
            "failed_calls": self.failed_calls,
            "waited_seconds": round(self.waited, 1),
            "unused_replies": self.model_calls - 1,
            "tools_off": self.forces_answer,
            "last_call": self.is_last_call,
            "cost": self.purse and sum(self.purse.spending.costs),
        }
        noted = {"answergraph": {name: value for name, value in note.items() if value}}
        return reply.model_copy(update={"response_metadata": {**reply.response_metadata, **noted}})

    @classmethod
    def begin(cls, state: RunState, declared: DeclaredFormat, limits: UsageLimits) -> Step[Self]:
        """Begin a visit. An interrupted or crashed run continues with its ledger."""
        turn = Turn(state)
        messages: list[AnyMessage] = state["messages"]
        begins_run = turn.begins_run
        ledger = turn.run_ledger(begins_run=begins_run)
        for message in turn.after if begins_run else ():
            own = message.response_metadata.get(EXISTING) if isinstance(message, HumanMessage) else None
            if own and (repair := repair_in(own)):
                ledger = {**ledger, "repair": repair, "existing": message.id}
        # Messages before our last reply were repaired then. If that reply moved, the history was rewritten.
        index = ledger["last_reply_index"]
        is_known = turn.running and index < len(messages) and messages[index].id == ledger["last_reply_id"]
        start = index if is_known else 0
        checked = repaired_history(messages[start:])
        timed: TimedVisit | None = TIMED_VISIT.get()
        if (caller := callers_budget()) is not None:
            # LangGraph reads the state around an awaited run in threads of its own.
            limits = limits.capped_by((yield from off_loop(caller.remaining_for, ledger)), caller.pricing)
        clock = timed and timed.clock
        if caller is not None or clock is not None:
            ledger = {**ledger, "limits": limits.in_force(clock)}
        if clock is not None:
            clock.resume(ledger.get("seconds", 0.0))
        began = monotonic() - ledger.get("seconds", 0.0) if clock is None else clock.began
        visit = cls(
            messages=[*messages[:start], *checked],
            stored=messages,
            begins_run=begins_run,
            running=turn.running,
            ledger=ledger,
            repair=ledger.get("repair"),
            format=declared,
            used_strategies=list(ledger["used_strategies"]),
            origin=began if turn.running is None else turn.running.origin,
            waits=[] if begins_run or turn.running else turn.waits_for,
            streams=not ledger["attempts"] or ledger["attempts"][-1]["status"] != "empty",
            attempts=ledger["attempts"],
            skips_calls=turn.request is not None and _has_to_answer(turn.request, messages, limits, ledger),
        )
        visit._keep_to(limits, clock)
        return visit

    def _keep_to(self, limits: UsageLimits, clock: RunClock | None) -> None:
        """Take from the limits whether a call is left, what it is for, and what is told and counted of it."""
        usage = self.ledger["usage"]
        exhausted_by, last_call_by = limits.exhausted_by(usage, clock), limits.last_call_by(usage, clock)
        if limits.tool_calls is not None:
            self.tool_calls_left = max(limits.tool_calls - usage["tool_calls"], 0)
        has_no_tool_call = self.tool_calls_left == 0
        self.limit = exhausted_by or last_call_by or ("tool_calls" if has_no_tool_call else None)
        self.has_no_call, self.is_last_call = exhausted_by is not None, last_call_by is not None
        self.forces_answer = has_no_tool_call or (self.is_last_call and limits.reserve_final_answer)
        self.purse = Purse(limits) if limits.is_priced else None
        self.last_line = limits.left_in_words(usage, clock) if limits.tell_model else None

    def asked_afresh(self) -> list[AnyMessage]:
        """Return the conversation to send without the run's wrong answers and their corrections; the end says what was wrong.

        A small model copies its own wrong answer.
        """
        problem = AFRESH.format(problem=self.ledger.get("asks_afresh"))
        self.last_line = "\n\n".join(filter(None, (problem, self.last_line)))
        return without_wrong_answers(self.messages, {attempt["message_id"] for attempt in self.ledger["attempts"]})

    def reply_to(self, message: AIMessage | None) -> ModelReply | None:
        """Return the call that gave a message; for a middleware's message, the last call without its reading."""
        if message is not None and message.id in self.replies:
            return self.replies[message.id]
        last = next(reversed(self.replies.values()), None)
        return None if last is None else replace(last, reading=None)

    def usage(self, tool_calls: int) -> Usage:
        """Return the run's usage after this visit, including its tool calls."""
        cause: Cause = "final_answer" if self.forces_answer else self.ledger["cause"]
        replies, calls = [reply.message for reply in self.replies.values()], self.model_calls
        spending = None if self.purse is None else self.purse.spending
        spent = usage_of(replies, cause, model_calls=calls, tool_calls=tool_calls, spending=spending)
        return added(self.ledger["usage"], spent)


@dataclass(frozen=True)
class CurrentReply:
    """The reply at the time of the visit."""

    turn: Turn
    message: AIMessage | None
    """The turn's reply, with a person's edits of its answers."""
    pending: Sequence[ToolCall]
    """The message's open calls, without external ones."""
    elsewhere: list[PendingCall]
    request: AnswerRequest
    ledger: RunLedger
    of_model: bool
    """Whether the message is the model's own."""
    may_ask: bool
    direct: ToolMessage | None
    """The result of a ``return_direct`` tool, read instead of the message."""
    middleware_value: StoredValue | None

    def is_wrong_in_form(self, reading: Reading) -> bool:
        """Return whether an answer is wrong although the provider enforces its schema, as no strategy after this one does."""
        return reading.feedback is None and self.may_ask_afresh(reading)

    def may_ask_afresh(self, reading: Reading) -> bool:
        """Return whether an answer may be asked for without the wrong ones: its schema is enforced, and it was not withheld."""
        return reading.status == "invalid" and self.request.withheld is None and self.request.strategy.asks_afresh

    @property
    def was_asked_afresh(self) -> bool:
        """Whether an answer that does not fit was asked for afresh; one that a check rejected may be, too."""
        return "asks_afresh" in self.ledger and not all(attempt.get("check") for attempt in self.ledger["attempts"])

    def results(self, reading: Reading, text: str) -> list[ToolMessage]:
        """Answer the answer calls that no hook has answered; malformed ones with status ``error``."""
        unread = [] if self.message is None or reading.status == "answered" else self.message.invalid_tool_calls
        malformed = {call["id"] for call in unread}
        return [
            ToolMessage(text, name=name, tool_call_id=call_id, status="error" if call_id in malformed else "success")
            for name, call_id in ((call["name"], call["id"]) for call in reading.calls if call["id"] not in self.turn.done)
        ]

    def in_order(self, results: list[ToolMessage]) -> list[object]:
        """Move results right after their calls, before messages that a hook added in between."""
        between = [message for message in self.turn.after if not isinstance(message, ToolMessage)]
        if not results or not between:
            return list(results)
        moved = [message.model_copy(update={"id": None}) for message in between]
        return [*(RemoveMessage(id=str(message.id)) for message in between), *results, *moved]


def _has_to_answer(before: AnswerRequestRecord, messages: Sequence[AnyMessage], limits: UsageLimits, ledger: RunLedger) -> bool:
    """Return whether a model that writes calls under a schema only calls tools, with two calls left: one is for a correction."""
    allowed = limits.model_calls
    is_near = allowed is not None and allowed >= MIN_CALLS_FOR_TWO and ledger["usage"]["model_calls"] == allowed - 2
    return is_near and before["strategy"] == CallOrAnswer.name and not was_sent_back(messages)


def answer_request_of(visit: ModelVisit, message: AIMessage | None, value: object) -> AnswerRequestRecord:
    declared, reply = visit.format, visit.reply_to(message)
    request = declared.restore(None) if reply is None else reply.request
    of_model = message is not None and message.id in visit.replies
    if value is None or (reply is not None and reply.shows(value)):
        valid = reply is not None and reply.reading is not None and reply.reading.answer is not None
        return declared.record(request, of_model=of_model, valid=valid, middleware_value=None)
    stored = _middleware_value(request, value)
    return declared.record(request, of_model=of_model, valid=stored["schema"] is not None, middleware_value=stored)


def _middleware_value(request: AnswerRequest, value: object) -> StoredValue:
    schema = next((schema for schema in request.strategy.schemas if schema.holds(value)), None)
    if schema is None:
        return StoredValue(schema=None, value=value)
    try:
        return StoredValue(schema=schema.name, value=schema.dump(value))
    except (ValueError, TypeError):
        # The value is no longer expressible in JSON.
        return StoredValue(schema=None, value=repr(value))
