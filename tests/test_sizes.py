"""The size of the code, room by room, and what one answer passes, below the bounds of ``tests/suite/bounds.py``.

A reader's time is the budget. ``make sizes`` prints the figures, and writes two tables of ``docs/architecture.md``.
"""

import re
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
from tests.suite import bounds

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
_TABLE = re.compile(r"\| room \|.*?(?=\n\n)", re.DOTALL)
_LIFE = re.compile(r"(?:^\| \d+ \| `[^`]+` \| [^\n]+ \|\n)+", re.MULTILINE)
_FILE_OF_A_LIFE = re.compile(r"^\| \d+ \| `([^`]+)` \| (.+) \|$", re.MULTILINE)


class CountedVerdict(BaseModel):
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
        return "CountedVerdict()"

    __str__ = __repr__


class Noted(CountedVerdict):
    """Has a default, so that its JSON differs from what the model writes."""

    note: str = ""


COUNTED: Counter[str] = Counter()


def core_dependencies() -> list[str]:
    """Return the dependencies of ``pip install answergraph``."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    dependencies: list[str] = project["dependencies"]
    return dependencies


def answer_path(response_format: type[CountedVerdict] = CountedVerdict, *, checkpointed: bool = False) -> list[tuple[str, str]]:
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
        and path.relative_to(ROOT).parts[0] in bounds.FOLDERS
        and path.name not in ("scripted_model.py", "in_process_model.py")  # the fake model and its base
    ]


def written(page: str) -> str:
    """Return the architecture page with the files that an answer passes in a run, and the table of the rooms."""
    what_for = dict(_FILE_OF_A_LIFE.findall(page))
    files = enumerate(dict.fromkeys(file for file, _ in answer_path()), start=1)
    life = "".join(f"| {number} | `{file}` | {what_for.get(file, 'TODO')} |\n" for number, file in files)
    return _TABLE.sub(lambda _: bounds.table(), _LIFE.sub(lambda _: life, page, count=1), count=1)


@pytest.mark.parametrize("room", [*bounds.CORE, *bounds.ADD_ONS], ids=lambda room: room.place)
def test_a_room_holds_no_more_than_its_bound(room: bounds.Room) -> None:
    assert room.files, "a room that is gone goes from the table too"
    assert bounds.lines_of(room.files) <= room.lines
    assert bounds.uses_of_any(room.files) <= room.any_uses


def test_each_file_belongs_to_one_room() -> None:
    # rglob does not follow the links of answergraph/: each folder is seen once.
    files = [path for folder in bounds.FOLDERS for path in (ROOT / folder).rglob("*.py")]
    times = Counter(path for room in (*bounds.CORE, *bounds.ADD_ONS) for path in room.files)
    assert {path.relative_to(ROOT).as_posix(): times[path] for path in files if times[path] != 1} == {}


def test_few_values_of_the_library_have_no_type() -> None:
    files = [path for room in (*bounds.CORE, *bounds.ADD_ONS) for path in room.files]
    assert 1000 * bounds.uses_of_any(files) / bounds.code_lines(files) <= bounds.ANY_PER_THOUSAND_LINES


def test_the_architecture_page_shows_the_bounds_and_the_files_of_a_run() -> None:
    page = PAGE.read_text()
    assert bounds.table() in page, "make sizes writes it"
    # Not the order, which other versions of LangGraph may change.
    assert set(dict(_FILE_OF_A_LIFE.findall(page))) == {file for file, _ in answer_path()}, "make sizes writes it"
    assert "TODO" not in page, "say what the file does with the answer"


def test_one_answer_passes_few_files_and_functions() -> None:
    path = answer_path()
    files = list(dict.fromkeys(file for file, _ in path))
    assert len(files) <= bounds.FILES_OF_AN_ANSWER, files
    assert len(path) <= bounds.FUNCTIONS_OF_AN_ANSWER, path


@pytest.mark.parametrize("checkpointed", [False, True])
def test_one_answer_is_validated_and_dumped_once_and_printed_for_the_receipt_only(checkpointed: bool) -> None:
    answer_path(checkpointed=checkpointed)
    assert COUNTED["validations"] <= bounds.VALIDATIONS_OF_AN_ANSWER
    assert COUNTED["dumps"] <= bounds.DUMPS_OF_AN_ANSWER
    assert COUNTED["reprs"] <= bounds.REPRS_OF_AN_ANSWER


@pytest.mark.parametrize("checkpointed", [False, True])
def test_an_answer_with_defaults_is_validated_twice_and_dumped_once(checkpointed: bool) -> None:
    # Its JSON must restore it, and that JSON is not what the model wrote.
    answer_path(Noted, checkpointed=checkpointed)
    assert COUNTED["validations"] <= bounds.VALIDATIONS_WITH_DEFAULTS
    assert COUNTED["dumps"] <= bounds.DUMPS_OF_AN_ANSWER


def test_the_core_has_few_dependencies() -> None:
    assert len(core_dependencies()) <= bounds.CORE_DEPENDENCIES


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
    for title, rooms in (("core", bounds.CORE), ("add-ons", bounds.ADD_ONS)):
        lines = {each.place: bounds.lines_of(each.files) for each in rooms}
        print(f"{title}: {sum(lines.values()):,} lines of Python")
        for each in rooms:
            uses = bounds.uses_of_any(each.files)
            print(f"  {each.place}: {lines[each.place]:,} of {each.lines:,} lines, Any {uses} of {each.any_uses} times")
    steps = answer_path()
    print(f"core: {len(core_dependencies())} dependencies")
    print(f"one answer: {len({file for file, _ in steps})} files, {len(steps)} functions, {dict(COUNTED)}")
    for name in dict.fromkeys(file for file, _ in steps):
        print(f"  {name}: {', '.join(function for file, function in steps if file == name)}")
