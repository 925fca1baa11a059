"""The tools of the example's agents in the project's folder: read, replace, run the tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated, NotRequired

from langchain_core.tools import BaseTool, ToolException, tool
from langgraph.prebuilt import InjectedState

from answergraph.state.agent_state import AgentState

TIMEOUT_SECONDS = 60
"""Seconds that the tests may take."""
MAX_OUTPUT = 4_000
"""Characters of the tests' output that are shown, from its end."""


class ProjectState(AgentState):
    """The state of an agent that works in a project's folder."""

    folder: NotRequired[str]


@tool
def read_file(file: str, folder: Annotated[str, InjectedState("folder")]) -> str:
    """Read a file of the project."""
    path = _inside(folder, file)
    if not path.is_file():
        raise ToolException(f"There is no file {file!r}; there are {files_of(Path(folder))!r}.")
    return path.read_text(encoding="utf-8")


@tool
def replace_in_file(file: str, old: str, new: str, folder: Annotated[str, InjectedState("folder")]) -> str:
    """Replace a piece of a file by another one; the piece must stand in the file exactly once."""
    path = _inside(folder, file)
    if file.startswith("test_") or not path.is_file():
        raise ToolException(f"{file!r} is no file that may be changed: tests stay as they are.")
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise ToolException(f"{old!r} stands in {file!r} {text.count(old)} times, not once.")
    path.write_text(text.replace(old, new), encoding="utf-8")
    return f"Replaced in {file}."


@tool
def run_tests(folder: Annotated[str, InjectedState("folder")]) -> str:
    """Run the project's tests and return what they print; the first line says PASSED or FAILED."""
    return report_of_tests(Path(folder))


for each in (read_file, replace_in_file):
    each.handle_tool_error = True  # the model gets the error, and the run continues

READING: tuple[BaseTool, ...] = (read_file, run_tests)
CHANGING: tuple[BaseTool, ...] = (read_file, replace_in_file)
RUNNING: tuple[BaseTool, ...] = (run_tests,)


def report_of_tests(folder: Path) -> str:
    """Run the tests of a folder in a separate process."""
    # No bytecode: Python would miss a change within a second that keeps the file's length.
    command = [sys.executable, "-B", "-m", "unittest", "discover", "-s", ".", "-p", "test_*.py"]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHON_COLORS": "0"}
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"FAILED\nThe tests took longer than {TIMEOUT_SECONDS} seconds."
    return f"{'FAILED' if done.returncode else 'PASSED'}\n{(done.stdout + done.stderr)[-MAX_OUTPUT:]}"


def files_of(folder: Path) -> list[str]:
    """Return the names of a folder's Python files."""
    return sorted(path.name for path in folder.glob("*.py"))


def _inside(folder: str, file: str) -> Path:
    root = Path(folder).resolve()
    path = (root / file).resolve()
    if not path.is_relative_to(root):
        raise ToolException(f"{file!r} lies outside the project.")
    return path
