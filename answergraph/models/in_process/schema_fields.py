"""The fields of a JSON Schema object, and the JSON types that each takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_OTHER_TYPES: Mapping[type, str] = {str: "string", list: "array", dict: "object"}


@dataclass(frozen=True)
class SchemaField:
    """One property of an object schema."""

    name: str
    types: frozenset[str]
    """The JSON types it takes; ``"choice"`` if only listed values are taken; empty if anything is."""

    is_required: bool

    @property
    def is_numeric(self) -> bool:
        return bool(self.types & {"number", "integer"})

    def takes(self, value: Any) -> bool:
        """Return whether a value fits, judged by its JSON type."""
        return not self.types or bool(_json_types(value) & self.types)


def fields_of(schema: Mapping[str, Any]) -> tuple[SchemaField, ...]:
    properties = schema.get("properties")
    required = schema.get("required") or []
    if not isinstance(properties, Mapping):
        return ()
    return tuple(SchemaField(name, frozenset(_types(field, schema)), name in required) for name, field in properties.items())


def _types(field: Any, root: Mapping[str, Any]) -> Iterator[str]:
    """Yield the types of a field; alternatives and local references are followed, each reference once."""
    followed: set[str] = set()
    pending = [field]
    while pending:
        part = pending.pop()
        if not isinstance(part, Mapping):
            continue
        if "enum" in part or "const" in part:
            yield "choice"
            continue
        declared = part.get("type", [])
        yield from [declared] if isinstance(declared, str) else declared
        pending += [*part.get("anyOf", []), *part.get("oneOf", []), *part.get("allOf", [])]
        reference = part.get("$ref")
        if isinstance(reference, str) and reference not in followed:
            followed.add(reference)
            pending.append(_referred(reference, root))


def _referred(reference: str, root: Mapping[str, Any]) -> Any:
    target: Any = root
    for part in reference.removeprefix("#/").split("/"):
        target = target.get(part) if isinstance(target, Mapping) else None
    return target


def _json_types(value: Any) -> frozenset[str]:
    if value is None:
        return frozenset({"null"})
    if isinstance(value, bool):
        return frozenset({"boolean"})
    if isinstance(value, int | float):
        return frozenset({"number", "integer"} if value == value // 1 else {"number"})
    return frozenset(name for kind, name in _OTHER_TYPES.items() if isinstance(value, kind))
