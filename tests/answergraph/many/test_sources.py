"""Rows that nobody expects: each ends as a typed row or in an error that says what to write, and no row is lost unseen."""

import datetime
import json
import resource
import sqlite3
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from answergraph import AgentSpecError, create_agent
from answergraph.many import ArrowMap, map_answers
from answergraph.many.ledger.map_ledger import LEASE_SECONDS
from answergraph.testing import ScriptedChatModel
from tests.answergraph.many.invoices import agent_of, collected, read_number, rows
from tests.suite.colors import Run

LINE = '{"id": "a", "body": "Invoice 1"}'
LARGE = "x" * 200_000 + " 1"
TIME = pa.array([2**62], pa.timestamp("ns"))


def mapped(source: Any, **options: Any) -> Any:
    return map_answers(options.pop("agent", None) or agent_of(), source, **{"key": "id", "input": "body", **options})


def written(folder: Path, name: str, content: bytes) -> Path:
    (folder / name).write_bytes(content)
    return folder / name


@pytest.mark.parametrize(
    ("name", "content", "keys"),
    [
        ("empty.jsonl", b"", []),
        ("empty.csv", b"", []),
        ("header.csv", b"id,body\r\n", []),
        ("bom.jsonl", b"\xef\xbb\xbf" + LINE.encode(), ["a"]),
        ("bom.csv", b"\xef\xbb\xbfid,body\r\na,Invoice 1\r\n", ["a"]),
        ("ends.jsonl", LINE.encode() + b"\r\n\r\n", ["a"]),
        ("large.csv", f"id,body\na,{LARGE}\n".encode(), ["a"]),
        ("large.jsonl", json.dumps({"id": "a", "body": LARGE}).encode(), ["a"]),
        ("nul.csv", b"id,body\na,Inv\x00oice 1\n", ["a"]),
    ],
)
def test_odd_files_are_read(run: Run, tmp_path: Path, name: str, content: bytes, keys: list[str]) -> None:
    every = collected(run, mapped(written(tmp_path, name, content)))
    assert {key: row.status for key, row in every.items()} == dict.fromkeys(keys, "answered")


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.parquet", b"", "empty.parquet cannot be read after 0 rows"),
        ("other.parquet", b"no Parquet at all", "other.parquet cannot be read after 0 rows"),
        ("wide.jsonl", LINE.encode("utf-16"), "Text files are UTF-8"),
        ("old.csv", b"id,body\na,Fran\xe7ais 1\n", "Text files are UTF-8: convert with 'iconv -f latin1 -t utf-8'."),
        ("deep.jsonl", b'{"id": 1, "body": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "line 1, is not JSON"),
        ("list.jsonl", b"[" + LINE.encode() + b"]", "line 1, is not a JSON object"),
        ("twice.csv", b"id,body,body\na,Invoice 1,Invoice 2\n", "two columns with the name 'body'"),
        ("comma.csv", b"id,body\na,Invoice 1, of May\n", "line 2, has more fields than the header"),
        ("open.csv", b'id,body\na,"Invoice 1\nb,Invoice 2\n', "unexpected end of data"),
        ("other.csv", b"id;body\na;Invoice 1\n", "no column 'id'. Its columns: id;body"),
    ],
)
def test_files_that_cannot_be_read_are_refused(run: Run, tmp_path: Path, name: str, content: bytes, says: str) -> None:
    with pytest.raises(AgentSpecError) as caught:
        collected(run, mapped(written(tmp_path, name, content)))
    assert says in str(caught.value)


def test_parquet_columns_that_are_not_asked_for_are_not_read(run: Run, tmp_path: Path) -> None:
    table = pa.table({"id": [1], "body": ["Invoice 1"], "at": TIME})
    parquet.write_table(table, tmp_path / "rows.parquet")
    assert collected(run, mapped(tmp_path / "rows.parquet"))["1"].status == "answered"
    with pytest.raises(AgentSpecError, match=r"rows.parquet cannot be read after 0 rows: Nanosecond"):
        collected(run, mapped(tmp_path / "rows.parquet", input="at"))


