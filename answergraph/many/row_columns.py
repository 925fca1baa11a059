"""Rows as Arrow tables: the columns follow from the declared type, so that they never change with the data."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from glob import escape
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from answergraph.many.json_columns import JsonColumns
from answergraph.many.ledger.agent_door import AgentDoor
from answergraph.many.ledger.owners import has_ended
from answergraph.many.ledger.rows import Row

_ROWS_PER_BATCH = 1000
_TEXT, _COUNT, _NUMBER = pa.string(), pa.int64(), pa.float64()
_EVIDENCE = pa.struct([("source", _TEXT), ("unit", _TEXT), ("place", pa.list_(_COUNT))])
_FIELD = pa.struct([("path", _TEXT), ("status", _TEXT), ("problem", _TEXT), ("evidence", pa.list_(_EVIDENCE))])


class RowColumns:
    """The columns of an agent's rows."""

    def __init__(self, door: AgentDoor) -> None:
        self.door = door
        self._answer = JsonColumns(door.answer_schema).column()
        texts = [(name, _TEXT) for name in ("status", "reason", "field", "rule")]
        used = [("model_calls", _COUNT), ("total_tokens", _COUNT), ("seconds", _NUMBER), ("cost", _NUMBER)]
        self.schema = pa.schema([("key", _TEXT), ("answer", self._answer.type), *texts, ("fields", pa.list_(_FIELD)), *used])
        """The Arrow schema: it depends on the declared type alone."""

    def table(self, rows: Iterable[Row]) -> pa.Table:
        """Return the rows as one table."""
        return pa.Table.from_batches(self.batches(rows), schema=self.schema)

    def write_parquet(self, rows: Iterable[Row], path: Path) -> None:
        """Write the rows as they come; the file takes its name when it is complete."""
        name = f"{path.name}.partial-"
        partial = path.with_name(f"{name}{os.getpid()}")
        for left in path.parent.glob(f"{escape(name)}*"):  # by a process that was killed
            if (process := left.name.removeprefix(name)).isdecimal() and has_ended(int(process)):
                left.unlink(missing_ok=True)
        try:
            with parquet.ParquetWriter(partial, self.schema) as writer:
                for batch in self.batches(rows):
                    writer.write_batch(batch)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)

    def batches(self, rows: Iterable[Row]) -> Iterator[pa.RecordBatch]:
        """Yield the rows in batches."""
        iterator, schema = iter(rows), self.schema
        while some := list(islice(iterator, _ROWS_PER_BATCH)):
            records = [self._record(row) for row in some]
            try:
                yield pa.RecordBatch.from_pylist(records, schema=schema)
            except UnicodeEncodeError:  # half of a surrogate pair, in a reason or the name of a field
                cleaned = [{**_without_surrogates(record), "answer": record["answer"]} for record in records]
                yield pa.RecordBatch.from_pylist(cleaned, schema=schema)

    def _record(self, row: Row) -> dict[str, object]:
        usage: Mapping[str, object] = row.outcome["usage"]
        answer, reason = self._in_column(row)
        return {
            "key": row.key,
            "answer": answer,
            "status": row.status,
            "reason": reason,
            "field": row.group.field,
            "rule": row.group.rule,
            "fields": [_field(path, record) for path, record in row.fields.items()],
            "model_calls": usage["model_calls"],
            "total_tokens": usage["total_tokens"],
            "seconds": row.seconds,
            "cost": usage.get("cost"),
        }

    def _in_column(self, row: Row) -> tuple[object, str]:
        """Return the answer as its column has it, and the reason; a value too large for the column is left out and said."""
        plain = self.door.plain(row.answer)
        if plain is None:
            return None, row.reason
        try:
            value = self._answer.value(plain)
            pa.scalar(value, self._answer.type)
        except (ValueError, TypeError, OverflowError) as error:
            return None, f"{row.reason} It is not in this table, whose column cannot hold it: {error}"
        return value, row.reason


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, dict):
        return {name: _without_surrogates(part) for name, part in value.items()}
    return [_without_surrogates(part) for part in value] if isinstance(value, list) else value


def _field(path: str, record: Mapping[str, Any]) -> dict[str, object]:
    evidence: Sequence[Mapping[str, Any]] = record.get("evidence") or ()
    places = [{"source": each["source"]["name"], "unit": each["unit"], "place": each["place"]} for each in evidence]
    return {"path": path, "status": record["status"], "problem": record.get("problem"), "evidence": places}
