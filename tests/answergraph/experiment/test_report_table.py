"""The tables: rows with figures, with intervals, and without either."""

import re
from dataclasses import replace
from io import StringIO

from rich.console import Console

from answergraph.experiment.report_table import as_tables, number, percent
from answergraph.experiment.summary import METRICS, OFFLINE_NOTE, SMALL_SAMPLE_NOTE, Comparison, Report, Row
from answergraph.kit.intervals import PairedTest

ROW = Row(
    setting="no_format",
    about="",
    planned=20,
    finished=19,
    failed=1,
    error=None,
    validate_calls=(0, 0.5, None),
    figures={**dict.fromkeys(METRICS, 0.4), "input_tokens": 1234.5, "output_tokens": None},
    intervals={"validate_rate": (0.168, 0.687)},
    notes=("sent without strict",),
)
ERROR = replace(
    ROW, setting="prompted", error="3 of 20 runs do not belong to this setting", figures={}, intervals={}, validate_calls=()
)


def shown(*rows: Row, model: str = "openai:small", repeats: int = 2, width: int = 132) -> str:
    text = StringIO()
    Console(file=text, width=width, color_system=None).print(as_tables(Report(model, repeats, rows)))
    return text.getvalue()


def cells(text: str, setting: str) -> list[list[str]]:
    """Return the setting's cells of each of the tables."""
    return [re.split(" {2,}", line.strip()) for line in text.splitlines() if line.startswith(f"{setting} ")]


def test_a_row_shows_its_figures_and_their_intervals() -> None:
    checking, worth, cost = cells(shown(ROW), "no_format")
    assert checking == ["no_format", "19/20", "[0,0.5,–]", "0.4", "40 % (17–69)", "40 %", "40 %"]
    assert worth == ["no_format", "19/20", "40 %", "40 %", "40 %", "40 %"]
    assert cost == ["no_format", "19/20", "0.4", "0.4", "1234", "–", *["0.4"] * 5]


def test_an_error_replaces_figures() -> None:
    text = shown(ROW, ERROR)
    rows = cells(text, "prompted")
    assert len(rows) == 3
    for row in rows:
        assert row[:2] == ["prompted", "error"]
        assert set(row[2:]) == {"–"}
    assert "prompted: error: 3 of 20 runs do not belong to this setting" in text


def test_the_notes_are_below_the_tables() -> None:
    below = shown(ROW).splitlines()[-2:]
    assert below == ["no_format: 1 of 20 runs failed and are not counted", "no_format: sent without strict"]


def test_comparisons_and_what_ten_tasks_can_show_are_below_the_figures() -> None:
    compared = Comparison("tool_strategy", "no_format", (1.0, 0.4), PairedTest(10, 6, 0))
    text = StringIO()
    report = Report("m", 1, [ROW], [compared], {"date": "2026-11-22", "served": "small-7b"})
    Console(file=text, width=132, color_system=None).print(as_tables(report))
    (line,) = cells(text.getvalue(), "tool_strategy")
    assert line == ["tool_strategy", "100 %", "no_format", "40 %", "10", "6 : 0", "0.0312"]
    assert "date: 2026-11-22\nserved: small-7b" in "\n".join(each.strip() for each in text.getvalue().splitlines())
    assert SMALL_SAMPLE_NOTE in " ".join(text.getvalue().split())


def test_a_note_above_the_tables_names_the_offline_model() -> None:
    text = " ".join(shown(ROW, model="offline", repeats=1).split())
    assert text.index("Model offline, 1 repeat ") < text.index(OFFLINE_NOTE) < text.index("no_format")
    assert OFFLINE_NOTE not in " ".join(shown(ROW).split())


def test_a_narrow_terminal_loses_nothing() -> None:
    row = replace(ROW, setting="provider_strategy", validate_calls=(1,) * 10)
    text = shown(row, width=80)
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= 80
    assert len([line for line in text.splitlines() if line.startswith("provider_strategy ")]) == 3
    assert text.count("1,") + text.count(",\n") >= 9


def test_figures_are_written_as_short_as_they_can_be_read() -> None:
    assert [percent(0.4), percent(1 / 3), percent(None)] == ["40 %", "33.3 %", "–"]
    assert [number(1.0), number(0.4), number(1234.56), number(None)] == ["1", "0.4", "1235", "–"]
