"""Writes the figures as CSV: a line per setting with all figures and the report's warning."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from answergraph.experiment.summary import METRICS, Report, Row

COLUMNS: tuple[str, ...] = (
    *("model", "setting", "about", "repeats", "planned", "finished", "failed", "error", "validate_calls_by_task"),
    *METRICS,
    *(f"{name}_{end}" for name, metric in METRICS.items() if metric.is_share for end in ("low", "high")),
    *("date", "answergraph", "served", "parameters", "notes", "warning"),
)
"""An empty cell: nothing to count; ``_low`` and ``_high`` bound a share's 95 % interval."""


def write_csv(report: Report, path: Path) -> None:
    """Write the figures.

    Raises:
        OSError: If it cannot be written.
    """
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(_line(report, row) for row in report.rows)


def _line(report: Report, row: Row) -> dict[str, Any]:
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
