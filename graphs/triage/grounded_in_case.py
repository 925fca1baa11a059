"""Middleware that checks a verdict against what the tools returned in the whole case, to the exploring agent too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AnyMessage

from answergraph.evidence.answer_bundle import results_in
from answergraph.middleware.grounded_answer import GroundedAnswer
from answergraph.state.tool_results import ToolRun, run_of

LOOKS = frozenset({"read_case", "read_lines", "search"})
"""The tools whose results can be quoted; what lists names and sizes proves nothing about a case."""


class GroundedInCase(GroundedAnswer):
    """Accepts quotes from the results that were gathered before this agent's own run, and from those of its own."""

    def evidence(self, state: Mapping[str, Any]) -> list[ToolRun]:
        own = super().evidence(state)
        taken = {run.tool_call_id for run in own}
        gathered = [run for run in tool_runs(state["messages"]) if run.tool_call_id not in taken]
        return [run for run in (*gathered, *own) if run.name in LOOKS and run.succeeded and run.text]


def tool_runs(messages: Sequence[AnyMessage]) -> list[ToolRun]:
    """Return the answered tool calls of a case, oldest first."""
    return [run_of(result) for result in results_in(messages, answers=set())]
