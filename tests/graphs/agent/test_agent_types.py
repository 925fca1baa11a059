"""Mypy and pyright know the type of the answer from the response format to the result."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]
SAMPLES = [REPOSITORY / "tests" / "graphs" / "agent" / "typed_agents.py", *(REPOSITORY / "tests" / "typed_programs").glob("*.py")]
CHECKERS = {
    "mypy": ("-m", "mypy", "--strict", "--no-error-summary"),
    "pyright": ("-m", "pyright", "--pythonpath", sys.executable),
}
MISTAKES = """
from typing import Any
from pydantic import BaseModel
from answergraph import ToolStrategy, create_agent

class Verdict(BaseModel):
    passed: bool

question: dict[str, Any] = {"messages": ["Did it pass?"]}
create_agent("m", response_format=Verdict).invoke(question)["structured_response"].passed
create_agent("m", response_format=ToolStrategy(Verdict)).invoke(question)["structured_response"].failed
create_agent("m", response_format=5)
create_agent("m", response_format=Verdict, limit=3)
"""

pytestmark = pytest.mark.checkers


def check(checker: str, *files: Path) -> subprocess.CompletedProcess[str]:
    """Run a checker of this environment on files, with this repository's package."""
    return subprocess.run(
        [sys.executable, *CHECKERS[checker], *map(str, files)],
        cwd=REPOSITORY,
        env={**os.environ, "MYPYPATH": str(REPOSITORY), "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("checker", CHECKERS)
def test_the_answers_type_follows_from_the_response_format(checker: str) -> None:
    result = check(checker, *SAMPLES)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_mistake_is_found_in_each_line(checker: str, tmp_path: Path) -> None:
    file = tmp_path / "mistakes.py"
    file.write_text(MISTAKES)
    result = check(checker, file)
    lines = MISTAKES.splitlines()
    first = lines.index(next(line for line in lines if line.startswith("create_agent"))) + 1
    found = [number for number in range(1, len(lines) + 1) if f"mistakes.py:{number}:" in result.stdout]
    assert found == list(range(first, first + 4)), result.stdout + result.stderr
