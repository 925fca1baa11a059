"""How a run ended: the outcome, the ledger it is made from, and the limits that end a run.

Everything here is plain JSON, so that a checkpoint, a server and a log show the same thing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from langchain_core.messages import AIMessage
from typing_extensions import TypedDict

from answergraph.nodes.errors import AgentSpecError

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
    """The schema answered, ``None`` if none was recognised."""
    status: Status
    """What the reply was: ``answered`` for the accepted answer."""
    error: str | None
    """What was wrong, ``None`` for the accepted answer."""
    repairs: list[str]
    """What had to be mended before the answer could be read."""


class Usage(TypedDict):
    """What the run has used so far."""

    model_calls: int
    tool_calls: int
    input_tokens: int
    output_tokens: int
    total_tokens: int


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
    evidence: dict[str, EvidenceSpan]
    """Per field that a check has found supported: the tool call and the span."""
    usage: Usage


class Ledger(TypedDict):
    """The run's private account; survives checkpoints and interrupts."""

    usage: Usage
    attempts: list[Attempt]
    held: Any
    """The early answer that waits for its confirmation: ``{"schema", "value"}``, or ``None``."""
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


@dataclass(frozen=True)
class UsageLimits:
    """What a run may use before it ends with status ``out_of_budget``.

    Raises:
        AgentSpecError: If a limit is zero or negative.
    """

    model_calls: int | None = 50
    """Calls of the model. With 1, the one call is the final answer."""
    tool_calls: int | None = None
    """Ordinary tool calls that are carried out; further ones are answered "not available"."""
    total_tokens: int | None = None
    """Tokens in and out, as far as the model reports them; a call in progress may exceed it."""
    answer_attempts: int = 4
    """Replies read as an answer, the first included."""
    reserve_final_answer: bool = True
    """Whether the last model call of the budget is made with the answer forced and tools off."""

    def __post_init__(self) -> None:
        """Refuse limits that no run could keep."""
        for name, limit in vars(self).items():
            if not isinstance(limit, bool) and limit is not None and limit < 1:
                raise AgentSpecError(f"UsageLimits({name}={limit!r}): a limit is at least 1, or None for none.")

    def leave_one_call(self, usage: Usage) -> bool:
        """Return whether the next model call is the last one the budget has.

        Args:
            usage: What was used before that call.
        """
        last_model_call = self.model_calls is not None and usage["model_calls"] >= self.model_calls - 1
        # A further call costs about what an average one did.
        per_call = usage["total_tokens"] // max(usage["model_calls"], 1)
        few_tokens_left = self.total_tokens is not None and usage["total_tokens"] + 2 * per_call > self.total_tokens
        return last_model_call or (few_tokens_left and usage["model_calls"] > 0)

    def tool_calls_left(self, usage: Usage) -> int | None:
        """Return how many tool calls may still be carried out, ``None`` for any number."""
        return None if self.tool_calls is None else max(self.tool_calls - usage["tool_calls"], 0)


NO_LIMITS = UsageLimits(model_calls=None)
"""The default of an agent without a response format."""


def empty_ledger() -> Ledger:
    """Return the ledger of a run that has done nothing yet."""
    usage = Usage(model_calls=0, tool_calls=0, input_tokens=0, output_tokens=0, total_tokens=0)
    return Ledger(
        usage=usage, attempts=[], held=None, holds=0, spent=[], seen=0, last_id=None, tools_off=False, final=False, finished=False
    )


def charge(usage: Usage, message: AIMessage | None, *, model_calls: int, tool_calls: int) -> Usage:
    """Return the usage after a model call.

    Args:
        usage: The usage so far.
        message: The reply; its ``usage_metadata`` is counted where present.
        model_calls: Calls of the model that were made for it.
        tool_calls: Ordinary tool calls it asks for.

    Returns:
        The new usage; the old one is not changed.
    """
    tokens: Mapping[str, Any] = (message.usage_metadata if message is not None else None) or {}
    return Usage(
        model_calls=usage["model_calls"] + model_calls,
        tool_calls=usage["tool_calls"] + tool_calls,
        input_tokens=usage["input_tokens"] + tokens.get("input_tokens", 0),
        output_tokens=usage["output_tokens"] + tokens.get("output_tokens", 0),
        total_tokens=usage["total_tokens"] + tokens.get("total_tokens", 0),
    )


def out_of_budget(ledger: Ledger) -> Outcome:
    """Return the outcome of a run without a response format that a limit ended."""
    return Outcome(
        status="out_of_budget",
        reason="The run's budget is spent.",
        strategy=None,
        schema=None,
        attempts=ledger["attempts"],
        evidence={},
        usage=ledger["usage"],
    )
