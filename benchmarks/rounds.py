"""Paired rounds: every system does the same work in each round, in a shuffled order, and its cost is divided by the reference's.

The figure is the CPU time of all threads of the process: on a shared machine, wall time depends on other programs. Cases about
waiting (``Case.wall``) compare wall time.
"""

from __future__ import annotations

import gc
import random
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

REFERENCE = "create_agent"
"""The reference: each cost is divided by that of ``langchain.agents.create_agent``."""


@dataclass(frozen=True)
class Done:
    """What a run did; it is asserted after each run."""

    answer: Any
    tool_calls: int
    bytes_written: int | None = None


@dataclass(frozen=True)
class Case:
    """One row of the results: the same work for several systems."""

    scenario: str
    setting: str
    """The number that varies within the scenario, and whether the runs are blocking or awaited."""
    systems: Mapping[str, Callable[[], Done]]
    expected: Done
    wall: bool = False
    ideal_seconds: float | None = None
    reference: str = REFERENCE
    clock: Callable[[], float] | None = None
    """Another clock, for work in other processes."""


@dataclass
class Cell:
    """What one system cost in one case."""

    seconds: list[float] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)
    bytes_written: int | None = None

    def summary(self) -> dict[str, Any]:
        """Return medians and the spread of the rounds."""
        return {
            "median_seconds": statistics.median(self.seconds),
            "ratio": statistics.median(self.ratios) if self.ratios else None,
            "ratio_min": min(self.ratios, default=None),
            "ratio_max": max(self.ratios, default=None),
            "bytes_written": self.bytes_written,
            **asdict(self),
        }


def measure(case: Case, rounds: int, shuffler: random.Random) -> dict[str, Cell]:
    """Run a case.

    Args:
        case: The systems and the expected result.
        rounds: How often each does the work after a warm-up.
        shuffler: Gives the order within a round.

    Returns:
        The cost per system.

    Raises:
        AssertionError: If a run gave another answer or made another number of tool calls.
    """
    cells = {name: Cell() for name in case.systems}
    for name, run in case.systems.items():
        _timed(case, name, run, cells[name])  # warm-up: imports, caches, connections
    gc.collect()
    gc.freeze()
    for _ in range(rounds):
        costs = {name: _timed(case, name, case.systems[name], cells[name]) for name in _shuffled(case.systems, shuffler)}
        for name, seconds in costs.items():
            cells[name].seconds.append(seconds)
            if case.reference in costs:
                cells[name].ratios.append(seconds / costs[case.reference])
    gc.unfreeze()
    return cells


def _shuffled(systems: Mapping[str, Any], shuffler: random.Random) -> list[str]:
    return shuffler.sample(list(systems), len(systems))


def _timed(case: Case, name: str, run: Callable[[], Done], cell: Cell) -> float:
    clock = case.clock or (time.perf_counter if case.wall else time.process_time)
    gc.collect()
    started = clock()
    done = run()
    seconds = clock() - started
    assert done.answer == case.expected.answer, f"{name} in {case.scenario}: answered {done.answer!r}"
    assert done.tool_calls == case.expected.tool_calls, f"{name} in {case.scenario}: {done.tool_calls} tool calls"
    cell.bytes_written = done.bytes_written
    return seconds
