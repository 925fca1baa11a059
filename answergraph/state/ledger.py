"""The graph's own records of a run: usage by cause, requests for the answer, attempts."""

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple, NotRequired, cast
from uuid import uuid4

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from typing_extensions import TypedDict

from answergraph.state.field_record import FieldRecord
from answergraph.state.messages import is_correction
from answergraph.state.outcome import (
    Attempt,
    Cause,
    LimitName,
    Limits,
    Narrowing,
    PendingCall,
    RoundUsage,
    RunUsage,
    Usage,
)
from answergraph.state.usage import NO_USAGE, PARTS, PER_CAUSE, added, of_inner_runs, token_count


def of_run(ledger: "RunLedger", messages: Sequence[BaseMessage]) -> RunUsage:
    """Return the usage of a finished run: by cause, and by reply since the last user message."""
    usage, replies = ledger["usage"], list[AIMessage]()
    for message in reversed(messages):
        if isinstance(message, HumanMessage) and not is_correction(message):
            break
        replies += [message] if isinstance(message, AIMessage) else []
    rounds = [
        RoundUsage(
            input_tokens=token_count(reply.usage_metadata, "input_tokens"),
            output_tokens=token_count(reply.usage_metadata, "output_tokens"),
        )
        for reply in replies[::-1]
    ]
    causes = {cause: share for cause, share in usage["by_cause"].items() if cause != "turn"}
    turn: Any = {name: usage[name] - sum(share[name] for share in causes.values()) for name in PER_CAUSE}
    spent = usage.get("cost")
    if spent is not None:
        turn["cost"] = round(spent - sum(share.get("cost", 0.0) for share in causes.values()), 12)
    causes = {"turn": turn, **causes} if any(turn.values()) else causes
    used: Any = {**dict.fromkeys([name for name, _, _ in PARTS], 0), **usage, "by_cause": causes, "rounds": rounds}
    cost = None if spent is None or usage.get("unpriced") else round(spent, 12)
    if cost is None:
        # Which cause had the call without a price is not kept, and a part of a sum must not look like all of it.
        used["by_cause"] = {cause: {name: share[name] for name in PER_CAUSE} for cause, share in causes.items()}
    used |= {"answer_attempts": len(ledger["attempts"]), "seconds": ledger.get("seconds", 0.0)}
    return cast("RunUsage", used | {"cost": cost, "unpriced": usage.get("unpriced", [])})


RepairMode = Literal["auto", "patch", "whole"]
"""How an answer that is wrong in some fields is asked for again."""


class StoredValue(TypedDict):
    """A value of an answer."""

    schema: str | None
    """The schema of the value, ``None`` if it fits none."""
    value: Any
    """As JSON; unchanged without a schema."""


class Repair(TypedDict):
    """A wrong answer, of which only some fields are asked for again."""

    schema: str
    value: Any
    """The whole answer as JSON."""
    fields: dict[str, str]
    """The problem of each wrong field, by its path in the JSON."""
    offered: bool
    """Whether the model is asked for a patch; one is also read where it is not."""
    is_existing: NotRequired[bool]
    """Whether it is an answer of an earlier run that is brought up to date."""


class Existing(Repair):
    """An answer of an earlier run, as a caller's message has it."""

    records: dict[str, FieldRecord] | None
    """What stood behind its fields; ``None``: the caller vouches for them."""


def repair_in(existing: object) -> Repair | None:
    """Return what a caller's message asks to bring up to date."""
    if not isinstance(existing, dict) or existing.keys() != Existing.__annotations__.keys():
        return None
    return cast("Repair", {name: value for name, value in existing.items() if name != "records"})


