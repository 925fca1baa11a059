"""The page of the five documents: every row names an existing test, or the reason for a difference."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROWS = re.findall(r"^\| (\d+) \| (.+) \| (.+) \|$", (ROOT / "docs" / "seeds.md").read_text(), re.MULTILINE)
PROGRAMS = (ROOT / "tests" / "graphs" / "agent" / "langchain_programs.py").read_text()

SHOWN = re.compile(r"`(?P<file>tests/[\w/]+\.py)::(?P<test>test_\w+)`(?:, \*(?P<program>.+)\*)?")
DIFFERS = re.compile(r"differs: (?P<reason>.{10,}); \[[\w-]+\.md\]\((?P<page>[\w-]+\.md)\)")


def test_there_are_at_least_170_rows_in_order() -> None:
    assert len(ROWS) >= 170
    assert [int(number) for number, _, _ in ROWS] == list(range(1, len(ROWS) + 1))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row_names_a_test_or_a_reason(row: tuple[str, str, str]) -> None:
    shown, differs = SHOWN.fullmatch(row[2]), DIFFERS.fullmatch(row[2])
    if differs is not None:
        assert (ROOT / "docs" / differs["page"]).is_file()
        return
    assert shown is not None
    assert f"def {shown['test']}(" in (ROOT / shown["file"]).read_text()
    assert shown["program"] is None or f'"{shown["program"]}": ' in PROGRAMS


@pytest.mark.torture
def test_every_named_test_passes() -> None:
    named = [SHOWN.fullmatch(by) for _, _, by in ROWS]
    files = sorted({shown["file"] for shown in named if shown})
    tests = sorted({shown["test"] for shown in named if shown})
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", "-k", " or ".join(tests), *files]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-5000:]
    assert not re.search(r"\d+ (skipped|xfailed)", ended.stdout)
