"""The size of the code: the figures of ``docs/architecture.md``, which ``make sizes`` prints.

A reader's time is the budget. A change that exceeds a bound gives the reason here.
"""

import sys
import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Self

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel, SerializerFunctionWrapHandler, model_serializer, model_validator

from answergraph import ToolStrategy, create_agent
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import call, calls

ROOT = Path(__file__).parents[1]
FOLDERS = ("answergraph", "graphs", "middleware", "nodes")

# The compiled agent takes its own keys out of a caller's command; ``own_keys`` takes them out of what traces record.
# The model's visit compares what was sent with the conversation (``as_sent``), so that a redaction is known.
# Two files and five functions are the answer with its JSON, and the snapshots that show whether it was changed.
# One file is the loop that asks the model, which the judge and the kit use as well.
# What is sent is looked at before (``legal_history``), so that no server refuses a thread for what is in it.
# One file is the turn, which every node and router reads instead of the messages.
MAX_FILES_OF_AN_ANSWER = 28
MAX_FUNCTIONS_OF_AN_ANSWER = 124
MAX_VALIDATIONS_OF_AN_ANSWER = 1
MAX_VALIDATIONS_WITH_DEFAULTS = 2
MAX_DUMPS_OF_AN_ANSWER = 1
MAX_REPRS_OF_AN_ANSWER = 1
"""The receipt, the tool message in LangChain's words."""
MAX_CORE_DEPENDENCIES = 8


class Verdict(BaseModel):
    passed: bool

    @model_validator(mode="after")
    def count_validation(self) -> Self:
        COUNTED["validations"] += 1
        return self

    @model_serializer(mode="wrap")
    def count_dump(self, dump: SerializerFunctionWrapHandler) -> Any:
        COUNTED["dumps"] += 1
        return dump(self)

    def __repr__(self) -> str:
        COUNTED["reprs"] += 1
        return "Verdict()"

    __str__ = __repr__


class Noted(Verdict):
    """Has a default, so that its JSON differs from what the model writes."""

    note: str = ""


COUNTED: Counter[str] = Counter()


def library_lines() -> int:
    """Return the lines of the library's Python files, comments and blank lines included."""
    # rglob does not follow the links of answergraph/: each folder is counted once.
    return sum(len(path.read_text().splitlines()) for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


def core_dependencies() -> list[str]:
    """Return the dependencies of ``pip install answergraph``."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    found: list[str] = project["dependencies"]
    return found


def answer_path(response_format: type[Verdict] = Verdict, *, checkpointed: bool = False) -> list[tuple[str, str]]:
    """Return the file and name of each function of ours that one answer passes, in the order of their first call.

    The answer comes by the tool strategy in the agent's second run: what is imported, bound and built is so by then.
    Comprehensions do not count: they are no functions from Python 3.12 on.
    """
    reply = calls(call(response_format.__name__, {"passed": True}))
    model = ScriptedChatModel(replies=[reply, reply.model_copy()])
    saver = InMemorySaver() if checkpointed else None
    agent: Any = create_agent(model, [], response_format=ToolStrategy(response_format), checkpointer=saver)
    first, second = ({"configurable": {"thread_id": name}} for name in "12")
    agent.invoke({"messages": ["Go."]}, first)
    COUNTED.clear()
    return functions_called(lambda: agent.invoke({"messages": ["Go."]}, second))


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
        and path.name not in ("scripted_model.py", "in_process_model.py")  # the fake model and its base
    ]


def test_one_answer_passes_few_files_and_functions() -> None:
    path = answer_path()
    files = list(dict.fromkeys(file for file, _ in path))
    assert len(files) <= MAX_FILES_OF_AN_ANSWER, files
    assert len(path) <= MAX_FUNCTIONS_OF_AN_ANSWER, path


@pytest.mark.parametrize("checkpointed", [False, True])
def test_one_answer_is_validated_and_dumped_once_and_printed_for_the_receipt_only(checkpointed: bool) -> None:
    answer_path(checkpointed=checkpointed)
    assert COUNTED["validations"] <= MAX_VALIDATIONS_OF_AN_ANSWER
    assert COUNTED["dumps"] <= MAX_DUMPS_OF_AN_ANSWER
    assert COUNTED["reprs"] <= MAX_REPRS_OF_AN_ANSWER


@pytest.mark.parametrize("checkpointed", [False, True])
def test_an_answer_with_defaults_is_validated_twice_and_dumped_once(checkpointed: bool) -> None:
    # Its JSON must restore it, and that JSON is not what the model wrote.
    answer_path(Noted, checkpointed=checkpointed)
    assert COUNTED["validations"] <= MAX_VALIDATIONS_WITH_DEFAULTS
    assert COUNTED["dumps"] <= MAX_DUMPS_OF_AN_ANSWER


def test_the_core_has_few_dependencies() -> None:
    assert len(core_dependencies()) <= MAX_CORE_DEPENDENCIES


if __name__ == "__main__":
    steps = answer_path()
    print(f"library: {library_lines():,} lines of Python")
    print(f"core: {len(core_dependencies())} dependencies")
    print(f"one answer: {len({file for file, _ in steps})} files, {len(steps)} functions, {dict(COUNTED)}")
    for each in dict.fromkeys(file for file, _ in steps):
        print(f"  {each}: {', '.join(name for file, name in steps if file == each)}")