def test_values_of_parquet_that_are_no_text_end_as_typed_rows(run: Run, tmp_path: Path) -> None:
    table = pa.table({"id": [1, 2], "null": pa.array([None, "Invoice 2"]), "number": [Decimal("1.5")] * 2, "raw": [b"\xff"] * 2})
    parquet.write_table(table, tmp_path / "rows.parquet")
    for column, answered in (("null", 1), ("number", 0), ("raw", 0)):
        run_ = mapped(tmp_path / "rows.parquet", input=column)
        assert [row.status for row in collected(run, run_).values()].count("answered") == answered
        assert run_.to_arrow().num_rows == 2


@pytest.mark.parametrize("key", [1, 2.5, True, b"x", (1, 2), {"a": [1]}, datetime.date(2026, 1, 2), Decimal("1.50"), ""])
def test_keys_of_any_type_are_taken_as_texts(run: Run, key: Any) -> None:
    assert [*collected(run, mapped([{"id": key, "body": "Invoice 1"}]))] == [str(key)]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"body": "Invoice 2"}, "Row 2 has no key: no column 'id'. Its columns: body; key= names one."),
        ({"id": None, "body": "Invoice 2"}, "Row 2 has no key: its 'id' is None."),
        ({"id": "\ud800", "body": "Invoice 2"}, r"Row 2 has the key '\ud800', which is no text that can be stored."),
        ({"id": "a\0b", "body": "Invoice 2"}, r"Row 2 has the key 'a\x00b', which is no text that can be stored."),
        ({"id": "k0", "body": "Invoice 2"}, "Rows 1 and 2 have the same key 'k0' and other inputs."),
    ],
)
def test_a_row_whose_key_names_nothing_is_refused_when_the_rows_before_it_have_ended(
    run: Run, tmp_path: Path, more: dict[str, Any], says: str
) -> None:
    with pytest.raises(AgentSpecError) as caught:
        collected(run, mapped([*rows(1), more], ledger=tmp_path / "run.db"))
    assert says in str(caught.value)
    assert mapped(rows(1), ledger=tmp_path / "run.db").counts() == {"answered": 1}


def test_rows_that_repeat_a_key_with_an_equal_input_are_counted(run: Run) -> None:
    mapping = mapped([*rows(2), *rows(2), *rows(1)])
    assert len(collected(run, mapping)) == 2
    assert mapping.notes == [
        "Rows that repeat a key with an equal input, and are not rows of their own: 3, first 'k0' in rows 1 and 3."
    ]


@pytest.mark.parametrize("wrong", [{"key": 5}, {"input": None}, {"concurrency": None}, {"concurrency": 1.5}, {"stop_after": 1.5}])
def test_what_is_no_column_and_no_number_is_refused_before_a_row_is_asked(wrong: Any) -> None:
    with pytest.raises(AgentSpecError, match=next(iter(wrong))):
        map_answers(agent_of(), rows(3), **{"key": "id", "input": "body", **wrong})


def test_an_iterator_is_gone_over_once(run: Run) -> None:
    once = mapped(iter(rows(3)))
    assert len(collected(run, once)) == 3
    with pytest.raises(AgentSpecError, match="The rows are an iterator, and were read: pass map_answers a path or a list"):
        collected(run, once)


def test_a_key_function_that_raises_is_the_developers_mistake(run: Run) -> None:
    with pytest.raises(AgentSpecError, match="Row 1 has no key: ZeroDivisionError"):
        collected(run, mapped(rows(1), key=lambda row: 1 / 0))


def test_a_cursor_that_raises_in_the_middle_loses_no_row_that_it_gave(run: Run, tmp_path: Path) -> None:
    def cursor() -> Iterator[dict[str, Any]]:
        yield from rows(2)
        raise sqlite3.OperationalError("The connection was lost.")

    with pytest.raises(sqlite3.OperationalError, match="connection was lost"):
        collected(run, mapped(cursor(), ledger=tmp_path / "run.db"))
    assert mapped(rows(2), ledger=tmp_path / "run.db").counts() == {"answered": 2}


