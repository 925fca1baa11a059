"""The goals for the cost of answergraph, as a ratio to ``create_agent`` in the same run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Goal:
    """One goal: its rows, and the figure that it bounds."""

    scenario: str
    setting: str
    at_most: float
    of: str = "ratio"
    """``ratio``, ``bytes`` (to ``create_agent``; for ``import`` to langgraph's own) or ``hand graph``.

    A cost that LangGraph determines is compared with the same graph written by hand.
    """


GOALS = (
    Goal("short", "T=0 sync", 1.35),
    Goal("short", "T=0 async", 1.25),
    *(Goal("short", f"T={count} sync", 1.0) for count in (1, 2, 5)),
    *(Goal("short", f"T=1 async{tools}", 1.05) for tools in ("", ", blocking tools")),
    *(Goal("short", f"T={count} async{tools}", 1.0) for count in (2, 5) for tools in ("", ", blocking tools")),
    *(Goal("answers", f"kB=1000 {colour}", 2.0) for colour in ("sync", "async")),
    *(Goal("steps", f"T={count} {colour}", 1.15, of="hand graph") for count in (50, 200) for colour in ("sync", "async")),
    *(Goal("tools", f"tools=100 {colour}", 1.15, of="hand graph") for colour in ("sync", "async")),
    *(Goal("http steps", f"T=50 {colour}", 0.35) for colour in ("sync", "async")),
    *(Goal("http history", f"messages=5000 {colour}", 0.10) for colour in ("sync", "async")),
    Goal("checkpoints memory", "T=200 sync", 1 / 25, of="bytes"),
    Goal("checkpoints sqlite", "T=200 sync", 1 / 25, of="bytes"),
    Goal("checkpoints postgres", "T=200 sync", 1 / 25, of="bytes"),
    Goal("concurrent", "agents=500 async", 1.15, of="hand graph"),
    *(Goal("parallel tools", f"calls=50 {colour}", 1.15, of="hand graph") for colour in ("sync", "async")),
    Goal("import", "new process", 1.10),
    Goal("build", "tools=100", 0.10),
    Goal("streaming", "chunks=2000 sync", 1.0),
    Goal("streaming", "chunks=2000 async", 1.0),
)


def goals_of(scenario: str, setting: str) -> list[Goal]:
    """Return the goals of one row."""
    return [goal for goal in GOALS if (goal.scenario, goal.setting) == (scenario, setting)]
