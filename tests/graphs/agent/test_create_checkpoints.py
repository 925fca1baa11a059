"""An answer keeps its declared type everywhere: in every checkpointer, in another process, and without a warning."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.graphs.agent.threads_program import KINDS, Color, Part, Report

ROOT = Path(__file__).parents[3]
EXPECTED = {name: repr(kind.value) for name, kind in KINDS.items()}


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "threads.db") if request.param == "sqlite" else request.getfixturevalue("postgres_database")


def process(command: str, database: str, *, strict: bool) -> dict[str, Any]:
    """Run the program in a separate process, because LangGraph reads its mode once."""
    program = [sys.executable, "-m", "tests.graphs.agent.threads_program", command, database]
    environment = {**os.environ, "LANGGRAPH_STRICT_MSGPACK": str(strict).lower(), "LANGSMITH_TRACING": "false"}
    done = subprocess.run(program, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.torture
@pytest.mark.parametrize("strict", [True, False], ids=["strict", "default"])
def test_every_kind_of_answer_is_the_same_in_every_place_and_in_a_second_process(database: str, strict: bool) -> None:
    for command in ("begin", "resume"):
        report = process(command, database, strict=strict)
        assert {name: set(shown) for name, shown in report["found"].items()} == {name: {text} for name, text in EXPECTED.items()}
        assert report["warned"] == []


def test_the_values_compared_have_their_types_inside_as_well() -> None:
    report = KINDS["model"].value
    assert isinstance(report, Report)
    assert isinstance(report.parts[0], Part)
    assert report.parts[0].color is Color.RED
