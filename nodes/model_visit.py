"""Where a run stands when the model is about to be called: its messages, repaired if need be, and its ledger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage

from answergraph.response_format.reading.reply_reader import Offer
from answergraph.response_format.strategies.declared_format import Offers
from answergraph.state.budget import UsageLimits, calling_account
from answergraph.state.ledger import RUNNING, Ledger, added, current_ledger, starts_run, usage_of
from answergraph.state.messages import repaired_history
from answergraph.state.outcome import Cause, Usage


@dataclass(frozen=True)
class Turn:
    """One visit of the model node.

    Attributes:
        messages: The conversation; every tool call in it is answered.
        repaired: Whether messages had to be added for that.
        ledger: The run's ledger, an empty one for a new run.
        begins_run: Whether this is the first model call of a run.
    """

    messages: list[AnyMessage]
    repaired: bool
    ledger: Ledger
    begins_run: bool


def begin_turn(state: Mapping[str, Any]) -> Turn:
    """Tell where the run stands.

    Args:
        state: The agent's state.

    Returns:
        The turn. A run that was interrupted or crashed goes on with its ledger.
    """
    messages: list[AnyMessage] = state["messages"]
    begins = starts_run(state)
    ledger = current_ledger(state, begins)
    start = _last_reply_index(messages, ledger) if state.get(RUNNING) else 0
    checked = repaired_history(messages[start:])
    repaired = len(checked) != len(messages) - start
    return Turn(
        messages=[*messages[:start], *checked],
        repaired=repaired,
        ledger=ledger,
        begins_run=begins,
    )


def _last_reply_index(messages: list[AnyMessage], ledger: Ledger) -> int:
    # What stood before our last reply was in order then. If that reply is elsewhere now, something rewrote the history and
    # all of it is looked at again.
    index = ledger["seen"]
    return index if index < len(messages) and messages[index].id == ledger["last_id"] else 0


@dataclass
class Exchange:
    """The model calls of one visit of the node: how many, and what each reply was offered."""

    ledger: Ledger
    """As it stood when the visit began."""
    offers: Offers
    """Of the response format of this visit."""
    limits: UsageLimits
    """Those of the run, within what its caller has left."""
    spent: list[str]
    """The rungs of the ladder that the run is done with."""
    calls: int = 0
    replies: dict[str, tuple[AIMessage, Offer, Any]] = field(default_factory=dict)
    """Per id: the reply, its offer and the answer shown to middleware."""

    @classmethod
    def begin(cls, ledger: Ledger, offers: Offers, limits: UsageLimits) -> Exchange:
        """Begin a visit.

        Args:
            ledger: The run's ledger.
            offers: Of the response format of this visit.
            limits: The run's own limits.

        Returns:
            The exchange; inside another run, its limits are no wider than what that one has left.
        """
        caller = calling_account()
        return cls(ledger, offers, limits if caller is None else limits.within(caller.lend(ledger)), list(ledger["spent"]))

    @property
    def has_no_call(self) -> bool:
        """Whether the budget has no call of the model left."""
        return self.limits.leave_no_call(self.ledger["usage"])

    @cached_property
    def final(self) -> bool:
        """Whether this is the last call of the budget."""
        return self.limits.leave_one_call(self.ledger["usage"])

    @cached_property
    def asks(self) -> bool:
        """Whether the answer is forced and tools are off."""
        return (self.final and self.limits.reserve_final_answer) or self.tool_calls_left == 0

    @cached_property
    def tool_calls_left(self) -> int | None:
        """How many tool calls may still be carried out, ``None`` for any number."""
        return self.limits.tool_calls_left(self.ledger["usage"])

    def note(self, message: AIMessage, offer: Offer, preview: Any) -> None:
        """Remember what a reply was offered; a retry has its own reply."""
        self.replies[str(message.id)] = (message, offer, preview)

    def of(self, message: AIMessage | None) -> tuple[Offer, Any] | None:
        """Return the offer and preview of a reply; those of the last call for a reply that middleware made itself."""
        if message is not None and message.id in self.replies:
            _, offer, preview = self.replies[message.id]
            return offer, preview
        last = next(reversed(self.replies.values()), None)
        return None if last is None else (last[1], None)

    def usage(self, tool_calls: int) -> Usage:
        """Return the run's usage after this visit.

        Args:
            tool_calls: How many tool calls are carried out because of it.
        """
        cause: Cause = "final_answer" if self.asks else self.ledger["cause"]
        replies = [message for message, _, _ in self.replies.values()]
        return added(self.ledger["usage"], usage_of(replies, cause, model_calls=self.calls, tool_calls=tool_calls))
