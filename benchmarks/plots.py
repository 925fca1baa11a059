"""Draws one plot per scenario: the ratio of each system over the settings."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")  # files only; no display is needed

from matplotlib import pyplot

from benchmarks.report import Row

COLOURS = {
    "answergraph": "#0b6e4f",
    "create_agent": "#c0392b",
    "create_react_agent": "#d68910",
    "pydantic-ai": "#7d3c98",
    "openai-agents": "#2471a3",
    "bare": "#7f8c8d",
    "hand graph": "#d4ac0d",
    "idle graph": "#a9b7c0",
    "langgraph": "#5d6d7e",
}


def draw(rows: list[Row], folder: Path) -> None:
    """Write ``<scenario>.svg`` for each scenario.

    Args:
        rows: The measured rows.
        folder: Where the plots go.
    """
    folder.mkdir(parents=True, exist_ok=True)
    by_scenario: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_scenario[row.case.scenario].append(row)
    for scenario, found in by_scenario.items():
        figure, axes = pyplot.subplots(figsize=(8, 1.2 + 0.9 * len(found)))
        _bars(axes, found)
        axes.set_title(f"{scenario}: cost beside {found[0].case.reference} (less is better)")
        figure.tight_layout()
        figure.savefig(folder / f"{scenario.replace(' ', '-')}.svg")
        pyplot.close(figure)


def _bars(axes: Any, rows: list[Row]) -> None:
    names = list(dict.fromkeys(name for row in rows for name in row.cells))
    height = 0.8 / len(names)
    for position, name in enumerate(names):
        # Some rows lack some systems.
        measured = {index: row.cells[name].summary()["ratio"] for index, row in enumerate(rows) if name in row.cells}
        places = [index + position * height for index in measured]
        axes.barh(places, list(measured.values()), height, label=name, color=COLOURS.get(name))
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_yticks([index + 0.4 - height / 2 for index in range(len(rows))], [row.case.setting for row in rows])
    axes.invert_yaxis()
    axes.legend(fontsize="small")
