"""Writes the figures to files: all of them with the report's warning as CSV, the shares of tasks and answers as a plot."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from answergraph.experiment.summary import METRICS, TITLE, Report, Row
from answergraph.kit import require_extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes


COLUMNS: tuple[str, ...] = (
    *("model", "setting", "about", "repeats", "planned", "finished", "failed", "error", "validate_calls_by_task"),
    *METRICS,
    *(f"{name}_{end}" for name, metric in METRICS.items() if metric.is_share for end in ("low", "high")),
    *("date", "answergraph", "served", "parameters", "notes", "warning"),
)
"""A cell is empty if there is nothing to count; ``_low`` and ``_high`` bound a share's 95 % interval."""


def write_csv(report: Report, path: Path) -> None:
    """Write the figures, a line per setting."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(_line(report, row) for row in report.rows)


def _line(report: Report, row: Row) -> dict[str, object]:
    return {
        **vars(row),
        "model": report.model,
        "repeats": report.repeats,
        "validate_calls_by_task": " ".join("" if calls is None else f"{calls:g}" for calls in row.validate_calls),
        **row.figures,
        **{f"{name}_{end}": at for name, ends in row.intervals.items() for end, at in zip(("low", "high"), ends, strict=True)},
        **report.provenance,
        "notes": " | ".join(row.notes),
        "warning": report.note,
    }


SHOWN: Mapping[str, tuple[str, str]] = {
    "validate_rate": ("tasks with a validate call", "#0072b2"),
    "answers_validated": ("answers confirmed by a validation", "#56b4e9"),
    "correct": ("correct answers", "#e69f00"),
}
"""Label and colour per metric; the colours are safe for colour-blind readers."""

_HEIGHT = 0.26
"""Height of a bar; three bars leave a gap."""


def write_plots(report: Report, *paths: Path) -> None:
    """Draw the plot once and write it to files in the formats of their suffixes, or raise ``AgentSpecError``."""
    require_extra("experiment", "matplotlib")
    matplotlib, figures = import_module("matplotlib"), import_module("matplotlib.figure")
    # Text stays text in the SVG, for search and screen readers; the salt makes the output reproducible.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "answergraph"}):
        figure = figures.Figure(figsize=(9, 1.8 + 0.62 * len(report.rows)), layout="constrained")
        _draw(report, figure.subplots())
        figure.suptitle(f"{TITLE}\nmodel {report.model}")
        figure.legend(loc="outside lower center", ncols=len(SHOWN), frameon=False, fontsize="small")
        for path in paths:
            figure.savefig(path, dpi=150, metadata=_metadata(report, path))


def _draw(report: Report, axes: Axes) -> None:
    for index, (metric, (label, colour)) in enumerate(SHOWN.items()):
        values = [row.figures.get(metric) for row in report.rows]
        positions = [number + (index - 1) * _HEIGHT for number in range(len(values))]
        widths = [value or 0 for value in values]
        ends = [row.intervals.get(metric, (at, at)) for row, at in zip(report.rows, widths, strict=True)]
        below, above = ([abs(at - pair[side]) for at, pair in zip(widths, ends, strict=True)] for side in (0, 1))
        axes.barh(positions, widths, _HEIGHT, label=label, color=colour, xerr=[below, above], capsize=3)
        for position, value in zip(positions, values, strict=True):
            if value is None:
                axes.text(0.005, position, "–", va="center", fontsize="small")
    axes.set_yticks(range(len(report.rows)), [f"{row.setting}\n(error)" if row.error else row.setting for row in report.rows])
    axes.invert_yaxis()
    axes.set_xlim(0, 1.02)
    axes.set_xlabel("share, with its 95 % interval (Wilson)")
    if report.note:
        axes.set_title(report.note.replace(": ", ":\n", 1), color="#b00020", fontsize="small")


def _metadata(report: Report, path: Path) -> dict[str, Any]:
    metadata = {"Title": TITLE, "Description": report.note or f"model {report.model}"}
    return {**metadata, "Date": None} if path.suffix == ".svg" else metadata
