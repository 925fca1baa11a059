"""The ``no_answer`` node: the run's last, in the graph only with ``on_failure="raise"``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.runtime import Runtime

from answergraph.state.agent_state import AnswerKeys
from answergraph.state.errors import NoAnswerError


def raise_without_answer(state: Mapping[str, Any], runtime: Runtime[Any], *, keys: AnswerKeys) -> dict[str, Any]:
    """Raise if the run has no answer.

    A separate last node: an exception loses only its own node's writes, so the checkpoint keeps messages and outcome.

    Raises:
        NoAnswerError: If the outcome is neither ``answered`` nor ``abstained``, and the run does not wait for calls either.
    """
    outcome = state.get(keys.outcome)
    if outcome is not None and outcome["status"] not in ("answered", "abstained", "deferred"):
        raise NoAnswerError(outcome)
    return {}
