"""Rows as Arrow tables: the columns follow from the declared type, so that they never change with the data.

In an answer's column objects are structs, and what has no one type is JSON as text.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from glob import escape
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa
from pyarrow import parquet

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
        unfinished = path.with_name(f"{name}{os.getpid()}-{uuid4().hex[:8]}")  # others may write the same file now
        for left in path.parent.glob(f"{escape(name)}*"):  # by a process that was killed
            process = left.name.removeprefix(name).partition("-")[0]
            if process.isdecimal() and has_ended(int(process)):
                left.unlink(missing_ok=True)
        try:
            with parquet.ParquetWriter(unfinished, self.schema) as writer:
                for batch in self.batches(rows):
                    writer.write_batch(batch)
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)

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
            "reason": reason,
            **row.group._asdict(),
            "fields": [_field(path, record) for path, record in row.fields.items()],
            "seconds": row.seconds,
            **{name: usage.get(name) for name in ("model_calls", "total_tokens", "cost")},
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
    passages = [{"source": each["source"]["name"], "unit": each["unit"], "place": each["place"]} for each in evidence]
    return {"path": path, "status": record["status"], "problem": record.get("problem"), "evidence": passages}


@dataclass(frozen=True)
class Column:
    """The type of a column, and how JSON becomes a value of it."""

    type: pa.DataType
    convert: Callable[[Any], object] | None = None

    def value(self, plain: object) -> Any:
        """Return the value for some JSON; ``None`` stays ``None``."""
        return plain if plain is None or self.convert is None else self.convert(plain)


_JSON = Column(pa.string(), partial(json.dumps, ensure_ascii=False))
_TYPES = {"string": _TEXT, "integer": _COUNT, "number": _NUMBER, "boolean": pa.bool_()}
_PLAIN = {name: Column(kind) for name, kind in _TYPES.items()}


@dataclass(frozen=True)
class JsonColumns:
    """The columns of a JSON Schema and its definitions."""

    schema: Mapping[str, Any]

    def column(self) -> Column:
        """Return the column of the whole."""
        return self._column(self.schema, ())

    def _column(self, schema: object, inside: tuple[str, ...]) -> Column:
        """Return the column of a part; ``inside`` names the definitions around it, since a recursive one has no Arrow type."""
        if not isinstance(schema, Mapping):
            return _JSON
        if reference := schema.get("$ref"):
            name = reference.rpartition("/")[2]
            return _JSON if name in inside else self._column(self.schema["$defs"][name], (*inside, name))
        alternatives = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
        if alternatives:
            return self._of_alternatives([each for each in alternatives if each != {"type": "null"}], inside)
        if "const" in schema or "enum" in schema:
            return _of_values(schema.get("enum", [schema.get("const")]))
        return self._of_type(schema, inside)

    def _of_alternatives(self, alternatives: Sequence[Any], inside: tuple[str, ...]) -> Column:
        if len(alternatives) == 1:
            return self._column(alternatives[0], inside)
        types = {each.get("type") for each in alternatives}
        if types <= {"integer", "number"}:
            return _PLAIN["number"]
        # A decimal number: pydantic writes it as text, so that no digit is lost.
        return Column(pa.string(), str) if types <= {"integer", "number", "string"} else _JSON

    def _of_type(self, schema: Mapping[str, object], inside: tuple[str, ...]) -> Column:
        kind = schema.get("type")
        if kind == "string" and schema.get("format") == "date":
            return Column(pa.date32(), date.fromisoformat)
        if kind == "array" and isinstance(schema.get("items"), Mapping) and "prefixItems" not in schema:
            item = self._column(schema["items"], inside)
            return Column(pa.list_(item.type), lambda values: [item.value(each) for each in values])
        if kind == "object":
            return self._of_object(schema, inside)
        return _PLAIN.get(kind, _JSON) if isinstance(kind, str) else _JSON

    def _of_object(self, schema: Mapping[str, Any], inside: tuple[str, ...]) -> Column:
        named, others = schema.get("properties"), schema.get("additionalProperties")
        if named and not others:
            return _struct_of({name: self._column(part, inside) for name, part in named.items()})
        return _map_of(self._column(others, inside)) if others and not named else _JSON


def _of_values(values: Sequence[object]) -> Column:
    kinds = {type(value) for value in values if value is not None}
    plain: Mapping[object, str] = {str: "string", int: "integer", bool: "boolean", float: "number"}
    return _PLAIN[plain[kinds.pop()]] if len(kinds) == 1 and kinds <= plain.keys() else _JSON


def _map_of(item: Column) -> Column:
    return Column(pa.map_(pa.string(), item.type), lambda values: [(key, item.value(each)) for key, each in values.items()])


def _struct_of(parts: Mapping[str, Column]) -> Column:
    kind = pa.struct([(name, part.type) for name, part in parts.items()])
    return Column(kind, lambda values: {name: part.value(values.get(name)) for name, part in parts.items()})
