"""The plot: both files, the warning, the error bars, and a missing matplotlib."""

import re
import sys
from pathlib import Path

import pytest
from PIL import Image

from answergraph.experiment.report_files import write_plots
from answergraph.experiment.summary import METRICS, OFFLINE_NOTE, Report, Row
from answergraph.runtime.extras import MissingExtraError


def row(setting: str = "no_format", ends: tuple[float, float] = (0.4, 0.9), error: str | None = None) -> Row:
    return Row(
        setting=setting,
        about="",
        planned=2,
        finished=0 if error else 2,
        failed=0,
        error=error,
        validate_calls=() if error else (1, 0),
        figures={} if error else dict.fromkeys(METRICS, 0.5),
        intervals={} if error else dict.fromkeys(METRICS, ends),
        notes=(),
    )


def svg(report: Report, folder: Path) -> str:
    write_plots(report, folder / "plot.svg")
    return (folder / "plot.svg").read_text(encoding="utf-8")


def words(text: str) -> str:
    return " ".join(" ".join(re.findall(r"<text[^>]*>([^<]*)</text>", text)).split())


def test_one_drawing_is_written_as_png_and_svg(tmp_path: Path) -> None:
    write_plots(Report("openai:small", 1, [row(), row("prompted")]), tmp_path / "plot.png", tmp_path / "plot.svg")
    with Image.open(tmp_path / "plot.png") as image:
        assert (image.format, image.info["Description"]) == ("PNG", "model openai:small")
        assert min(image.size) > 300
    shown = words((tmp_path / "plot.svg").read_text(encoding="utf-8"))
    for text in ("no_format", "prompted", "model openai:small", "tasks with a validate call", "correct answers"):
        assert text in shown


def test_the_picture_and_its_metadata_name_the_offline_model(tmp_path: Path) -> None:
    write_plots(Report("offline", 1, [row()]), tmp_path / "plot.png", tmp_path / "plot.svg")
    drawn = (tmp_path / "plot.svg").read_text(encoding="utf-8")
    assert OFFLINE_NOTE in words(drawn).replace("&#39;", "'")
    with Image.open(tmp_path / "plot.png") as image:
        assert image.info["Description"] == OFFLINE_NOTE
    other = svg(Report("openai:small", 1, [row()]), tmp_path)
    assert "say nothing" not in other


def test_error_bars_are_the_intervals(tmp_path: Path) -> None:
    drawn = svg(Report("m", 1, [row()]), tmp_path)
    assert "95 % interval" in words(drawn)
    assert drawn != svg(Report("m", 1, [row(ends=(0.45, 0.55))]), tmp_path)


def test_a_setting_without_figures_is_drawn_as_an_error(tmp_path: Path) -> None:
    shown = words(svg(Report("m", 1, [row(), row("prompted", error="no run finished")]), tmp_path))
    assert "(error)" in shown
    assert shown.count("–") == 3


def test_the_same_figures_are_the_same_file(tmp_path: Path) -> None:
    report = Report("m", 2, [row()])
    assert svg(report, tmp_path) == svg(report, tmp_path)


def test_without_matplotlib_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=re.escape("pip install 'answergraph[experiment]'")):
        write_plots(Report("m", 1, [row()]), tmp_path / "plot.svg")
