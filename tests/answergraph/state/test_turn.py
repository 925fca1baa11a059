"""A turn is read from the state: each row is a state, and what the turn says of it."""

import ast
import re
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from answergraph import ToolStrategy
from answergraph.state.ledger import ANSWER_REQUEST, LEDGER, empty_ledger
from answergraph.state.turn import CallNames, Turn
from tests.graphs.agent.scripted_agents import GOOD, Verdict, agent_of, calls
from tests.graphs.agent.scripted_agents import call as scripted
from tests.suite.replies import call, malformed, result, said

ROOT = Path(__file__).parents[3]

NAMES = CallNames(
    answers=frozenset({"Verdict"}), external=frozenset({"confirm"}), returns_directly={"search": False, "stop": True}
)
USER = HumanMessage("question")


def turn(*messages: Any, **records: Any) -> Turn:
    state: Any = {"messages": list(messages), **records}
    return Turn(state, NAMES)


@pytest.mark.parametrize(
    ("messages", "kinds"),
    [
        ([USER], []),
        ([USER, said(text="hello")], []),
        ([USER, said(call("Verdict"))], [("answer", True)]),
        ([USER, said(call("search"), call("confirm", "2"))], [("tool", True), ("external", True)]),
        ([USER, said(call("search"), call("nobody", "2")), result()], [("tool", False), ("tool", True)]),
        ([USER, said(bad=(malformed("Verdict"), malformed("search", "2")))], [("answer", True), ("tool", True)]),
    ],
)
def test_calls_are_sorted_by_what_carries_them_out(messages: list[Any], kinds: list[Any]) -> None:
    assert [(each.kind, each.is_open) for each in turn(*messages).calls] == kinds


def test_malformed_calls_are_open_only_if_asked_for() -> None:
    read = turn(USER, said(call("search"), bad=(malformed("Verdict", "2"),)))
    assert [each["id"] for each in read.open("answer", "tool")] == ["1"]
    assert [each["id"] for each in read.open("answer", malformed=True)] == ["2"]


@pytest.mark.parametrize(
    ("reply", "ledger", "is_last_word"),
    [
        (said(call("search")), {}, False),
        (said(call("search")), {"last_call_made": True}, True),
        (said(call("search")), {"tools_were_off": True}, True),
        (AIMessage("no", response_metadata={"stop_reason": "refusal"}), {}, True),
    ],
)
def test_a_last_word_is_read_whatever_it_calls(reply: AIMessage, ledger: dict[str, Any], is_last_word: bool) -> None:
    assert turn(USER, reply, **{LEDGER: {**empty_ledger(), **ledger}}).is_last_word is is_last_word


def test_malformed_calls_are_new_unless_the_reply_before_had_the_same() -> None:
    assert turn(USER, said(bad=(malformed("search"),))).is_newly_malformed
    assert not turn(USER, said(bad=(malformed("search"),)), result(), said(bad=(malformed("search"),))).is_newly_malformed


def test_calls_that_a_hook_removed_are_carried_out_elsewhere_unless_they_are_ours() -> None:
    removed = [{"id": "7", "name": "pay", "args": {}}, {"id": "8", "name": "search", "args": {}}]
    read = turn(USER, said(text="later"), **{LEDGER: {**empty_ledger(), "taken_out": removed}})
    assert [each["id"] for each in read.elsewhere] == ["7"]
    assert read.has_lost_all_calls


def test_a_format_made_at_run_time_takes_its_names_from_the_record() -> None:
    names = CallNames(at_run_time=True)
    state: Any = {"messages": [USER, said(call("Verdict"))]}
    recorded: Any = {**state, ANSWER_REQUEST: {"declared": ["Verdict"], "has_next_strategy": False}}
    assert [each.kind for each in Turn(recorded, names).calls] == ["answer"]
    assert [each.kind for each in Turn(state, names).calls] == ["tool"]


def test_only_tools_that_all_return_directly_end_the_run() -> None:
    assert turn(USER, said(call("stop")), result(name="stop")).direct_results
    assert not turn(USER, said(call("stop"), call("search", "2")), result(name="stop"), result("2")).direct_results


