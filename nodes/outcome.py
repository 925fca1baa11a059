"""How a run ended: the outcome, and the ledger it is made from.

Everything here is plain JSON, so that a checkpoint, a server and a log show the same thing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import uuid4

from langchain_core.messages import BaseMessage
from typing_extensions import TypedDict

from answergraph.nodes.record_channel import completed
from answergraph.nodes.usage import Cause, RunUsage, Usage, added, no_usage, of_inner_runs, of_run

EndStrategy = Literal["defer", "exhaustive", "early"]
"""What an answer beside tool calls counts for."""

OnFailure = Literal["return", "raise"]
"""What a run without an answer does."""

Status = Literal["answered", "abstained", "refused", "truncated", "empty", "invalid", "unanswered", "out_of_budget"]
"""What became of the run; only ``answered`` and ``abstained`` come with a value."""


class Attempt(TypedDict):
    """One reply that was read as an answer."""

    strategy: str
    """How the answer was asked for."""
    schema: str | None
    """The schema that the answer was meant for, ``None`` if that could not be told."""
    status: Status
    """What the reply was: ``answered`` for the accepted answer."""
    error: str | None
    """What was wrong, ``None`` for the accepted answer."""
    repairs: list[str]
    """What had to be mended before the answer could be read."""
    note: str | None
    """What was different in how it was asked for, ``None`` for nothing."""


EvidenceSpan = list[Any]
"""Where a claim is supported: ``[tool_call_id, start, end]``, in characters of that tool message's text."""


@dataclass(frozen=True)
class AnswerAccepted:
    """What a check of an answer may return to say more than that it passes.

    Attributes:
        evidence: Per field of the answer, as a path (``"findings[0].quote"``), what supports it; goes on the outcome.
        abstained: Whether the answer says that none can be given; the run's status is then ``abstained``.
    """

    evidence: Mapping[str, EvidenceSpan] = field(default_factory=dict)
    abstained: bool = False


Narrowing = TypedDict("Narrowing", {"middleware": str, "from": list[str], "to": list[str]})
"""Which middleware changed the schemas offered, from which to which; to none where it set the format to ``None``."""


class Outcome(TypedDict):
    """Why the run ended, and how it got there."""

    status: Status
    reason: str
    """One sentence for a person."""
    strategy: str | None
    """The strategy that produced the answer, or the last one that was tried."""
    schema: str | None
    """The schema of the accepted answer."""
    attempts: list[Attempt]
    narrowed: list[Narrowing]
    """Who narrowed the response format in this run, each way once."""
    evidence: dict[str, EvidenceSpan]
    """Per field that a check has found supported: the tool call and the span."""
    usage: RunUsage


class Ledger(TypedDict):
    """The run's private account; survives checkpoints and interrupts."""

    run: str
    """The run's own id, by which it is charged to its caller."""
    cause: Cause
    """Why the model is called next."""
    charged: Usage | None
    """How much of what inner runs were charged is in ``usage`` already."""
    usage: Usage
    attempts: list[Attempt]
    held: Any
    """The early answer that waits for its confirmation: ``{"schema", "value"}``, or ``None``."""
    narrowed: list[Narrowing]
    holds: int
    """How often an answer was held in this run."""
    spent: list[str]
    """The rungs of the ladder that the run is done with."""
    seen: int
    """How many messages there were after the last reply."""
    last_id: str | None
    """The id of that reply; if it stands elsewhere now, something else rewrote the history."""
    tools_off: bool
    """Whether the last model call was made with tools off: what it calls all the same is not carried out."""
    final: bool
    """Whether the last model call of the budget has been made."""
    finished: bool
    """Whether the run's outcome stands. Told here and not by the outcome, which a subagent's result may bring along."""


NEW_LEDGER: Mapping[str, Any] = {
    "cause": "turn",
    "charged": None,
    "usage": no_usage(),
    "attempts": [],
    "held": None,
    "narrowed": [],
    "holds": 0,
    "spent": [],
    "seen": 0,
    "last_id": None,
    "tools_off": False,
    "final": False,
    "finished": False,
}
"""A ledger as every run begins it, but for the run's id."""


def empty_ledger(charged: Usage | None = None) -> Ledger:
    """Return the ledger of a run that has done nothing yet.

    Args:
        charged: What inner runs of earlier runs of the thread were charged.
    """
    ledger: Any = completed({"run": uuid4().hex, "charged": charged}, NEW_LEDGER)
    empty: Ledger = ledger
    return empty


def with_charges(ledger: Ledger, charges: Usage | None) -> Ledger:
    """Return a ledger with what inner runs were charged since it was written.

    Args:
        ledger: The run's ledger.
        charges: What inner runs of the thread were charged so far.
    """
    if charges is None or charges == ledger["charged"]:
        return ledger
    inner = of_inner_runs(charges, since=ledger["charged"] or no_usage())
    return {**ledger, "usage": added(ledger["usage"], inner), "charged": charges}


def out_of_budget(ledger: Ledger, messages: Sequence[BaseMessage]) -> Outcome:
    """Return the outcome of a run without a response format that a limit ended.

    Args:
        ledger: The run's ledger.
        messages: The conversation.
    """
    return Outcome(
        status="out_of_budget",
        reason="The run's budget is spent.",
        strategy=None,
        schema=None,
        attempts=ledger["attempts"],
        narrowed=ledger["narrowed"],
        evidence={},
        usage=of_run(ledger["usage"], messages),
    )
