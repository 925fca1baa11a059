"""Reads rows, one at a time: from a file by its ending, or from any iterable."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from answergraph import AgentSpecError
from answergraph.kit import require_extra
from answergraph.many.ledger.agent_door import AgentDoor, mark_of
from answergraph.many.ledger.map_ledger import Wanted
from answergraph.many.ledger.rows import NO_INPUT, End

Record = Mapping[str, object]

_ROWS_PER_BATCH = 256


@dataclass(frozen=True)
class Source:
    """The rows of a map, and where their key and input are."""

    rows: Iterable[Record] | str | Path
    key: str | Callable[[Record], Hashable]
    input: str | Callable[[Record], object]

    def __post_init__(self) -> None:
        if isinstance(self.rows, str | Path):
            read_rows(Path(self.rows))  # refused while building
        elif not isinstance(self.rows, Iterable):
            raise AgentSpecError(f"rows={self.rows!r}: pass a path, or an iterable of dicts.")

    @property
    def can_be_read_again(self) -> bool:
        """Whether the rows are still there after they were read."""
        return isinstance(self.rows, str | Path) or not isinstance(self.rows, Iterator)

    def wanted(self, door: AgentDoor) -> Iterator[Wanted | End]:
        """Read the rows; one whose input cannot be made has ended."""
        rows = read_rows(Path(self.rows)) if isinstance(self.rows, str | Path) else self.rows
        for number, row in enumerate(rows, start=1):
            if not hasattr(row, "keys"):  # rows of databases are no mappings
                raise AgentSpecError(f"Row {number} is {row!r:.80}; each row is a dict, such as {{'id': 1, 'body': 'a text'}}.")
            key = self._key(row, number)
            try:
                given = row[self.input] if isinstance(self.input, str) else self.input(row)
                agent_input = door.as_input(given)
            except Exception as error:
                if number == 1 and isinstance(self.input, str) and isinstance(error, LookupError):
                    raise AgentSpecError(f"There is no column {self.input!r}; the first row has {_columns_of(row)}.") from error
                wrong = f"has no column {self.input!r}" if isinstance(error, LookupError) else f"has no usable input: {error!r}"
                yield End.without_outcome(key, NO_INPUT, f"The row {wrong}.")
            else:
                yield Wanted(key, mark_of(given), agent_input)

    def _key(self, row: Record, number: int) -> str:
        try:
            key = row[self.key] if isinstance(self.key, str) else self.key(row)
        except (LookupError, TypeError) as error:
            raise AgentSpecError(f"Row {number} has no key: {error!r}. Its columns: {_columns_of(row)}.") from error
        if key is None:
            raise AgentSpecError(f"Row {number} has no key: its {self.key!r} is None.")
        return str(key)


def _columns_of(row: Record) -> str:
    return ", ".join(map(str, row.keys()))


def first_of_each_key(rows: Iterator[Wanted | End]) -> Iterator[Wanted | End]:
    """Yield the rows whose key comes for the first time; the keys are in a temporary file, so a million take no memory."""
    with closing(sqlite3.connect("", isolation_level=None, check_same_thread=False)) as connection:
        connection.execute("CREATE TABLE seen (key TEXT PRIMARY KEY) WITHOUT ROWID")
        for row in rows:
            if connection.execute("INSERT OR IGNORE INTO seen VALUES (?)", (row.key,)).rowcount:
                yield row


def read_rows(path: Path) -> Iterator[Record]:
    """Return the rows of a file, which is read as they are taken.

    Raises:
        AgentSpecError: If there is no such file, or its ending is unknown.
    """
    readers = {".jsonl": _json_lines, ".csv": _csv, ".parquet": _parquet}
    if path.suffix not in readers:
        raise AgentSpecError(f"rows={str(path)!r}: a path ends in {', '.join(readers)}; else pass an iterable of dicts.")
    if not path.is_file():
        raise AgentSpecError(f"There is no file {str(path)!r}.")
    return readers[path.suffix](path)


def _json_lines(path: Path) -> Iterator[Record]:
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError as error:
                raise AgentSpecError(f"{path}, line {number}, is not JSON: {error}.") from error
            if not isinstance(row, dict):
                raise AgentSpecError(f"{path}, line {number}, is not a JSON object.")
            yield row


def _csv(path: Path) -> Iterator[Record]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        yield from csv.DictReader(file)


def _parquet(path: Path) -> Iterator[Record]:
    require_extra("many", "pyarrow")
    from pyarrow import parquet  # noqa: PLC0415 - an optional dependency

    with parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(_ROWS_PER_BATCH):
            yield from batch.to_pylist()
