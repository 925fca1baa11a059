"""Arrow types from JSON Schema: objects are structs, and what has no one type is JSON as text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

import pyarrow as pa


def _same(value: object) -> object:
    return value


@dataclass(frozen=True)
class Column:
    """The type of a column, and how JSON becomes a value of it."""

    type: pa.DataType
    convert: Callable[[Any], object] = _same

    def value(self, plain: object) -> Any:
        """Return the value for some JSON; ``None`` stays ``None``."""
        return None if plain is None else self.convert(plain)


_JSON = Column(pa.string(), partial(json.dumps, ensure_ascii=False))
_PLAIN = {
    "string": Column(pa.string()),
    "integer": Column(pa.int64()),
    "number": Column(pa.float64()),
    "boolean": Column(pa.bool_()),
}


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
