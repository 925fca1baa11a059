"""Where a run stands when the model is about to be called: its messages, repaired if need be, and its ledger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AnyMessage

from answergraph.nodes.messages import begins_new_run, repaired_history
from answergraph.nodes.outcome import Ledger, empty_ledger, with_charges
from answergraph.nodes.state import CHARGES, LEDGER, RUNNING


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
    begins = _begins_run(state)
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


def current_ledger(state: Mapping[str, Any], begins_run: bool | None = None) -> Ledger:
    """Return the ledger of the run, with what inner runs were charged since it was written; an empty one for a new run.

    Args:
        state: The agent's state.
        begins_run: Whether this is a new run; found out if not given.
    """
    ledger: Ledger | None = state.get(LEDGER)
    if ledger is None:
        ledger = empty_ledger()
    elif _begins_run(state) if begins_run is None else begins_run:
        ledger = empty_ledger(ledger["charged"])
    return with_charges(ledger, state.get(CHARGES))


def _begins_run(state: Mapping[str, Any]) -> bool:
    ledger: Ledger | None = state.get(LEDGER)
    return ledger is None or (not state.get(RUNNING) and (ledger["finished"] or begins_new_run(state["messages"])))


def _last_reply_index(messages: list[AnyMessage], ledger: Ledger) -> int:
    # What stood before our last reply was in order then. If that reply is elsewhere now, something rewrote the history and
    # all of it is looked at again.
    index = ledger["seen"]
    return index if index < len(messages) and messages[index].id == ledger["last_id"] else 0
