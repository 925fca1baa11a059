"""Decides how a workflow ends: by a rule, because no rule held, or because it goes on too long or in a circle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langgraph.runtime import Runtime

from answergraph.graphs.workflow.workflow_nodes import NO_RULE
from answergraph.graphs.workflow.workflow_state import Transition, visits
from answergraph.graphs.workflow.workflow_steps import ABORT, COMPLETE, ENDS, WorkflowLimits, WorkflowStep, monitors_after

STOPPED = "stopped by a limit"
"""The drawn edge of a workflow that went on too long."""


@dataclass(frozen=True)
class Endings:
    """Decides whether a workflow goes on, and says why it ended."""

    limits: WorkflowLimits
    task: str
    """The task of a run that was given none."""
    facts: Mapping[str, Any]
    """The facts of every run; those that it was given win."""
    steps: Sequence[WorkflowStep] = ()

    def route(self, state: Mapping[str, Any]) -> str:
        """Return the reason for the next step: the rule that held, that none did, a cycle that came round, or a limit."""
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
                f"The workflow goes round in a circle: step {last['step']!r} brought the same result {len(same)} times, "
                f"and each time {last['rule']!r} led to {last['next']!r}."
            )
        if len(transitions) >= self.limits.steps:
            return f"The limit of {self.limits.steps} steps is reached."
        if visits(state)[last["next"]] >= self.limits.visits:
            return f"The limit of {self.limits.visits} visits to step {last['next']!r} is reached."
        return None

    def begin(self, state: Mapping[str, Any], runtime: Runtime[Any]) -> dict[str, Any]:
        # What an earlier run of the thread left is cleared.
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
