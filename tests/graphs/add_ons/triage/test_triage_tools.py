"""The agents' tools: what they return, and that they return a message instead of failing."""

import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage

from answergraph.graphs.add_ons.triage.case_graph import explore_agent
from answergraph.graphs.add_ons.triage.run_files.case_facts import CaseFacts
from answergraph.graphs.add_ons.triage.triage_tools import MAX_PROBLEMS, TRIAGE_TOOLS
from answergraph.testing import ScriptedChatModel
from tests.graphs.add_ons.triage.junit_files import failed, passed, write_results
from tests.suite.colors import Run


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_results(tmp_path, passed("test_first"), failed("test_total", "E       assert 1 == 2\n\ntest_shop.py:4: AssertionError"))
    write_results(tmp_path, passed("test_total"), name="alone/results.xml")
    (tmp_path / "app.log").write_text("starting\nERROR no lamp\n")
    return tmp_path


def said(run: Run, place: Path, name: str, **args: Any) -> str:
    call = {"name": name, "args": args, "id": "call_1"}
    model = ScriptedChatModel(replies=[AIMessage("", tool_calls=[call]), "Done."])
    result = run(explore_agent(model), {"messages": ["Look."], "folder": str(place)})
    (answer,) = [message for message in result["messages"] if isinstance(message, ToolMessage)]
    return answer.text


def test_read_case_returns_everything_the_files_say(run: Run, place: Path) -> None:
    assert said(run, place, "read_case", case="results.xml#2").splitlines() == [
        "case: results.xml#2",
        "test: shop::test_total",
        "status: failed",
        "started: 2026-01-02T03:04:05",
        "seconds: not said",
        "ran after: 1 others, the last of them shop::test_first",
        "failed tries before: 0",
        "other results of this test in this environment: 1",
        "alone/results.xml: passed, ran after no other",
        "--- result of results.xml#2 ---",
        '<testcase classname="shop" name="test_total">',
        '<failure message="test_shop.py:4: AssertionError">',
        "--- message of results.xml#2 ---",
        "test_shop.py:4: AssertionError",
        "--- details of results.xml#2 ---",
        "E       assert 1 == 2",
        "",
        "test_shop.py:4: AssertionError",
        "--- other result of results.xml#2 ---",
        '<testcase classname="shop" name="test_total">',
    ]


def test_read_case_returns_its_facts_as_plain_json_beside_the_text(run: Run, place: Path) -> None:
    call = {"name": "read_case", "args": {"case": "results.xml#2"}, "id": "call_1"}
    agent = explore_agent(ScriptedChatModel(replies=[AIMessage("", tool_calls=[call]), "Done."]))
    (answer,) = [m for m in run(agent, {"messages": ["Look."], "folder": str(place)})["messages"] if isinstance(m, ToolMessage)]
    assert json.loads(json.dumps(answer.artifact)) == answer.artifact
    assert CaseFacts(**answer.artifact).text == answer.text


def test_lines_are_unchanged_below_a_heading_with_their_numbers(run: Run, place: Path) -> None:
    assert said(run, place, "read_lines", path="app.log", start=-1) == "[app.log lines 2 to 2 of 2, utf-8]\nERROR no lamp"


def test_each_match_has_its_file_and_line(run: Run, place: Path) -> None:
    assert said(run, place, "search", text="no lamp") == "app.log:2: ERROR no lamp"
    assert said(run, place, "search", text="^error", regex=True, under="alone") == "[No line matches.]"


def test_files_and_cases_are_listed(run: Run, place: Path) -> None:
    assert [line.split()[0] for line in said(run, place, "list_files").splitlines()] == [
        "alone/results.xml",
        "app.log",
        "results.xml",
    ]
    assert said(run, place, "list_failed_cases") == "results.xml#2 failed shop::test_total: test_shop.py:4: AssertionError"


@pytest.mark.parametrize(
    ("name", "args", "why"),
    [
        ("read_lines", {"path": "../secret"}, "'../secret' is not below the folder."),
        ("read_lines", {"path": "none.log"}, "'none.log' cannot be read: no such file or directory."),
        ("search", {"text": "(", "regex": True}, "is no regular expression of RE2"),
        ("search", {"text": "x", "under": "/etc"}, "'/etc' is not below the folder."),
        ("list_files", {"under": ".."}, "'..' is not below the folder."),
        ("read_case", {"case": "results.xml#9"}, "There is no case 'results.xml#9'"),
    ],
)
def test_an_impossible_request_is_reported_and_the_run_continues(
    run: Run, place: Path, name: str, args: dict[str, Any], why: str
) -> None:
    assert why in said(run, place, name, **args)


def test_many_unreadable_files_are_not_all_named(run: Run, place: Path) -> None:
    for number in range(MAX_PROBLEMS + 30):
        (place / f"core-{number:02}.dump").write_bytes(b"\0\1\2" * 10)
    lines = said(run, place, "search", text="no such text").splitlines()
    assert (len(lines), lines[-1]) == (MAX_PROBLEMS + 1, "[30 more files could not be read]")


def test_the_model_does_not_see_injected_arguments() -> None:
    shown = {tool.name: set(tool.tool_call_schema.model_json_schema()["properties"]) for tool in TRIAGE_TOOLS}  # type: ignore[union-attr]  # all are made from functions
    assert shown == {
        "list_failed_cases": set(),
        "read_case": {"case"},
        "list_files": {"under"},
        "read_lines": {"path", "start", "count"},
        "search": {"text", "regex", "under"},
    }


HOSTILE = (
    "l" * 300,
    "l/" * 3_000,
    "\ud800",
    "a\0b",
    "../results.xml",
    "/etc/passwd",
    "results.xml#" + "9" * 5_000,
    "",
    "(a+)+$",
    "[" * 999,
)


@pytest.mark.parametrize("tool", TRIAGE_TOOLS, ids=lambda tool: tool.name)
def test_a_tool_answers_any_arguments_and_the_run_continues(run: Run, place: Path, tool: Any) -> None:
    properties = tool.tool_call_schema.model_json_schema()["properties"]
    texts = [name for name, schema in properties.items() if schema.get("type") == "string"]
    numbers = {name: 10**30 for name, schema in properties.items() if schema.get("type") == "integer"}
    given = [
        args
        for odd in HOSTILE
        for args in (dict.fromkeys(texts, odd), {**dict.fromkeys(texts, odd), **numbers}, {name: [odd] for name in properties})
    ]
    asked = [{"name": tool.name, "args": args, "id": str(at)} for at, args in enumerate(given)]
    model = ScriptedChatModel(replies=[AIMessage("", tool_calls=asked), "Done."])
    result = run(explore_agent(model), {"messages": ["Look."], "folder": str(place)})
    texts = [message.text for message in result["messages"] if isinstance(message, ToolMessage)]
    assert len(texts) == len(given)
    assert "root:" not in "".join(texts)
