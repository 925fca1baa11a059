"""Reads rows, one at a time: from a file by its ending, or from any iterable."""

import csv
import json
import sqlite3
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from answergraph import AgentSpecError
from answergraph.kit import require_extra
from answergraph.many.ledger.agent_door import AgentDoor, mark_of
from answergraph.many.ledger.map_ledger import Wanted
from answergraph.many.ledger.rows import NO_INPUT, End, is_unicode

Record = Mapping[str, object]

_ROWS_PER_BATCH = 256
_MOST_CHARACTERS = 2**31 - 1  # of a field in a CSV file: what fits everywhere into the C type of Python's limit


@dataclass(frozen=True)
class Source:
    """The rows of a map, and where their key and input are."""

    rows: Iterable[Record] | str | Path
    key: str | Callable[[Record], Hashable]
    input: str | Callable[[Record], object]

    def __post_init__(self) -> None:
        for name, column in (("key", self.key), ("input", self.input)):
            if not isinstance(column, str) and not callable(column):
                raise AgentSpecError(f"map_answers({name}={column!r}): name a column, or pass a function of a row.")
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
        # A function may want any column.
        only = (self.key, self.input) if isinstance(self.key, str) and isinstance(self.input, str) else ()
        rows = read_rows(Path(self.rows), only) if isinstance(self.rows, str | Path) else self.rows
        for number, row in enumerate(rows, start=1):
            if not hasattr(row, "keys"):  # rows of databases are no mappings
                raise AgentSpecError(f"Row {number} is {row!r:.80}; each row is a dict, such as {{'id': 1, 'body': 'a text'}}.")
            key = self._key(row, number)
            try:
                value = row[self.input] if isinstance(self.input, str) else self.input(row)
                agent_input = door.as_input(value)
            except Exception as error:
                if number == 1 and isinstance(self.input, str) and isinstance(error, LookupError):
                    raise AgentSpecError(f"There is no column {self.input!r}; the first row has {_columns_of(row)}.") from error
                wrong = f"has no column {self.input!r}" if isinstance(error, LookupError) else f"has no usable input: {error!r}"
                yield End.without_outcome(key, NO_INPUT, f"The row {wrong}.")
            else:
                yield Wanted(key, mark_of(value), agent_input)

    def _key(self, row: Record, number: int) -> str:
        try:
            key = row[self.key] if isinstance(self.key, str) else self.key(row)
        except Exception as error:
            wrong = f"no column {self.key!r}" if isinstance(error, LookupError) else repr(error)
            raise AgentSpecError(f"Row {number} has no key: {wrong}. Its columns: {_columns_of(row)}; key= names one.") from error
        if key is None:
            raise AgentSpecError(f"Row {number} has no key: its {self.key!r} is None.")
        text = str(key)
        if "\0" in text or not is_unicode(text):  # no database takes the one, and PostgreSQL not the other
            raise AgentSpecError(f"Row {number} has the key {text!a:.80}, which is no text that can be stored.")
        return text


def _columns_of(row: Record) -> str:
    return ", ".join(str(name) if is_unicode(str(name)) else ascii(name) for name in list(row.keys()))


def first_of_each_key(rows: Iterator[Wanted | End], notes: list[str]) -> Iterator[Wanted | End]:
    """Yield the rows whose key comes for the first time; the keys are in a temporary file, so a million take no memory.

    The rows that repeat a key with an equal input are counted in a note.

    Raises:
        AgentSpecError: If a key comes again with another input: it cannot name both.
    """
    repeated, example = 0, ""
    with closing(sqlite3.connect("", isolation_level=None, check_same_thread=False)) as connection:
        connection.execute("CREATE TABLE seen (key TEXT PRIMARY KEY, number INTEGER, mark TEXT) WITHOUT ROWID")
        for number, row in enumerate(rows, start=1):
            mark = row.mark if isinstance(row, Wanted) else ""
            if connection.execute("INSERT OR IGNORE INTO seen VALUES (?, ?, ?)", (row.key, number, mark)).rowcount:
                yield row
                continue
            first, before = connection.execute("SELECT number, mark FROM seen WHERE key = ?", (row.key,)).fetchone()
            if mark != before:
                raise AgentSpecError(
                    f"Rows {first} and {number} have the same key {row.key!r:.80} and other inputs. A key names one row: "
                    "take another column, or a function, such as key=lambda row: (row['file'], row['page'])."
                )
            repeated += 1
            example = example or f"{row.key!r:.80} in rows {first} and {number}"
    if repeated:
        notes.append(f"Rows that repeat a key with an equal input, and are not rows of their own: {repeated:,}, first {example}.")


def read_rows(path: Path, columns: Sequence[str] = ()) -> Iterator[Record]:
    """Return the rows of a file, which is read as they are taken; of Parquet these columns only, where it has them.

    Raises:
        AgentSpecError: If there is no such file, its ending is unknown, or it is not what its ending says.
    """
    readers = {".jsonl": _json_lines, ".csv": _csv, ".parquet": _parquet}
    if path.suffix not in readers:
        raise AgentSpecError(f"rows={str(path)!r}: a path ends in {', '.join(readers)}; else pass an iterable of dicts.")
    if not path.is_file():
        raise AgentSpecError(f"There is no file {str(path)!r}.")
    return _read(path, readers[path.suffix](path, columns))


def _read(path: Path, rows: Iterator[Record]) -> Iterator[Record]:
    number = 0
    try:
        for number, row in enumerate(rows, start=1):  # noqa: B007 - for the message
            yield row
    except (OSError, ValueError, csv.Error, RecursionError, NotImplementedError) as error:
        if isinstance(error, AgentSpecError):
            raise
        hint = " Text files are UTF-8: convert with 'iconv -f latin1 -t utf-8'." if isinstance(error, UnicodeDecodeError) else ""
        raise AgentSpecError(f"{path} cannot be read after {number} rows: {str(error).rstrip('.')}.{hint}") from error


def _json_lines(path: Path, _: Sequence[str]) -> Iterator[Record]:
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise AgentSpecError(f"{path}, line {number}, is not JSON: {error}.") from error
            if not isinstance(row, dict):
                raise AgentSpecError(f"{path}, line {number}, is not a JSON object.")
            yield row


def _csv(path: Path, _: Sequence[str]) -> Iterator[Record]:
    # Python's own limit of a field is less than a document may have.
    csv.field_size_limit(max(csv.field_size_limit(), _MOST_CHARACTERS))
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        _refuse_repeated(path, list(reader.fieldnames or ()))
        for row in reader:
            if None in row:
                line = f"{path}, line {reader.line_num}"
                raise AgentSpecError(f"{line}, has more fields than the header: a text with a comma is written in quotes.")
            yield row


def _parquet(path: Path, columns: Sequence[str]) -> Iterator[Record]:
    require_extra("many", "pyarrow")
    from pyarrow import parquet  # noqa: PLC0415 - an optional dependency

    with parquet.ParquetFile(path) as file:
        names = file.schema_arrow.names
        _refuse_repeated(path, names)
        # What others hold may have no value in Python, such as a time in nanoseconds.
        only = list(dict.fromkeys(columns)) if columns and set(columns) <= set(names) else None
        for batch in file.iter_batches(_ROWS_PER_BATCH, columns=only):
            yield from batch.to_pylist()


def _refuse_repeated(path: Path, names: Sequence[str]) -> None:
    repeated = next((name for name in names if name and names.count(name) > 1), None)
    if repeated is not None:
        raise AgentSpecError(f"{path} has two columns with the name {repeated!r}; rename one.")
