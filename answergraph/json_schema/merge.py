"""Merges two JSON Schemas in normal form into their intersection.

``allOf`` requires this, and so do keywords beside ``$ref`` or ``anyOf``. Keywords beside a union move into its members.
"""

import math
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias

from answergraph.json_schema.dialects import Contradiction, SchemaNotExpressible, inside

Node: TypeAlias = dict[str, Any]
"""A schema in normal form; never changed in place."""

UNIONS = ("anyOf", "oneOf")
ANNOTATIONS = ("title", "description", "default")

_SHAPES = frozenset({"$ref", "type", "enum", "properties", "required", "additionalProperties", "items", "prefixItems", *UNIONS})
_HIGHER_COUNTS = frozenset({"minLength", "minItems", "minProperties", "minimum", "exclusiveMinimum"})
_MAX_INTEGER_BITS = 1024
_LOWER_COUNTS = frozenset({"maxLength", "maxItems", "maxProperties", "maximum", "exclusiveMaximum"})


class Definitions(Protocol):
    """The part of ``NormalForm`` that merging uses."""

    def resolve(self, node: Node) -> Node: ...

    def declared_type(self, node: Node) -> object: ...

    def nested(self, path: str, steps: int = 1) -> AbstractContextManager[None]: ...


def merged(one: Node, other: Node, definitions: Definitions, path: str) -> Node:
    """Return the schema of the values that fit both schemas; of two annotations the first is kept.

    Raise ``Contradiction`` if no value fits both, and ``SchemaNotExpressible`` if one schema cannot express both.
    """
    # Copies count, because a large part beside a union is copied into each member.
    with definitions.nested(path, 1 + _size(one) + _size(other)):
        one, other = _with_like_references(one, other, definitions, path)
        _refuse_closed_beside(one, other, path)
        _refuse_closed_beside(other, one, path)
        together: Node = {**other, **one}
        for key in one.keys() & other.keys() - set(ANNOTATIONS):
            # True equals 1 in Python, but not in JSON.
            if one[key] != other[key] or key == "enum":
                together[key] = _both(key, one, other, definitions, path)
        return normalized(together, definitions, path)


def normalized(node: Node, definitions: Definitions, path: str) -> Node:
    """Return a node with explicit types, and without keywords beside a reference or a union that change the shape.

    Raise ``Contradiction`` if no value fits the node, and ``SchemaNotExpressible`` if it has two unions.
    """
    if "$ref" in node and _shape(node) != {"$ref"}:
        rest = {key: value for key, value in node.items() if key != "$ref"}
        return merged(rest, {"$ref": node["$ref"]}, definitions, path)
    node = _without_mere_requirements(node)
    unions = [union for union in UNIONS if union in node]
    if len(unions) > 1:
        raise SchemaNotExpressible(path, "it has two unions, 'anyOf' and 'oneOf'; write one")
    return _with_union_outside(node, unions[0], definitions, path) if unions else _with_types(node, path)


