"""The journal keeps finished runs even if its writer dies, and ignores broken lines."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answergraph.experiment.journal import Journal, Record, RunKey
from answergraph.experiment.measurement import Measurement

KEY = RunKey(model="m", configuration="c", setting="no_format", task="calc_01", repeat=1)
MEASUREMENT = Measurement(
    status="answered",
    answer=257.25,
    correct=True,
    calls={"add": 1},
    rounds=1,
    validated=False,
    grounded=True,
    evidence="none",
    model_calls=2,
    input_tokens=20,
    output_tokens=10,
    notes=["a note: 検証\n"],
)
RECORDS = [Record(replace(KEY, repeat=repeat), MEASUREMENT) for repeat in (1, 2, 3)]


def write(path: Path, *records: Record) -> None:
    with Journal(path) as journal:
        for record in records:
            journal.add(record)


def read(path: Path) -> list[Record]:
    with Journal(path) as journal:
        return list(journal.records.values())


def test_what_is_written_is_read_again_and_can_be_added_to(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "runs.jsonl"
    write(path, RECORDS[0])
    write(path, RECORDS[1])
    assert read(path) == RECORDS[:2]


@given(kept=st.integers(0), added=st.booleans())
def test_a_writer_may_be_killed_at_any_byte(kept: int, added: bool) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "runs.jsonl"
        write(path, *RECORDS[:2])
        whole = path.read_bytes()
        left = whole[: kept % (len(whole) + 1)]
        path.write_bytes(left)
        # A line counts when all of it is there; whether its end is marked does not matter.
        first, second = (len(line) for line in whole.splitlines())
        survived = RECORDS[: (len(left) >= first) + (len(left) >= first + 1 + second)]
        assert read(path) == survived
        if added:
            write(path, RECORDS[2])
            assert read(path) == [*survived, RECORDS[2]]


@pytest.mark.parametrize(
    "line",
    [b"", b"null", b"[]", b"{}", b'{"key": {}}', b"\xff\xfe", b'{"key": 1, "measurement": 2}'],
    ids=["nothing", "null", "list", "empty", "half", "no text", "numbers"],
)
def test_a_line_that_is_not_a_run_is_skipped(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(line + b"\n")
    write(path, RECORDS[0])
    assert read(path) == RECORDS[:1]


def test_of_two_lines_for_one_run_the_later_counts(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    later = Record(KEY, replace(MEASUREMENT, answer=None))
    write(path, Record(KEY, MEASUREMENT), later)
    assert read(path) == [later]


def test_a_journal_that_cannot_be_opened_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OSError, match="file"):
        Journal(tmp_path / "file" / "runs.jsonl")
