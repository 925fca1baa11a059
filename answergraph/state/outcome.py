"""How a run ended: the outcome and its parts, all of plain JSON."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from answergraph.runtime.explained_arguments import explains_arguments
from answergraph.state.field_record import FieldRecord, Fields

EndStrategy = Literal["defer", "exhaustive", "early"]
"""How an answer beside tool calls is treated."""

OnFailure = Literal["return", "raise"]
"""Whether a run without an answer returns its outcome or raises ``NoAnswerError``."""

Status = Literal["answered", "abstained", "deferred", "refused", "truncated", "empty", "invalid", "unanswered", "out_of_budget"]
"""How the run ended; only ``answered`` and ``abstained`` have a value. ``deferred`` runs continue with the results of the
waiting calls."""

LimitName = Literal["model_calls", "tool_calls", "total_tokens", "seconds", "cost", "answer_attempts"]
"""The limits of a run: keys that ``outcome["usage"]`` and ``outcome["limits"]`` share."""


class Attempt(TypedDict):
    """One reply that was read as an answer."""

    strategy: str
    """The strategy of the request."""
    schema: str | None
    """The name of the schema that was answered, ``None`` if unknown."""
    status: Status
    """The status of the reply: ``answered`` for the accepted answer."""
    error: str | None
    """The error, ``None`` for the accepted answer."""
    fields: dict[str, str]
    """Per wrong field, one sentence; the first 50, none if the answer as a whole is wrong."""
    patch: bool
    """Whether the reply was a patch of the answer before."""
    check: str | None
    """The check that rejected the answer, ``None`` for the schema."""
    message_id: str | None
    """The id of the reply."""
    repairs: list[str]
    """The repairs made to read the reply."""
    note: str | None
    """How this request differed from the usual one, ``None`` if it did not."""


@explains_arguments("AnswerAccepted(fields={path: record})")
@dataclass(frozen=True)
class AnswerAccepted:
    """Returned by a check to accept an answer, with the records of its fields for the outcome."""

    fields: Fields = field(default_factory=dict)
    """By path, ``"findings[0].quote"``; fields that are left out have no record."""
    abstained: bool = False
    """Whether the answer is an abstention; the run's status is then ``abstained``."""
    answer: object = None
    """A replacement for the checked value, such as a quote rewritten to the passage; ``None`` for no change."""


Narrowing = TypedDict("Narrowing", {"middleware": str, "from": list[str], "to": list[str], "until": NotRequired[str]})
Narrowing.__doc__ = """A middleware's change of the offered schemas.

``to`` is empty if it set the format to ``None``; ``until`` is what the middleware said would lift the narrowing.
"""


class PendingCall(TypedDict):
    """A tool call that is executed elsewhere; its result is sent as a tool message with its id."""

    id: str
    name: str
    args: dict[str, Any]


class Limits(TypedDict):
    """The limits in force, the caller's taken into account; ``None``: no limit."""

    model_calls: int | None
    tool_calls: int | None
    total_tokens: int | None
    seconds: float | None
    cost: float | None
    answer_attempts: int


class Outcome(TypedDict):
    """How a run ended, and why."""

    status: Status
    reason: str
    """One sentence."""
    strategy: str | None
    """The strategy that gave the answer, or the last one tried."""
    schema: str | None
    """The schema of the accepted answer."""
    attempts: list[Attempt]
    narrowed: list[Narrowing]
    """Which middleware removed which schemas, each change once."""
    fields: dict[str, FieldRecord]
    """Per field of the answer, by path: ``"total"``, ``"items[3].price"``, ``"by_year['q1']"``; of the last answer if none was
    accepted. Empty if no check looked at fields and none is wrong."""
    support: float | None
    """Share of the filled fields that are supported, derived, judged or given, 0 to 1; ``None`` without a check."""
    usage: "RunUsage"
    limit: LimitName | None
    """The limit that ended the run without an answer: used is ``usage[limit]``, allowed is ``limits[limit]``."""
    limits: Limits
    pending: NotRequired[list[PendingCall]]
    """The calls that a ``deferred`` run waits for."""


Cause = Literal["turn", "correction", "confirmation", "final_answer", "retry", "inner_run", "escalation"]
"""The cause of some usage: an ordinary turn, a correction, the confirmation of an early answer, the final answer step, an extra
call by middleware, an inner answergraph run, or the next agent of an ensemble."""


class CauseUsage(TypedDict):
    """The usage of one cause."""

    model_calls: int
    tool_calls: int
    total_tokens: int
    cost: NotRequired[float]


class RoundUsage(TypedDict):
    """The usage of one model call; zero if not reported."""

    input_tokens: int
    output_tokens: int


class _Counts(TypedDict):
    model_calls: int
    tool_calls: int
    input_tokens: int
    output_tokens: int
    total_tokens: int
    by_cause: dict[str, CauseUsage]
    """Per ``Cause``, or name that an add-on charges. Those of a finished run make the totals; until then ``turn`` is the rest."""


class Usage(_Counts):
    """The usage of a run so far, including inner runs."""

    cached_tokens: NotRequired[int]
    """Part of ``input_tokens``."""
    reasoning_tokens: NotRequired[int]
    """Part of ``output_tokens``."""
    cost: NotRequired[float | None]
    """US dollars, or the currency of your own prices; ``None``: not known, or the limits have neither ``cost`` nor ``prices``."""
    unpriced: NotRequired[list[str]]
    """The models whose price is not known."""


class RunUsage(_Counts):
    """The usage of a finished run: every key of ``Usage``, and these."""

    cached_tokens: int
    reasoning_tokens: int
    cost: float | None
    unpriced: list[str]
    answer_attempts: int
    seconds: float
    """Wall time, without waiting for a person."""
    rounds: list[RoundUsage]
    """The replies of the run's own model that are in its conversation, in order."""


class ModelPrice(TypedDict):
    """The price of a million tokens each."""

    input: Decimal | float
    output: Decimal | float
    cached_input: NotRequired[Decimal | float]
    """Of ``cached_tokens``; without it they cost what others do."""


Prices = Mapping[str, ModelPrice] | Callable[[str, Usage], Decimal | float | None]
"""Prices by the model's name, or a function of its name and a call's usage that returns the cost; ``None``: not known."""