def cut(*tool_calls: dict[str, Any]) -> AIMessage:
    return AIMessage("x", tool_calls=list(tool_calls), response_metadata={"finish_reason": "length"})


def test_tool_calls_that_were_cut_twice_in_a_row_repeat() -> None:
    one = cut(call("search"))
    assert turn(USER, one, result(), one, result()).repeats_cut_calls
    assert not turn(USER, one, result()).repeats_cut_calls
    assert not turn(USER, one, result(), said(call("search")), result(), one, result()).repeats_cut_calls
    assert not turn(USER, cut(), cut()).repeats_cut_calls


def test_an_earlier_reply_is_read_with_all_that_followed_it() -> None:
    own, written = said(call("Verdict")), said(text="Yours.")
    read = Turn({"messages": [USER, own, written]}, NAMES, at=1)
    assert (read.reply, list(read.after), [each.kind for each in read.calls]) == (own, [written], ["answer"])
    assert Turn({"messages": [USER, own]}, NAMES, at=-1).reply is None


KEYS_OF_RECORDS = {"LEDGER", "ANSWER_REQUEST", "RUNNING", "INNER_USAGE"}


def reads_of_records(source: str) -> list[int]:
    """Return the lines that read a record from a state by its key."""
    keys = KEYS_OF_RECORDS | {f"answergraph_{name}" for name in ("ledger", "offer", "running", "charges")}
    lines = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
            container, key = node.func.value, node.args[0]
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            container, key = node.value, node.slice
        else:
            continue
        is_state = isinstance(container, ast.Name) and container.id in ("state", "input")
        name = key.id if isinstance(key, ast.Name) else key.value if isinstance(key, ast.Constant) else None
        lines += [node.lineno] if is_state and name in keys else []
    return lines


def test_only_the_turn_reads_the_records_of_a_run_from_the_state() -> None:
    folders = [ROOT / folder for folder in ("answergraph", "graphs", "middleware", "nodes")]
    paths = [path for folder in folders for path in folder.rglob("*.py") if reads_of_records(path.read_text())]
    assert [path.name for path in paths] == ["turn.py"]


def test_routers_know_no_messages() -> None:
    routing = (ROOT / "graphs/agent/routing.py").read_text()
    assert "messages" not in {word for node in ast.walk(ast.parse(routing)) for word in re.findall(r"\w+", _imported(node))}


def _imported(node: ast.AST) -> str:
    return str(node.module) if isinstance(node, ast.ImportFrom) else ""


def questions_of_a_run(agent: Any, messages: list[Any]) -> Counter[Any]:
    """Return how often each turn of a run was asked each question."""
    asked: Counter[Any] = Counter()
    turns: list[Any] = []

    def note(frame: FrameType, event: str, argument: Any) -> None:
        name, of_turn = frame.f_code.co_name, frame.f_locals.get("self")
        if event == "call" and isinstance(of_turn, Turn) and name != "__init__":
            turns.append(of_turn)  # its id stays its own
            asked[id(of_turn), name, frame.f_locals.get("kinds", ())] += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        agent.invoke({"messages": messages})
    finally:
        sys.setprofile(before)
    return asked


@pytest.mark.parametrize(
    "replies",
    [
        [calls(scripted("Verdict", GOOD))],
        [calls(scripted("search", {"query": "a"})), calls(scripted("Verdict", GOOD, "2"))],
        [calls(scripted("search", {"query": "a"}), scripted("Verdict", GOOD, "2")), calls(scripted("Verdict", GOOD, "3"))],
        [AIMessage("prose"), AIMessage("prose"), AIMessage("prose")],
        [calls(scripted("Verdict", {})), calls(scripted("Verdict", GOOD, "2"))],
    ],
    ids=["an answer", "a tool", "an answer beside a tool", "prose", "a wrong answer"],
)
def test_a_visit_asks_its_turn_each_question_once(replies: list[Any]) -> None:
    agent, _ = agent_of(*replies, response_format=ToolStrategy(Verdict))
    assert set(questions_of_a_run(agent, [USER]).values()) == {1}
