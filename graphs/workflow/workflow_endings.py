"""Decides how a workflow ends: by a rule, without a matching rule, or by a limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph.runtime import Runtime

from answergraph.graphs.workflow.workflow_nodes import NO_RULE
from answergraph.graphs.workflow.workflow_state import Transition, visits
from answergraph.graphs.workflow.workflow_steps import ABORT, COMPLETE, ENDS, WorkflowLimits, WorkflowStep, monitors_after

STOPPED = "stopped by a limit"
"""The edge of a workflow stopped by a limit."""


@dataclass(frozen=True)
class Endings:
    """Decides whether a workflow continues, and why it ended."""

    limits: WorkflowLimits
    task: str
    """The default task."""
    facts: Mapping[str, Any]
    """The default facts, overridden by a run's own."""
    steps: Sequence[WorkflowStep] = ()

    def route(self, state: Mapping[str, Any]) -> str:
        """Return the reason for the next step: a rule, no rule, a repeated cycle, or a limit."""
        transition: Transition = state["transitions"][-1]
        if transition["rule"] is None:
            return NO_RULE
        if self.stopped(state):
            return STOPPED
        came = [each["step"] for each in state["transitions"]]
        for reason, monitor in monitors_after(self.steps, transition["step"]).items():
            rounds = [*monitor.cycle] * monitor.threshold
            if transition["next"] not in ENDS and came[-len(rounds) :] == rounds:
                return reason
        return transition["rule"]

    def stopped(self, state: Mapping[str, Any]) -> str | None:
        """Return why a limit stops the workflow, ``None`` if none does."""
        transitions: Sequence[Transition] = state["transitions"]
        last = transitions[-1]
        if last["next"] in ENDS:
            return None
        same = [t for t in transitions if (t["step"], t["rule"], t["said"]) == (last["step"], last["rule"], last["said"])]
        if len(same) > self.limits.repeats:
            return (
                f"The workflow repeats itself: step {last['step']!r} brought the same result {len(same)} times, "
                f"and each time {last['rule']!r} led to {last['next']!r}."
            )
        if len(transitions) >= self.limits.steps:
            return f"The limit of {self.limits.steps} steps is reached."
        if visits(state)[last["next"]] >= self.limits.visits:
            return f"The limit of {self.limits.visits} visits to step {last['next']!r} is reached."
        return None

    def begin(self, state: Mapping[str, Any], runtime: Runtime[Any]) -> dict[str, Any]:
        # The results of the thread's earlier run are cleared.
        given = {"task": state.get("task") or self.task, "facts": {**self.facts, **(state.get("facts") or {})}}
        return {**given, "results": None, "labels": None, "transitions": [], "status": None, "reason": None}

    def complete(self, state: Mapping[str, Any], runtime: Runtime[Any]) -> dict[str, Any]:
        return {"status": COMPLETE, "reason": state["transitions"][-1]["reason"]}

    def abort(self, state: Mapping[str, Any], runtime: Runtime[Any]) -> dict[str, Any]:
        last: Transition = state["transitions"][-1]
        reason = self.stopped(state) or last["reason"]
        if last["rule"] is None:
            reason = f"Status not found for step {last['step']!r}: {last['reason']}"
        return {"status": ABORT, "reason": reason}
