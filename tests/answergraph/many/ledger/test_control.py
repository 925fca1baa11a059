"""A person pauses a map through its ledger, and asks for rows again at the next start."""

import sqlite3
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

from answergraph import AgentSpecError
from answergraph.many import MapRun, map_answers
from answergraph.many.ledger.control import LedgerControl
from answergraph.many.ledger.rows import Group
from tests.answergraph.many.invoices import agent_of, collected, read_number, rows
from tests.suite.colors import Run


def mapped(place: Path, reply: Any = read_number, count: int = 20, **options: Any) -> MapRun[Any]:
    return map_answers(agent_of(reply), rows(count), key="id", input="body", ledger=place, concurrency=2, **options)


def test_a_pause_lets_what_is_under_way_end_and_the_next_start_goes_on(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "run.db"
    mapped(place)  # makes the ledger
    asked: list[str] = []
    one_at_a_time = Lock()

    def reply(text: str) -> str:
        with one_at_a_time:  # so that nobody ends, and makes room for the next, before the pause is written
            asked.append(text)
            if len(asked) == 5:
                LedgerControl(place).pause()
        return read_number(text)

    paused = mapped(place, reply)
    ends = collected(run, paused)
    assert paused.stopped == "A person paused the map."
    assert 5 <= len(asked) <= 6, "two rows are under way at a time"
    assert paused.counts() == {"answered": len(asked), "out_of_budget": 20 - len(asked)}
    left = [row for row in ends.values() if row.status != "answered"]
    assert {(row.group.rule, row.reason) for row in left} == {("paused", "Not asked: A person paused the map.")}
    more = mapped(place, reply)
    collected(run, more)
    assert (more.stopped, more.counts(), len(asked)) == (None, {"answered": 20}, 20)


def test_at_a_pause_an_equal_input_has_the_answer_of_the_one_under_way(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "run.db"

    def reply(text: str) -> str:
        LedgerControl(place).pause()
        return read_number(text)

    same = [{"id": f"k{number}", "body": "Invoice 7"} for number in range(5)]
    # All are read at once: a row that is read after the pause waits for nothing, and may be left for another time.
    one = map_answers(agent_of(reply), same, key="id", input="body", ledger=place, concurrency=5)
    assert [row.status for row in collected(run, one).values()] == ["answered"] * 5
    assert one.stopped is None


def test_a_pause_reaches_every_pass_that_writes_the_ledger(tmp_path: Path) -> None:
    maps = [mapped(tmp_path / "run.db") for _ in range(2)]
    passes = [iter(each) for each in maps]
    for each in passes:
        next(each)
    LedgerControl(tmp_path / "run.db").pause()
    for each in passes:
        list(each)
    assert [each.stopped for each in maps] == ["A person paused the map."] * 2


def test_rows_that_a_person_wants_are_asked_again_at_the_next_start_and_only_then(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "run.db"
    asked: list[str] = []

    def reply(text: str) -> str:
        asked.append(text)
        return "{}" if text in {"Invoice 3", "Invoice 4"} and len(asked) <= 6 else read_number(text)

    collected(run, mapped(place, reply, 6))
    control = LedgerControl(place)
    [wrong] = [group for group in mapped(place, reply, 6).groups() if group.status == "invalid"]
    control.again(Group("answered"), wanted=True)
    control.again(wrong, wanted=True)
    control.again(Group("answered"), wanted=False)
    assert len(asked) == 6, "nothing is asked before a start"
    again = mapped(place, reply, 6)
    collected(run, again)
    assert sorted(asked[6:]) == ["Invoice 3", "Invoice 4"]
    assert again.counts() == {"answered": 6}
    collected(run, mapped(place, reply, 6))
    assert len(asked) == 8, "a wish is fulfilled once"


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "other.db") as database:
        database.execute("CREATE TABLE other (name TEXT)")
    database.close()
    with pytest.raises(AgentSpecError, match="cannot be used: no such table"):
        LedgerControl(tmp_path / "other.db")
