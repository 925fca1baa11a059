"""The plots of `make bench`."""

import random
from collections.abc import Callable
from pathlib import Path

from benchmarks.plots import draw
from benchmarks.report import Row
from benchmarks.rounds import Case, Done, measure


def row(setting: str, *systems: str) -> Row:
    runs: dict[str, Callable[[], Done]] = {name: lambda: Done("done", 0) for name in systems}
    case = Case("short", setting, runs, Done("done", 0), clock=iter(range(100)).__next__)
    return Row(case, measure(case, 1, random.Random(0)))


def test_a_plot_shows_each_row_with_the_systems_that_it_has(tmp_path: Path) -> None:
    draw(
        [row("T=1 sync", "answergraph", "create_agent", "hand graph"), row("T=1 async", "answergraph", "create_agent")], tmp_path
    )
    legend = (tmp_path / "short.svg").read_text()
    assert all(f"<!-- {name} -->" in legend for name in ("answergraph", "create_agent", "hand graph", "T=1 sync", "T=1 async"))
