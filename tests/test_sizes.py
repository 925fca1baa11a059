"""The size of the code: the figures of ``docs/architecture.md``, which ``make sizes`` prints.

A reader's time is the budget. A change that exceeds a bound gives the reason here.
"""

import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from pydantic import BaseModel, field_validator

from answergraph import ToolStrategy, create_agent
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import call, calls

ROOT = Path(__file__).parents[1]
FOLDERS = ("answergraph", "graphs", "middleware", "nodes")

# The compiled agent takes its own keys out of a caller's command; ``own_keys`` takes them out of what traces record.
# The model's visit compares what was sent with the conversation (``as_sent``), so that a redaction is known.
MAX_FILES_OF_AN_ANSWER = 23
MAX_FUNCTIONS_OF_AN_ANSWER = 118
MAX_VALIDATIONS_OF_AN_ANSWER = 2
MAX_CORE_DEPENDENCIES = 8


class Verdict(BaseModel):
    passed: bool

    validations: int = 0

    @field_validator("passed")
    @classmethod
    def count(cls, passed: bool) -> bool:
        COUNTED.append(passed)
        return passed


COUNTED: list[bool] = []


def library_lines() -> int:
    """Return the lines of the library's Python files, comments and blank lines included."""
    # rglob does not follow the links of answergraph/: each folder is counted once.
    return sum(len(path.read_text().splitlines()) for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


def core_dependencies() -> list[str]:
    """Return the dependencies of ``pip install answergraph``."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    found: list[str] = project["dependencies"]
    return found


def answer_path() -> list[tuple[str, str]]:
    """Return the file and name of each function of ours that one answer passes, in the order of their first call.

    The answer comes by the tool strategy in the agent's second run: what is imported, bound and built is so by then.
    Comprehensions do not count: they are no functions from Python 3.12 on.
    """
    reply = calls(call("Verdict", {"passed": True}))
    agent: Any = create_agent(ScriptedChatModel(replies=[reply, reply.model_copy()]), [], response_format=ToolStrategy(Verdict))
    agent.invoke({"messages": ["Go."]})
    COUNTED.clear()
    return functions_called(lambda: agent.invoke({"messages": ["Go."]}))


def functions_called(work: Callable[[], Any]) -> list[tuple[str, str]]:
    """Return the functions of the library that some work calls."""
    seen: dict[CodeType, None] = {}

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            seen.setdefault(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return [
        (path.relative_to(ROOT).as_posix(), code.co_qualname)
        for code in seen
        if code.co_name not in ("<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>")
        and (path := Path(code.co_filename).resolve()).is_relative_to(ROOT)
        and path.relative_to(ROOT).parts[0] in FOLDERS
        and path.name not in ("testing.py", "in_process_model.py")  # the fake model and its base
    ]


def test_one_answer_passes_few_files_and_functions() -> None:
    path = answer_path()
    files = list(dict.fromkeys(file for file, _ in path))
    assert len(files) <= MAX_FILES_OF_AN_ANSWER, files
    assert len(path) <= MAX_FUNCTIONS_OF_AN_ANSWER, path


def test_one_answer_is_validated_twice_at_most() -> None:
    answer_path()
    assert len(COUNTED) <= MAX_VALIDATIONS_OF_AN_ANSWER


def test_the_core_has_few_dependencies() -> None:
    assert len(core_dependencies()) <= MAX_CORE_DEPENDENCIES


if __name__ == "__main__":
    steps = answer_path()
    print(f"library: {library_lines():,} lines of Python")
    print(f"core: {len(core_dependencies())} dependencies")
    print(f"one answer: {len({file for file, _ in steps})} files, {len(steps)} functions, {len(COUNTED)} validations")
    for each in dict.fromkeys(file for file, _ in steps):
        print(f"  {each}: {', '.join(name for file, name in steps if file == each)}")
