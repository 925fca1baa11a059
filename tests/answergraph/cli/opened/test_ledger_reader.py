"""What a ledger says to those who only read it, and that a hundred thousand rows are not looked at."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from answergraph import AgentSpecError
from answergraph.cli.opened.ledger_reader import LedgerReader
from answergraph.many import map_answers
from tests.answergraph.many.invoices import agent_of

MANY = 100_000
BODIES = ["Invoice 1", "Invoice 2", "no number", "Invoice 3", "nothing", "none"]


def mapped(place: Path, **options: Any) -> LedgerReader:
    """Map six rows, of which three have no number."""
    rows = [{"id": f"k{number}", "body": body} for number, body in enumerate(BODIES)]
    list(map_answers(agent_of(), rows, key="id", input="body", ledger=place, concurrency=1, **options))
    return LedgerReader(place)


def with_copies(place: Path, count: int) -> None:
    """Copy an answered row of a ledger, so that it has many."""
    with sqlite3.connect(place) as database:
        copied = (
            "SELECT 'r' || printf('%06d', n), input, state, owner, lease, status, field, rule, answer, outcome, seconds, agent"
        )
        numbers = f"WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < {count})"
        one = "(SELECT * FROM answergraph_rows WHERE status = 'answered' LIMIT 1)"
        database.execute(f"INSERT INTO answergraph_rows {numbers} {copied} FROM c, {one}")
        database.execute("UPDATE answergraph_groups SET count = count + ? WHERE status = 'answered'", (count,))
    database.close()


def test_a_ledger_says_how_its_rows_ended_and_shows_each(tmp_path: Path) -> None:
    ledger = mapped(tmp_path / "run.db")
    summary: dict[str, Any] = ledger.summary({})
    assert [(group["status"], group["field"], group["count"]) for group in summary["groups"]] == [
        ("answered", "", 3),
        ("invalid", "number", 3),
    ]
    assert (summary["at_work"], summary["again"], summary["stopped"]) == (0, 0, None)
    assert summary["usage"]["model_calls"] == 6
    page: dict[str, Any] = ledger.rows(summary["groups"][1])
    assert [row["key"] for row in page["rows"]] == ["k2", "k4", "k5"]
    assert "number" in page["rows"][0]["reason"]
    rest: dict[str, Any] = ledger.rows({**summary["groups"][1], "after": "k2"})
    assert [row["key"] for row in rest["rows"]] == ["k4", "k5"]
    row: dict[str, Any] = ledger.row({"key": "k1"})
    assert (row["answer"], row["outcome"]["status"], row["state"]) == ({"number": 2}, "answered", "done")
    assert ledger.row({"key": "other"}) == {"key": None}


def test_a_ledger_says_why_the_last_pass_stopped_until_one_does_not(tmp_path: Path) -> None:
    place = tmp_path / "run.db"
    stopped: Any = mapped(place, stop_after=1).summary({})["stopped"]
    assert "1 rows in a row ended without an answer" in stopped["reason"]
    assert stopped["left"] == 3
    assert mapped(place, stop_after=None).summary({})["stopped"] is None


def test_no_question_about_a_hundred_thousand_rows_looks_at_all_of_them(tmp_path: Path) -> None:
    place = tmp_path / "run.db"
    ledger = mapped(place)
    with_copies(place, MANY)
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    connect = sqlite3.connect

    def counted(*args: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*args, **options)
        connection.set_progress_handler(count, 1000)
        return connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite3, "connect", counted)
        summary: dict[str, Any] = ledger.summary({})
        assert summary["groups"][0]["count"] == MANY + 3
        for group in summary["groups"]:
            page: dict[str, Any] = ledger.rows(group)
            assert len(page["rows"]) == min(group["count"], 50)
        assert ledger.row({"key": "r099999"})["status"] == "answered"
    assert steps < 20, "thousands of steps of SQLite's machine; a scan takes hundreds"


def test_another_database_is_refused(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "other.db").close()
    (tmp_path / "other.db").touch()
    with pytest.raises(AgentSpecError, match="is no ledger of a map"):
        LedgerReader(tmp_path / "other.db")
