"""The help of the command line: its content and its speed."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from answergraph.cli.command_line import app
from tests.answergraph.cli.test_command_line import COMMAND, answergraph

ROOT: Any = typer.main.get_command(app)
COMMANDS = (*ROOT.commands, *(f"experiment {name}" for name in ROOT.commands["experiment"].commands))
REFERENCE = Path(__file__).parents[3] / "docs" / "reference" / "command-line.md"


@pytest.mark.parametrize("arguments", [["--help"], ["ask", "--help"]])
def test_help_says_that_the_offline_model_is_not_a_language_model(arguments: list[str]) -> None:
    code, out, _ = answergraph(*arguments)
    assert code == 0
    assert "'offline', is not a language model" in " ".join(out.split())


@pytest.mark.parametrize("arguments", [[], *([name] for name in COMMANDS)], ids=" ".join)
def test_help_is_whole_sentences_and_no_docstring_sections(arguments: list[str]) -> None:
    code, out, _ = answergraph(*" ".join(arguments).split(), "--help")
    assert code == 0
    assert "Raises" not in out
    assert "...\n" not in re.sub(r"(?:\[ARGS\]|\{agents\})\.\.\.", "", out)


def test_the_reference_has_the_help_of_each_command() -> None:
    shown = re.findall(r"<!-- help: (.*) -->", REFERENCE.read_text(encoding="utf-8"))
    assert sorted(shown) == sorted({"", *COMMANDS} - {"experiment"})


def test_help_imports_neither_langgraph_nor_rich() -> None:
    show = "import sys; from answergraph.__main__ import main\ntry: main()\nfinally: print(sorted(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", show, "--help"], capture_output=True, text=True, check=False)
    assert "Commands:" in done.stdout
    assert {"langgraph", "langchain_core", "pydantic", "rich"} & set(eval(done.stderr)) == set()


def test_a_shell_completes_commands() -> None:
    line = {"_ANSWERGRAPH_COMPLETE": "complete_bash", "COMP_WORDS": "answergraph ver", "COMP_CWORD": "1"}
    done = subprocess.run(COMMAND, capture_output=True, text=True, env={**os.environ, **line}, check=False)
    assert done.stdout.split() == ["verify"]


def test_a_full_disk_is_reported_in_one_line() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([*COMMAND, "--version"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "No space left on device" in done.stderr


def test_the_version_is_printed() -> None:
    code, out, _ = answergraph("--version")
    assert code == 0
    assert out.startswith("answergraph 0.")
