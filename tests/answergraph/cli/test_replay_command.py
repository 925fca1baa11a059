"""``answergraph replay`` as shells and people see it."""

from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver

from answergraph import create_agent
from answergraph.testing import ScriptedChatModel, Tape
from tests.answergraph.cli.test_command_line import answergraph

strict: Any = create_agent(ScriptedChatModel(replies=[]), response_format=bool)
AGENT = f"{__name__}:strict"


@pytest.fixture
def threads(tmp_path: Path) -> Path:
    path = tmp_path / "threads.db"
    with SqliteSaver.from_conn_string(str(path)) as saver:
        for name, reply in (("1", "true"), ("2", "false")):
            agent = create_agent(ScriptedChatModel(replies=[reply]), response_format=bool, checkpointer=saver)
            agent.invoke({"messages": "Refund?"}, {"configurable": {"thread_id": name}})
    return path


def test_every_stored_thread_is_run_again(threads: Path) -> None:
    code, out, err = answergraph("replay", str(threads), "--agent", AGENT)
    assert (code, err) == (0, "")
    assert sorted(out.splitlines()) == ["1  answered  as before", "2  answered  as before"]


def test_a_thread_is_saved_as_a_tape_and_the_tape_is_run(threads: Path, tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    assert answergraph("replay", str(threads), "--agent", AGENT, "--thread", "2", "--save", str(tape))[0] == 0
    assert Tape.load(tape).end["answer"] is False
    assert answergraph("replay", str(tape), "--agent", AGENT)[1] == "tape.jsonl  answered  as before\n"


def test_a_run_that_ends_otherwise_is_named_and_exits_with_1(threads: Path, tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"
    answergraph("replay", str(threads), "--agent", AGENT, "--thread", "2", "--save", str(path))
    path.write_text(path.read_text().replace('"answer": false', '"answer": true'))
    code, out, _ = answergraph("replay", str(path), "--agent", AGENT)
    assert code == 1
    assert out.startswith("tape.jsonl  answered  The field '' differs:")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no.db", "--agent", AGENT], "There is no file no.db"),
        (["{threads}", "--agent", "nowhere:agent"], "cannot be imported"),
        (["{threads}", "--agent", AGENT, "--save", "x.jsonl"], "name one with --thread"),
        (["{threads}", "--agent", AGENT, "--match", "loose"], "must be one of"),
    ],
)
def test_a_request_that_cannot_be_run_is_told(threads: Path, arguments: list[str], said: str) -> None:
    code, _, err = answergraph("replay", *(each.format(threads=threads) for each in arguments))
    assert code == 2
    assert said in err


def test_a_database_without_threads_is_told(tmp_path: Path) -> None:
    with SqliteSaver.from_conn_string(str(tmp_path / "empty.db")) as saver:
        saver.setup()
    code, _, err = answergraph("replay", str(tmp_path / "empty.db"), "--agent", AGENT)
    assert (code, "empty.db has no stored threads." in err) == (2, True)
