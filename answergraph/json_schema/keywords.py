"""Reads the keywords of a JSON Schema, in the spellings of all drafts, into the normal form."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from answergraph.json_schema.dialects import TYPES_OF_LIMITS, SchemaNotExpressible, inside
from answergraph.json_schema.merge import ANNOTATIONS, UNIONS, Definitions, Node, is_scalar, merged, normalized

_CHANGES_REFERENCES = ("$id", "id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor")
_KNOWN_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})


class Reader(Definitions, Protocol):
    """The part of ``NormalForm`` that reading a subschema uses."""

    def node(self, schema: object, path: str) -> Node: ...

    def reference(self, pointer: str) -> str: ...


def node_of(schema: object, path: str, reader: Reader) -> Node:
    """Return a schema in normal form; raise ``SchemaNotExpressible`` if it is invalid or no dialect can express it."""
    if schema is True:
        return {}
    if not isinstance(schema, Mapping):
        raise SchemaNotExpressible(path, "nothing is allowed here" if schema is False else "this is not a schema")
    _refuse_unreadable(schema, path)
    node = normalized(_own(schema, path, reader), reader, path)
    for index, part in enumerate(_list(schema, "allOf", path)):
        inner = inside(path, "allOf", index)
        node = merged(node, reader.node(part, inner), reader, inner)
    return node


def _refuse_unreadable(schema: Mapping[str, object], path: str) -> None:
    for keyword in _CHANGES_REFERENCES:
        if isinstance(schema.get(keyword), str | bool) and (path != "#" or keyword not in {"$id", "id"}):
            raise SchemaNotExpressible(path, f"{keyword!r} changes what a reference means")
    if schema.get("patternProperties"):
        raise SchemaNotExpressible(path, "the names of properties are open ('patternProperties')")


def _own(schema: Mapping[str, object], path: str, reader: Reader) -> Node:
    node = {key: schema[key] for key in (*ANNOTATIONS, *TYPES_OF_LIMITS) if key in schema}
    for keyword, read in _READERS.items():
        if keyword in schema:
            read(node, schema, path, reader)
    for union in UNIONS:
        if union in schema:
            parts = _list(schema, union, path)
            if not parts:
                raise SchemaNotExpressible(path, f"{union!r} has no members")
            node[union] = [reader.node(part, inside(path, union, index)) for index, part in enumerate(parts)]
    return node


def _reference(node: Node, schema: Mapping[str, Any], path: str, reader: Reader) -> None:
    pointer = schema["$ref"]
    if not isinstance(pointer, str) or not (pointer == "#" or pointer.startswith("#/")):
        raise SchemaNotExpressible(path, "only references into the schema itself are followed, such as '#/$defs/Name'")
    node["$ref"] = reader.reference(pointer)


def _type(node: Node, schema: Mapping[str, object], path: str, _: Reader) -> None:
    declared = schema["type"]
    types = [declared] if isinstance(declared, str) else declared
    if not isinstance(types, list) or not types or not all(isinstance(each, str) and each in _KNOWN_TYPES for each in types):
        raise SchemaNotExpressible(path, "'type' is not a JSON type")
    node["type"] = [each for each in dict.fromkeys(types) if each != "integer" or "number" not in types]


def _required(node: Node, schema: Mapping[str, object], path: str, _: Reader) -> None:
    names = schema["required"]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise SchemaNotExpressible(path, "'required' is not a list of names")
    node["required"] = list(dict.fromkeys(names))


def _enum(node: Node, schema: Mapping[str, object], path: str, _: Reader) -> None:
    values = [schema["const"]] if "const" in schema else schema["enum"]
    if not isinstance(values, list) or not values or not all(map(is_scalar, values)):
        raise SchemaNotExpressible(path, "values of 'enum' and 'const' are strings, numbers, booleans or null")
    node["enum"] = values


def _properties(node: Node, schema: Mapping[str, object], path: str, reader: Reader) -> None:
    declared = schema["properties"]
    if not isinstance(declared, Mapping) or not all(isinstance(name, str) for name in declared):
        raise SchemaNotExpressible(path, "'properties' is not an object")
    node["properties"] = {name: reader.node(inner, inside(path, "properties", name)) for name, inner in declared.items()}


def _additional(node: Node, schema: Mapping[str, object], path: str, reader: Reader) -> None:
    additional = schema["additionalProperties"]
    known = isinstance(additional, bool)
    node["additionalProperties"] = additional if known else reader.node(additional, inside(path, "additionalProperties"))


def _items(node: Node, schema: Mapping[str, object], path: str, reader: Reader) -> None:
    # Before 2020-12, the items of a tuple were a list under 'items', and the schema of further items was under 'additionalItems'.
    older = isinstance(schema.get("items"), list)
    prefix, rest = ("items", "additionalItems") if older else ("prefixItems", "items")
    if prefix in schema:
        parts = _list(schema, prefix, path)
        node["prefixItems"] = [reader.node(part, inside(path, prefix, index)) for index, part in enumerate(parts)]
    if rest in schema:
        node["items"] = False if schema[rest] is False else reader.node(schema[rest], inside(path, rest))


def _list(schema: Mapping[str, object], keyword: str, path: str) -> list[object]:
    parts = schema.get(keyword, [])
    if not isinstance(parts, list):
        raise SchemaNotExpressible(path, f"{keyword!r} is not a list")
    return parts


_READERS: dict[str, Callable[[Node, Mapping[str, Any], str, Reader], None]] = {
    "$ref": _reference,
    "type": _type,
    "enum": _enum,
    "const": _enum,
    "properties": _properties,
    "required": _required,
    "additionalProperties": _additional,
    "prefixItems": _items,
    "items": _items,
}