class RunLedger(TypedDict):
    """The account of a run in progress; fields that are rarely needed are optional, because each checkpoint repeats it."""

    run: str
    """The id of the run, for charging its caller."""
    cause: Cause
    """Why the model is called next."""
    usage: Usage
    inner_usage_counted: NotRequired[Usage | None]
    """The part of ``INNER_USAGE`` that ``usage`` or earlier runs already include."""
    attempts: list[Attempt]
    last_mistake: NotRequired[str | None]
    """The last wrong answer as canonical JSON, to detect repetition."""
    asks_afresh: NotRequired[str]
    """What was wrong with an answer that the model gave twice, and is asked without; empty after that."""
    repair: NotRequired[Repair | None]
    """The last wrong answer, for a patch of it."""
    existing: NotRequired[str | None]
    """The id of the message with the answer that is brought up to date."""
    given: NotRequired[dict[str, Any]]
    """What a person set in this run's answer, as JSON by path."""
    unconfirmed: NotRequired[StoredValue | None]
    """A valid answer given beside tool calls, which the model is asked to confirm once it has seen their results."""
    confirmations_asked: int
    """How often this run has asked for a confirmation."""
    narrowed: list[Narrowing]
    used_strategies: list[str]
    """The ids of strategies that this run no longer uses."""
    last_reply_index: int
    last_reply_id: str | None
    """The id of the reply at ``last_reply_index``; another id there means a rewritten history."""
    tools_were_off: bool
    """Whether the last model call was made with tools off; tool calls in its reply are not carried out."""
    last_call_made: bool
    """Whether the last model call of the budget has been made."""
    finished: bool  # whether the run's outcome is written
    seconds: NotRequired[float]
    """The wall time of the run at this write, without the time between its executions."""
    limit: NotRequired[LimitName]
    """The limit that ends the run."""
    limits: NotRequired[Limits]
    """The limits in force, if a caller's may be narrower."""
    taken_out: NotRequired[list[PendingCall]]
    """The calls that hooks removed from the model's last reply."""
    pending: NotRequired[list[PendingCall]]
    """The calls that the run waits for, if it ended ``deferred``."""


def empty_ledger(inner_usage_counted: Usage | None = None) -> RunLedger:
    """Return the ledger of a new run; ``inner_usage_counted`` is the inner usage of earlier runs."""
    ledger = RunLedger(
        run=uuid4().hex,
        cause="turn",
        usage=NO_USAGE,
        attempts=[],
        confirmations_asked=0,
        narrowed=[],
        used_strategies=[],
        last_reply_index=0,
        last_reply_id=None,
        tools_were_off=False,
        last_call_made=False,
        finished=False,
    )
    return ledger if inner_usage_counted is None else {**ledger, "inner_usage_counted": inner_usage_counted}


class Running(NamedTuple):
    """An execution of a run, from its start or resumption to its end or interruption."""

    is_traced: bool
    """Whether a tracer records it."""
    origin: float
    """When the run would have begun without interruptions, on the monotonic clock in seconds."""


class AnswerRequestRecord(TypedDict):
    """The last request for the answer, by names, so that a narrowed format survives a checkpoint."""

    strategy: str
    declared: list[str]
    """The schemas declared for this call."""
    schemas: list[str]
    """The requested schemas; no other is accepted."""
    key: str
    """``<token>:<id>``: finds the strategy object itself within one process."""
    strategy_id: str
    has_next_strategy: bool
    of_model: bool
    """Whether the reply is the model's; a middleware's reply raises no model error."""
    valid: bool
    """Whether the reply contained a valid answer."""
    dialect: str
    """The dialect that the schema was compiled to."""
    note: str | None
    """A note for the record of the attempt."""
    tools_off: NotRequired[bool]
    """Whether tools were off although the budget allowed them: the answer was requested after the tools."""
    withheld: NotRequired[str]
    """What the model must do before it may give a schema that middleware left out, as a sentence."""
    middleware_value: StoredValue | None  # a value that a middleware set instead of the model's answer
    # Until version 0.3, what the version 0.1 reads: `strategy_id`, `has_next_strategy` and `middleware_value`.
    rung: NotRequired[str]
    is_last: NotRequired[bool]
    given: NotRequired[StoredValue]


EXISTING: Final = "existing"
"""Input key: a previous answer. In the metadata of a message: that it tells of answers, and the one that may be patched."""
ANSWER_REQUEST: str = "answergraph_offer"
"""State key: the ``AnswerRequestRecord`` of the last model call."""
LEDGER: str = "answergraph_ledger"
"""State key: the ``RunLedger``."""
RUNNING: str = "answergraph_running"
"""State key: the ``Running`` of this execution; set by its first model call.

Never checkpointed, so a resumed run starts without it.
"""
INNER_USAGE: str = "answergraph_charges"
"""State key: the usage of all inner runs of this thread so far."""


def with_inner_usage(ledger: RunLedger, inner: Usage | None) -> RunLedger:
    """Return a ledger that includes the usage of all inner runs of the thread so far."""
    counted = ledger.get("inner_usage_counted")
    if inner is None or inner == counted:
        return ledger
    return {**ledger, "usage": added(ledger["usage"], of_inner_runs(inner, counted or NO_USAGE)), "inner_usage_counted": inner}
