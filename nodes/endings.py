"""How a run ends."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import BaseMessage

from answergraph.state.ledger import Ledger, of_run
from answergraph.state.outcome import Outcome


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


_ONCE = ("truncated", "empty")
