"""The results of the rounds: rows for the terminal, a JSON file, plots."""

from __future__ import annotations

import json
import os
import platform
import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from operator import truediv
from pathlib import Path
from typing import Any

from benchmarks.goals import Goal, goals_of
from benchmarks.peers.graphs import HAND_GRAPH
from benchmarks.rounds import Case, Cell

SYSTEM = "answergraph"

PACKAGES = (
    "answergraph",
    "langchain",
    "langchain-core",
    "langgraph",
    "langchain-openai",
    "openai",
    "pydantic-ai-slim",
    "openai-agents",
)


@dataclass(frozen=True)
class Row:
    """One measured case."""

    case: Case
    cells: Mapping[str, Cell]

    def text(self) -> str:
        """Return the row for a terminal: median milliseconds, ratio to the reference and its spread."""
        lines = [f"{self.case.scenario} · {self.case.setting}"]
        for name, cell in self.cells.items():
            found = cell.summary()
            ratio = (
                "" if found["ratio"] is None else f"{found['ratio']:8.3f} × [{found['ratio_min']:.3f} … {found['ratio_max']:.3f}]"
            )
            size = "" if cell.bytes_written is None else f"  {cell.bytes_written / 1024:.0f} KB"
            lines.append(f"  {name:20} {found['median_seconds'] * 1000:10.2f} ms {ratio}{size}")
        if ratios := self.to_hand_graph:
            lines.append(f"  to the hand graph {statistics.median(ratios):.3f} × [{min(ratios):.3f} … {max(ratios):.3f}]")
        if self.case.ideal_seconds:
            lines.append(f"  to the ideal {statistics.median(self.cells[SYSTEM].seconds) / self.case.ideal_seconds:.2f} ×")
        lines += [f"  goal: {goal.of} at most {goal.at_most:.3f}, here {self.reached(goal):.3f}" for goal in self.goals]
        return "\n".join(lines)

    @property
    def goals(self) -> list[Goal]:
        """The goals of this row."""
        return goals_of(self.case.scenario, self.case.setting)

    @property
    def to_hand_graph(self) -> list[float]:
        """The cost of answergraph as a ratio to the hand graph, per round; empty if the hand graph does not take part."""
        by_hand = self.cells.get(HAND_GRAPH)
        return list(map(truediv, self.cells[SYSTEM].seconds, by_hand.seconds)) if by_hand else []

    def reached(self, goal: Goal) -> float:
        """Return answergraph's figure for a goal."""
        own, reference = self.cells[SYSTEM], self.cells[self.case.reference]
        if goal.of == "bytes":
            return (own.bytes_written or 0) / (reference.bytes_written or 1)
        if goal.of == HAND_GRAPH:
            return statistics.median(self.to_hand_graph)
        return float(own.summary()["ratio"])

    def json(self) -> dict[str, Any]:
        """Return the row for the JSON file."""
        return {
            "scenario": self.case.scenario,
            "setting": self.case.setting,
            "clock": "wall" if self.case.wall else "cpu",
            "reference": self.case.reference,
            "systems": {name: cell.summary() for name, cell in self.cells.items()},
            "to_hand_graph": self.to_hand_graph,
            "goals": [{"of": goal.of, "at_most": goal.at_most, "here": self.reached(goal)} for goal in self.goals],
        }


def conditions(rounds: int, load_before: float) -> dict[str, Any]:
    """Return the conditions of the measurement.

    Args:
        rounds: How many paired rounds.
        load_before: The machine's load average of one minute, taken before the first round.
    """
    return {
        "rounds": rounds,
        "python": platform.python_version(),
        "cpus": os.cpu_count(),
        "load_before": load_before,
        "load_after": os.getloadavg()[0],
        "versions": {name: version(name) for name in PACKAGES},
    }


def write_json(path: Path, rows: list[Row], about: dict[str, Any]) -> None:
    """Write all rows with the conditions of the measurement."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"conditions": about, "rows": [row.json() for row in rows]}, indent=1) + "\n")
