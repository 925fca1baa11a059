"""The subschemas of a JSON Schema document, and which of them apply to the same value."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Any

_ONE = (
    *("additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames"),
    *("then", "unevaluatedItems", "unevaluatedProperties"),
)
_LISTS = ("allOf", "anyOf", "items", "oneOf", "prefixItems")
_MAPS = ("$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties")
_OF_THE_SAME_VALUE = frozenset({"allOf", "anyOf", "dependencies", "dependentSchemas", "else", "if", "not", "oneOf", "then"})


@dataclass(frozen=True)
class Position:
    """A schema in a document, and the pointers of its subschemas."""

    pointer: str
    """A JSON pointer that begins with ``#``."""
    schema: Mapping[str, Any]
    beside: list[str] = field(default_factory=list)
    """Subschemas that apply to the same value."""
    named: list[str] = field(default_factory=list)
    """Subschemas for one property or index."""
    shared: list[str] = field(default_factory=list)
    """Subschemas for all remaining properties or items."""


def positions(document: Mapping[str, object]) -> Iterator[Position]:
    """Yield every schema of a document that is an object, outer ones first; the document must not contain itself."""
    waiting: list[tuple[str, Mapping[str, object]]] = [("#", document)]
    while waiting:
        pointer, schema = waiting.pop()
        position = Position(pointer, schema)
        for keyword, inner, subschema in _inside(pointer, schema):
            waiting.append((inner, subschema))
            _group(position, keyword).append(inner)
        yield position


def dependencies_first(targets: Mapping[str, Sequence[str]]) -> list[str]:
    """Return pointers in topological order, each after its targets, without those on a cycle or leading to one."""
    sorter, order = TopologicalSorter(targets), list[str]()
    with suppress(CycleError):
        sorter.prepare()
    while ready := sorter.get_ready():
        sorter.done(*ready)
        order += ready
    return order


def _group(position: Position, keyword: str) -> list[str]:
    if keyword in _OF_THE_SAME_VALUE:
        return position.beside
    if keyword in {"properties", "prefixItems"}:
        return position.named
    # Definitions are visited through references.
    return [] if keyword in {"$defs", "definitions"} else position.shared


def _inside(pointer: str, schema: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, object]]]:
    for keyword in _ONE:
        if isinstance(schema.get(keyword), Mapping):
            yield keyword, f"{pointer}/{keyword}", schema[keyword]
    for keyword in (*_LISTS, *_MAPS):
        value: Any = schema.get(keyword)
        if isinstance(value, list if keyword in _LISTS else Mapping):
            steps = enumerate(value) if isinstance(value, list) else value.items()
            inner = ((step, each) for step, each in steps if isinstance(each, Mapping))
            yield from ((keyword, f"{pointer}/{keyword}/{step_of(step)}", each) for step, each in inner)


def step_of(name: str | int) -> str:
    """Return a name as a step of a JSON pointer."""
    return str(name).replace("~", "~0").replace("/", "~1")
