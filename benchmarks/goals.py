"""What answergraph is to cost, as a ratio to ``create_agent`` in the same run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Goal:
    """One goal: the rows it is for, and what it bounds."""

    scenario: str
    setting: str
    at_most: float
    of: str = "ratio"
    """``ratio``, ``bytes`` (both to ``create_agent``; for ``import`` to langgraph's own), or ``ideal`` (wall time)."""


GOALS = (
    Goal("steps", "T=50 sync", 0.30),
    Goal("steps", "T=200 sync", 0.30),
    Goal("steps", "T=50 async", 0.50),
    Goal("steps", "T=200 async", 0.50),
    Goal("tools", "tools=100 sync", 0.15),
    Goal("tools", "tools=100 async", 0.15),
    Goal("http steps", "T=50 sync", 0.35),
    Goal("http history", "messages=5000 sync", 0.10),
    Goal("checkpoints memory", "T=200 sync", 1 / 25, of="bytes"),
    Goal("checkpoints sqlite", "T=200 sync", 1 / 25, of="bytes"),
    Goal("checkpoints postgres", "T=200 sync", 1 / 25, of="bytes"),
    Goal("concurrent", "agents=500 async", 0.35),
    Goal("parallel tools", "calls=50 sync", 1.5, of="ideal"),
    Goal("parallel tools", "calls=50 async", 1.5, of="ideal"),
    Goal("import", "new process", 1.10),
    Goal("build", "tools=100", 0.10),
    Goal("streaming", "chunks=2000 sync", 1.0),
    Goal("streaming", "chunks=2000 async", 1.0),
)


def goals_of(scenario: str, setting: str) -> list[Goal]:
    """Return the goals of one row."""
    return [goal for goal in GOALS if (goal.scenario, goal.setting) == (scenario, setting)]
