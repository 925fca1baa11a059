"""Where in a JSON Schema document schemas stand, and which of them look at one value together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
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
    """A schema in a document."""

    pointer: str
    """Where it stands, as a JSON pointer that begins with ``#``."""
    schema: Mapping[str, Any]
    """What stands there."""
    beside: list[str] = field(default_factory=list)
    """The pointers of the schemas in it that look at the same value."""
    named: list[str] = field(default_factory=list)
    """Of those that look at one property or item each."""
    shared: list[str] = field(default_factory=list)
    """Of those that look at all properties or items that they are asked for."""


def positions(document: Mapping[str, Any]) -> Iterator[Position]:
    """Return every schema of a document that is an object, the outermost first."""
    waiting: list[tuple[str, Mapping[str, Any]]] = [("#", document)]
    while waiting:
        pointer, schema = waiting.pop()
        position = Position(pointer, schema)
        for keyword, inner, found in _inside(pointer, schema):
            waiting.append((inner, found))
            _group(position, keyword).append(inner)
        yield position


def _group(position: Position, keyword: str) -> list[str]:
    if keyword in _OF_THE_SAME_VALUE:
        return position.beside
    if keyword in {"properties", "prefixItems"}:
        return position.named
    # Definitions are asked where they are referred to.
    return [] if keyword in {"$defs", "definitions"} else position.shared


def _inside(pointer: str, schema: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for keyword in _ONE:
        if isinstance(schema.get(keyword), Mapping):
            yield keyword, f"{pointer}/{keyword}", schema[keyword]
    for keyword in _LISTS:
        if isinstance(schema.get(keyword), list):
            yield from _members(keyword, f"{pointer}/{keyword}", enumerate(schema[keyword]))
    for keyword in _MAPS:
        if isinstance(schema.get(keyword), Mapping):
            yield from _members(keyword, f"{pointer}/{keyword}", schema[keyword].items())


def _members(keyword: str, pointer: str, members: Any) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for step, member in members:
        if isinstance(member, Mapping):
            yield keyword, f"{pointer}/{str(step).replace('~', '~0').replace('/', '~1')}", member
