"""How a run ended: the outcome, and the ledger it is made from. Everything here is plain JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, NotRequired

from typing_extensions import TypedDict

EndStrategy = Literal["defer", "exhaustive", "early"]
"""What an answer beside tool calls counts for."""

OnFailure = Literal["return", "raise"]
"""What a run without an answer does."""

Coverage = Literal["supported", "partly", "unchecked"]
"""Whether tool results support all values of a field, some, or it was not checked."""

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
    """The message of the model that held it."""
    repairs: list[str]
    """The repairs made to read the reply."""
    note: str | None
    """How this request differed from the usual one, ``None`` if it did not."""


class EvidenceSpan(NamedTuple):
    """The place of support in a tool result; on the outcome the list ``[tool_call_id, start, end]``."""

    tool_call_id: str
    start: int
    """In characters of the tool message's text."""
    end: int


SHOWN = "shown"
"""Marks evidence in the text shown to the model instead of the result."""


def spans_of(evidence: Sequence[Any]) -> list[tuple[int, int]]:
    """Return the result spans of a piece of evidence; two for an ellipsis, none in shown text."""
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
"""A middleware's change of the offered schemas; empty ``to`` if it set the format to ``None``."""
Narrowing.__doc__ = "A middleware's change of the offered schemas."


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
    pending: NotRequired[list[PendingCall]]
    """The calls that a ``deferred`` run waits for."""


Cause = Literal["turn", "correction", "confirmation", "final_answer", "retry", "inner_run"]
"""Why something was used: an ordinary turn, a correction, the confirmation of an early answer, the final answer step, an extra
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
    """The replies of the run's own model that its conversation holds, in order."""
