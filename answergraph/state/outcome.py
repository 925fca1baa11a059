"""How a run ended: the outcome, and the ledger it is made from.

Everything here is plain JSON, so that a checkpoint, a server and a log show the same thing.
"""

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
"""Whether tool results support a field: each of its values, some of them, or it was not looked at."""

Status = Literal["answered", "abstained", "deferred", "refused", "truncated", "empty", "invalid", "unanswered", "out_of_budget"]
"""What became of the run; only ``answered`` and ``abstained`` come with a value. ``deferred`` runs go on, with the results of the
calls that wait."""


class Problem(TypedDict):
    """One thing that is wrong with an answer."""

    path: str
    """The field, ``"findings[0].quote"``; empty for the answer as a whole."""
    sentence: str
    check: str | None
    """The check that says so, ``None`` for the schema."""
    nearest: list[Any] | None
    """The passage of a tool result that is most like the field, an ``EvidenceSpan`` as a list; ``None`` if none is like it."""


class Attempt(TypedDict):
    """One reply that was read as an answer."""

    strategy: str
    """How the answer was asked for."""
    schema: str | None
    """The name of the schema that was answered, ``None`` if unknown."""
    status: Status
    """What the reply was: ``answered`` for the accepted answer."""
    error: str | None
    """What was wrong, ``None`` for the accepted answer."""
    problems: list[Problem]
    """The same for the first 50 fields; none for the accepted answer, and where there was no answer that could be read."""
    message_id: str | None
    """The message of the model that held it."""
    repairs: list[str]
    """How the reply was repaired before it could be read."""
    note: str | None
    """How this request differed from the usual one, ``None`` if it did not."""


class EvidenceSpan(NamedTuple):
    """Where a tool result supports a claim; on the outcome and in checkpoints the list ``[tool_call_id, start, end]``."""

    tool_call_id: str
    start: int
    """In characters of the tool message's text."""
    end: int


SHOWN = "shown"
"""Ends a piece of evidence whose span lies in the text that the model was shown, where a middleware had changed the result."""


def spans_of(evidence: Sequence[Any]) -> list[tuple[int, int]]:
    """Return the spans of a result that a piece of evidence names; two for a quote with an ellipsis, none in a shown text."""
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
    """What the run is to answer in place of the checked value, as where a quote is made the passage; ``None``: that value."""


Narrowing = TypedDict("Narrowing", {"middleware": str, "from": list[str], "to": list[str]})
"""Which middleware changed the schemas offered, from which to which; to none where it set the format to ``None``."""


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
    """What a check of evidence said of each field of the answer; of the items of a list together, ``"findings[].quote"``."""
    usage: RunUsage
    pending: NotRequired[list[PendingCall]]
    """The calls that a ``deferred`` run waits for."""


Cause = Literal["turn", "correction", "confirmation", "final_answer", "retry", "inner_run"]
"""Why something was used: an ordinary turn, a reply sent back, an early answer to be confirmed, the step that asks for the
answer alone, a further call that middleware made in one turn, or an answergraph run inside this one."""


class CauseUsage(TypedDict):
    """What one cause has used so far."""

    model_calls: int
    tool_calls: int
    total_tokens: int


class RoundUsage(TypedDict):
    """What one call of the model has used; zero where the model does not report it."""

    input_tokens: int
    output_tokens: int


class Usage(TypedDict):
    """What the run has used so far, runs inside it included."""

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
