"""The programs of the smoke run with the versions of this environment too, and one that fails is named."""

import importlib
import sys
from pathlib import Path

import pytest

from tests.smoke.__main__ import PROGRAMS, failure, written

NAMES = sorted(file.stem for file in PROGRAMS.glob("[!_]*.py"))
STARTS_PROGRAMS = "command_line"


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.program if name == STARTS_PROGRAMS else ()) for name in NAMES]
)
def test_a_program_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for setting in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.setenv(setting, "")  # so that what the program sets is forgotten after it
        monkeypatch.delenv(setting)
    importlib.import_module(f"tests.smoke.programs.{name}").main()


def test_the_smoke_has_at_least_25_programs(tmp_path: Path) -> None:
    programs = dict(written(tmp_path))
    assert len(programs) >= 25
    assert len({arguments[-1] for arguments in programs.values()}) == len(programs)


@pytest.mark.parametrize(("code", "words"), [("assert 1 == 2", "AssertionError"), ("", "")])
def test_a_program_that_fails_says_why(code: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(code)
    text = failure(sys.executable, [str(file)], tmp_path)
    assert words in text
    assert bool(text) == bool(words)
