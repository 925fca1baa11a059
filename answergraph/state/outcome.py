"""How a run ended: the outcome and its parts, all of plain JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, NotRequired

from typing_extensions import TypedDict

EndStrategy = Literal["defer", "exhaustive", "early"]
"""How an answer beside tool calls is treated."""

OnFailure = Literal["return", "raise"]
"""Whether a run without an answer returns its outcome or raises ``NoAnswerError``."""

Coverage = Literal["supported", "partly", "unchecked"]
"""Whether tool results support all values of a field or some of them, or the field was not checked."""

Status = Literal["answered", "abstained", "deferred", "refused", "truncated", "empty", "invalid", "unanswered", "out_of_budget"]
"""How the run ended; only ``answered`` and ``abstained`` have a value. ``deferred`` runs continue with the results of the
waiting calls."""


class Problem(TypedDict):
    """A problem of an answer."""

    path: str
    """The field, ``"findings[0].quote"``; empty for the answer as a whole."""
    sentence: str
    check: str | None
    """The check that found it, ``None`` for the schema."""
    nearest: list[Any] | None
    """The most similar passage of a tool result, an ``EvidenceSpan`` as a list; ``None`` if there is none."""


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
    problems: list[Problem]
    """The problems of the first 50 fields; empty without a readable answer."""
    message_id: str | None
    """The id of the reply."""
    repairs: list[str]
    """The repairs made to read the reply."""
    note: str | None
    """How this request differed from the usual one, ``None`` if it did not."""


class EvidenceSpan(NamedTuple):
    """The place in a tool result that supports a claim; on the outcome it is the list ``[tool_call_id, start, end]``."""

    tool_call_id: str
    start: int
    """In characters of the tool message's text."""
    end: int


SHOWN = "shown"
"""Marks evidence that is in the text shown to the model, not in the result itself."""


def spans_of(evidence: Sequence[Any]) -> list[tuple[int, int]]:
    """Return the spans of a piece of evidence in its result: two if the quote has an ellipsis, none if it is in shown text."""
    places = [] if evidence[-1] == SHOWN else [place for place in evidence[1:] if isinstance(place, int)]
    return list(zip(places[::2], places[1::2], strict=False))


@dataclass(frozen=True)
class AnswerAccepted:
    """Returned by a check to accept an answer, with its evidence for the outcome."""

    evidence: Mapping[str, EvidenceSpan | list[Any]] = field(default_factory=dict)
    """Per field of the answer, as a path (``"findings[0].quote"``), the place that supports it."""
    abstained: bool = False
    """Whether the answer is an abstention; the run's status is then ``abstained``."""
    answer: Any = None
    """A replacement for the checked value, such as a quote rewritten to the passage; ``None`` for no change."""


Narrowing = TypedDict("Narrowing", {"middleware": str, "from": list[str], "to": list[str]})
Narrowing.__doc__ = "A middleware's change of the offered schemas; ``to`` is empty if it set the format to ``None``."


class PendingCall(TypedDict):
    """A tool call that is executed elsewhere; its result is sent as a tool message with its id."""

    id: str
    name: str
    args: dict[str, Any]


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
    evidence: dict[str, list[Any]]
    """Per path of a field that a check found supported: its ``EvidenceSpan`` as a list."""
    coverage: dict[str, Coverage]
    """The support of each field by evidence; list items together, as ``"findings[].quote"``."""
    usage: RunUsage
    limits: dict[str, int | None]
    """The agent's ``UsageLimits``, by name."""
    pending: NotRequired[list[PendingCall]]
    """The calls that a ``deferred`` run waits for."""


Cause = Literal["turn", "correction", "confirmation", "final_answer", "retry", "inner_run"]
"""The cause of some usage: an ordinary turn, a correction, the confirmation of an early answer, the final answer step, an extra
call by middleware, or an inner answergraph run."""


class CauseUsage(TypedDict):
    """The usage of one cause."""

    model_calls: int
    tool_calls: int
    total_tokens: int


class RoundUsage(TypedDict):
    """The usage of one model call; zero if not reported."""

    input_tokens: int
    output_tokens: int


class Usage(TypedDict):
    """The usage of a run, including inner runs."""

    model_calls: int
    tool_calls: int
    input_tokens: int
    output_tokens: int
    total_tokens: int
    by_cause: dict[Cause, CauseUsage]
    """The usage per cause. In a finished run the causes add up to the totals; until then ``turn`` is the rest."""


class RunUsage(Usage):
    """The usage of a finished run."""

    rounds: list[RoundUsage]
    """The replies of the run's own model that are in its conversation, in order."""