def type_of(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "integer"
    return "number" if isinstance(value, float) else "string"


def is_scalar(value: object) -> bool:
    """Return whether a value is a string, boolean, null or a number that every JSON reader can hold."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return value.bit_length() <= _MAX_INTEGER_BITS
    return value is None or isinstance(value, str)


def is_of(value: object, types: Collection[str]) -> bool:
    name = type_of(value)
    return name in types or (name == "integer" and "number" in types)


def _size(node: Node) -> int:
    return len(node.get("properties", ())) + len(node.get("enum", ())) + len(node.get("required", ()))


def _shape(node: Node) -> frozenset[str]:
    return _SHAPES & node.keys()


def _with_like_references(one: Node, other: Node, definitions: Definitions, path: str) -> tuple[Node, Node]:
    """Replace references by their targets, unless both refer to the same one."""
    if one.get("$ref") == other.get("$ref"):
        return one, other
    return _inlined(one, other, definitions, path), _inlined(other, one, definitions, path)


def _inlined(node: Node, beside: Node, definitions: Definitions, path: str) -> Node:
    if "$ref" not in node or not _shape(beside):
        return node
    rest = {key: value for key, value in node.items() if key != "$ref"}
    return merged(rest, definitions.resolve(node), definitions, path)


def _without_mere_requirements(node: Node) -> Node:
    """Return a node without a union of mere requirements, which no dialect can express, unless it is nothing else."""
    mere = {union for union in UNIONS if union in node and all(member.keys() <= {"required"} for member in node[union])}
    if not mere or _shape(node) <= mere:
        return node
    return {key: value for key, value in node.items() if key not in mere}


def _with_union_outside(node: Node, union: str, definitions: Definitions, path: str) -> Node:
    outside = {key: node[key] for key in (*ANNOTATIONS, union) if key in node}
    rest = {key: value for key, value in node.items() if key not in outside}
    if not rest:
        return node
    members: list[Node] = []
    for index, member in enumerate(node[union]):
        inner = inside(path, union, index)
        try:
            members.append(_narrowed(member, rest, definitions, inner))
        except Contradiction:
            continue
    if not members:
        raise Contradiction(path, f"no member of {union!r} is compatible with the keywords beside it")
    return {**outside, union: members}


def _narrowed(member: Node, rest: Node, definitions: Definitions, path: str) -> Node:
    """Merge the rest into a member, without a type that the member's target declares too, so that it stays a reference."""
    if "$ref" in member and definitions.declared_type(member) in rest.get("type", ()):
        rest = {key: value for key, value in rest.items() if key != "type"}
    return merged(member, rest, definitions, path)


def _with_types(node: Node, path: str) -> Node:
    types = node.get("type")
    if "enum" in node:
        values = [value for value in node["enum"] if types is None or is_of(value, types)]
        if not values:
            raise Contradiction(path, "no value of 'enum' is of the type")
        kinds = dict.fromkeys(map(type_of, values))
        return {**node, "enum": values, "type": [name for name in kinds if name != "integer" or "number" not in kinds]}
    if types is None and not node.keys().isdisjoint({"properties", "additionalProperties"}):
        return {**node, "type": ["object"]}
    if types is None and not node.keys().isdisjoint({"items", "prefixItems"}):
        return {**node, "type": ["array"]}
    return node


def _both(key: str, one: Node, other: Node, definitions: Definitions, path: str) -> object:
    """Return the value of a keyword that both nodes have."""
    if key == "properties":
        return _both_properties(one, other, definitions, path)
    if key == "items":
        return _both_items(one["items"], other["items"], definitions, path)
    values = one[key], other[key]
    if key in _HIGHER_COUNTS | _LOWER_COUNTS:
        if not all(isinstance(each, int | float) and not isinstance(each, bool) for each in values):
            raise SchemaNotExpressible(path, f"{key!r} is not a number")
        return max(values) if key in _HIGHER_COUNTS else min(values)
    if key in _MERGERS:
        return _MERGERS[key](*values, path)
    raise SchemaNotExpressible(path, f"two different {key!r} cannot be merged")


def _both_types(one: list[str], other: list[str], path: str) -> list[str]:
    names = [name for name in one if name in other or (name == "integer" and "number" in other)]
    names += [name for name in other if name == "integer" and "number" in one and name not in names]
    if not names:
        raise Contradiction(path, f"nothing is of type {' or '.join(one)} and of type {' or '.join(other)}")
    return names


def _both_enums(one: list[object], other: list[object], path: str) -> list[object]:
    allowed = {(isinstance(value, bool), value) for value in other}
    values = [value for value in one if (isinstance(value, bool), value) in allowed]
    if not values:
        raise Contradiction(path, "two 'enum' share no value")
    return values


def _both_properties(one: Node, other: Node, definitions: Definitions, path: str) -> dict[str, Node]:
    properties = {**one["properties"], **other["properties"]}
    for name in one["properties"].keys() & other["properties"].keys():
        inner = inside(path, "properties", name)
        try:
            properties[name] = merged(one["properties"][name], other["properties"][name], definitions, inner)
        except Contradiction as error:
            if name in one.get("required", ()) or name in other.get("required", ()):
                raise
            raise SchemaNotExpressible(error.path, error.reason) from error
    return properties


def _refuse_closed_beside(one: Node, other: Node, path: str) -> None:
    undeclared = other.get("properties", {}).keys() - one.get("properties", {}).keys()
    if undeclared and one.get("additionalProperties", True) is not True:
        raise SchemaNotExpressible(path, "'additionalProperties' of one part applies to properties of the other")


def _both_items(one: Any, other: Any, definitions: Definitions, path: str) -> object:
    if one is False or other is False:
        return False
    try:
        return merged(one, other, definitions, inside(path, "items"))
    except Contradiction as error:
        raise SchemaNotExpressible(error.path, error.reason) from error


def _both_additional(one: object, other: object, path: str) -> object:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        raise SchemaNotExpressible(path, "two different 'additionalProperties' cannot be merged")
    # False is narrower than any schema, and any schema is narrower than True.
    if False in (one, other):
        return False
    return other if one is True else one


_MERGERS: dict[str, Callable[[Any, Any, str], object]] = {
    "type": _both_types,
    "enum": _both_enums,
    "required": lambda one, other, _: list(dict.fromkeys([*one, *other])),
    "additionalProperties": _both_additional,
    "uniqueItems": lambda one, other, _: bool(one or other),
}
