"""The keys that a JSON Schema declares; they identify answers in text."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from answergraph.json_schema.normal_form import target_of

_PARTS = ("allOf", "anyOf", "oneOf")
_BRANCHES = ("then", "else")


class KnownKeys(NamedTuple):
    """The keys of an object."""

    names: frozenset[str]
    takes_others: bool
    """Whether the schema explicitly allows other keys, or names none."""


def known_keys(schema: Mapping[str, object]) -> KnownKeys:
    """Return the keys that a schema and its parts declare for the outermost object."""
    parts = list(parts_of(schema, schema, set()))
    declared = [part["properties"] for part in parts if isinstance(part.get("properties"), Mapping)]
    # A schema without keys does not restrict them.
    takes_others = not declared or any(part.get("additionalProperties") or part.get("patternProperties") for part in parts)
    return KnownKeys(frozenset(name for properties in declared for name in properties), takes_others)


def parts_of(schema: object, root: Mapping[str, object], seen: set[str]) -> Iterator[Mapping[str, Any]]:
    """Yield a schema and all schemas for the same value: alternatives and the targets of references, each target once."""
    if not isinstance(schema, Mapping):
        return
    yield schema
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference not in seen:
        seen.add(reference)
        yield from parts_of(pointed_at(reference, root), root, seen)
    inner = [*(part for key in _PARTS for part in schema.get(key) or ()), *(schema.get(key) for key in _BRANCHES)]
    for part in inner:
        yield from parts_of(part, root, seen)


def pointed_at(reference: str, root: Mapping[str, object]) -> Any:
    """Return the target of a reference, an empty schema if there is none."""
    try:
        return target_of(reference, root)
    except LookupError:
        return {}