def test_halves_of_surrogate_pairs_end_as_typed_rows_in_tables_too(run: Run) -> None:
    def reply(messages: list[Any]) -> str:
        if "raises" in messages[0].text:
            raise RuntimeError("half a pair: \ud800")
        return '{"number": "\\ud800"}'

    agent = create_agent(ScriptedChatModel(replies=reply), response_format=dict[str, str])
    bodies = {"answer": "Invoice", "error": "It raises.", "input": "half \ud800"}
    mapping = mapped([{"id": key, "body": body} for key, body in bodies.items()], agent=agent)
    every = collected(run, mapping)
    assert every["answer"].answer == {"number": "\ud800"}
    assert (every["error"].status, every["error"].reason[-1]) == ("unanswered", "\ud800")
    table = {row["key"]: row for row in mapping.to_arrow().to_pylist()}
    assert "cannot hold it" in table["answer"]["reason"]
    assert table["error"]["reason"].endswith(r"\ud800")


def test_a_table_without_the_columns_is_refused_with_those_that_it_has() -> None:
    each = ArrowMap(agent_of, key="id", input="body")
    with pytest.raises(AgentSpecError, match=r"none of the table's columns is named 'id'. It has name, body; write"):
        each(pa.table({"name": ["a"], "body": ["Invoice 1"]}))
    doubled = pa.table([pa.array(["a"])] * 3, names=["id", "body", "body"])
    with pytest.raises(AgentSpecError, match="2 of the table's columns is named 'body'"):
        each(doubled)


def test_a_ledger_that_cannot_be_used_says_so(run: Run, tmp_path: Path) -> None:
    collected(run, mapped(rows(2), ledger=tmp_path / "run.db"))
    with sqlite3.connect(tmp_path / "run.db") as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    content = (tmp_path / "run.db").read_bytes()
    with sqlite3.connect(tmp_path / "older.db") as database:
        database.execute("CREATE TABLE answergraph_rows (key TEXT PRIMARY KEY)")
    database.close()
    places = {
        "no.db": (written(tmp_path, "no.db", b"This is no database. " * 100), "file is not a database"),
        "cut.db": (written(tmp_path, "cut.db", content[:5000]), "malformed"),
        "older.db": (tmp_path / "older.db", "no such column"),
        "folder": (tmp_path, "name a file in a folder that exists"),
        "none": (tmp_path / "none" / "run.db", "name a file in a folder that exists"),
    }
    for place, says in places.values():
        with pytest.raises(AgentSpecError, match=f"The ledger .* {says}"):
            collected(run, mapped(rows(3), ledger=place))


@pytest.fixture
def small_files() -> Iterator[Callable[[int], None]]:
    """No file may be larger than so many bytes: a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_said_and_what_was_stored_is_kept(run: Run, tmp_path: Path, small_files: Callable[[int], None]) -> None:
    collected(run, mapped(rows(3), ledger=tmp_path / "run.db"))
    small_files(200_000)
    with pytest.raises(AgentSpecError, match=r"The ledger .*run.db' cannot be used: .*(disk|full)"):
        collected(run, mapped(rows(300), ledger=tmp_path / "run.db"))
    small_files(resource.getrlimit(resource.RLIMIT_FSIZE)[1])
    again = mapped(rows(300), ledger=tmp_path / "run.db")
    assert again.counts()["answered"] >= 3
    assert {row.status for row in collected(run, again).values()} == {"answered"}
    assert again.counts() == {"answered": 300}


def test_rows_that_could_not_be_given_back_on_a_full_disk_are_asked_at_once_when_it_has_room(
    run: Run, tmp_path: Path, small_files: Callable[[int], None]
) -> None:
    ledger = tmp_path / "run.db"

    def fill_the_disk(text: str) -> str:
        if text == "Invoice 9":
            small_files((tmp_path / "run.db-wal").stat().st_size)
        return read_number(text)

    with pytest.raises(AgentSpecError, match=r"The ledger .*run.db' cannot be used"):
        collected(run, mapped(rows(50), agent=agent_of(fill_the_disk), ledger=ledger))
    small_files(resource.getrlimit(resource.RLIMIT_FSIZE)[1])
    began = time.monotonic()
    assert len(collected(run, mapped(rows(50), ledger=ledger))) == 50
    assert time.monotonic() - began < LEASE_SECONDS / 4
