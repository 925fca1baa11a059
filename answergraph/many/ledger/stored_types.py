"""Tells before a row is paid for whether JSON, which a ledger stores, restores the answers of a type.

Two looks, since neither sees all: at the type, whose JSON may leave a field out, and at a sample of it, written and read again.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pydantic import PydanticUserError, TypeAdapter

from answergraph import AgentSpecError

_ADVICE = (
    "Declare what is secret as plain str, bytes or int, and write no exclude=True and no serializer that changes a value; "
    "the ledger then has it in clear text."
)
_TEXTS = {"date": "2026-01-31", "date-time": "2026-01-31T12:00:00Z", "time": "12:00:00", "duration": "P1D"}
_TEXTS |= {"uuid": "12345678-1234-4234-8234-123456789012", "uri": "https://example.org/", "email": "a@example.org"}
_NONE = object()
_MOST_PARTS = 2_000
"""Of a sample: types that use each other twice double it at each level."""


def check_stored(codec: Any) -> None:
    """Refuse types whose JSON does not restore the answer: each of their rows would be paid for and lost.

    Raises:
        AgentSpecError: If a field is secret or excluded, or a serializer changes what is read.
    """
    for schema in codec.schemas:
        adapter: TypeAdapter[object] | None = getattr(schema.validator, "adapter", None)
        if adapter is None:  # the value of a JSON Schema is its JSON
            continue
        if (left_out := next(_left_out(adapter), None)) is not None:
            raise AgentSpecError(f"A map stores answers as JSON, and that of {schema.name} leaves out {left_out!r}. {_ADVICE}")
        try:
            value = schema.load(_Sample(schema.value_schema).of(schema.value_schema, ()))
        except ValueError:  # a validator may want more than the JSON Schema says: then nothing is known
            continue
        if value is not None and codec.to_json(value) is None:
            raise AgentSpecError(f"A map stores answers as JSON, which does not restore this one: {value!r:.200}. {_ADVICE}")


def _left_out(adapter: TypeAdapter[object]) -> Iterator[str]:
    """Yield the fields that a model writes and that JSON has not: excluded ones, and those marked to be written only."""
    read = written = dict[str, Any]()
    with suppress(PydanticUserError):  # a type whose JSON Schema is not Pydantic's; by names, since aliases may differ
        read = adapter.json_schema(by_alias=False)
        written = adapter.json_schema(by_alias=False, mode="serialization")
    parts = {"": (read, written)}
    parts |= {name: (part, written.get("$defs", {}).get(name, {})) for name, part in read.get("$defs", {}).items()}
    for name, (part, its_json) in parts.items():
        fields = part.get("properties", {} if name else {"value": {**part, "$defs": {}}})
        for field, described in fields.items():
            is_excluded = "properties" in its_json and field not in its_json["properties"]
            if is_excluded or '"writeOnly": true' in json.dumps(described, default=repr):
                yield f"{name}.{field}".strip(".")


@dataclass
class _Sample:
    """Makes a value of every part that a JSON Schema has."""

    root: Mapping[str, Any]
    parts: int = 0

    def of(self, schema: object, inside: tuple[str, ...]) -> object:
        """Return a value; ``inside`` names the definitions around it, so that a recursive one ends."""
        self.parts += 1
        if self.parts > _MOST_PARTS:
            raise ValueError("the sample is too large")
        if not isinstance(schema, Mapping):
            return "text"
        if reference := schema.get("$ref"):
            name = reference.rpartition("/")[2]
            return _NONE if name in inside else self.of(self.root["$defs"][name], (*inside, name))
        if alternatives := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
            return next((each for one in alternatives if (each := self.of(one, inside)) not in (None, _NONE)), None)
        if "const" in schema or "enum" in schema:
            return schema.get("const", next(iter(schema.get("enum", ())), None))
        return self._of_type(schema, inside)

    def _of_type(self, schema: Mapping[str, Any], inside: tuple[str, ...]) -> object:
        kind = schema.get("type")
        if kind == "object":
            parts = {name: self.of(part, inside) for name, part in schema.get("properties", {}).items()}
            if isinstance(others := schema.get("additionalProperties"), Mapping):
                parts["text"] = self.of(others, inside)
            return {name: part for name, part in parts.items() if part is not _NONE}
        if kind == "array":
            items = schema.get("prefixItems") or [schema.get("items")] * max(schema.get("minItems", 1), 1)
            return [part for each in items if (part := self.of(each, inside)) is not _NONE]
        if kind in ("integer", "number"):
            least = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
            return min(least, schema.get("maximum", least))
        text = _TEXTS.get(schema.get("format", ""), "text" * (1 + schema.get("minLength", 0) // 4))
        return {"boolean": True, "null": None}.get(str(kind), text)
