"""Embeds JSON Schemas in others: wraps non-object values in an object, and unions in an envelope."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from answergraph.json_schema.normal_form import free_name

VALUE = "value"  # the key under which a value is wrapped
SCHEMA = "schema"
"""The key of an envelope that names the alternative."""

_DEFINITIONS = ("$defs", "definitions")
_OF_THE_ROOT = frozenset({*_DEFINITIONS, "$schema", "$id"})
LEFT_OUT = object()
"""Returned by a change to remove a keyword."""
# Keywords whose values map names that the developer chose to schemas.
BY_NAME = frozenset({*_DEFINITIONS, "properties", "patternProperties", "dependentSchemas"})
# Keywords whose values are data.
DATA = frozenset({"const", "enum", "default", "example", "examples"})


def wrapped_value(schema: Mapping[str, object]) -> dict[str, Any]:
    """Return the schema of an object with the only member ``value``, because answers are objects on the wire."""
    definitions: dict[str, object] = {}
    properties = {VALUE: _moved(schema, f"#/properties/{VALUE}", definitions)}
    root = {"type": "object", "properties": properties, "required": [VALUE], "additionalProperties": False}
    return {**root, "$defs": definitions} if definitions else root


def envelope(members: Sequence[tuple[str, Mapping[str, object]]], keys: tuple[str, str] = (SCHEMA, VALUE)) -> dict[str, Any]:
    """Return the schema of a union: an ``anyOf`` of ``{"schema": name, "value": …}``, which ties names to values.

    Members that have a discriminator of their own need no envelope, unless it has other ``keys``.
    """
    definitions: dict[str, object] = {}
    name_key, value_key = keys
    if name_key == SCHEMA and _have_discriminator([schema for _, schema in members]):
        alternatives = [_moved(schema, f"#/anyOf/{index}", definitions) for index, (_, schema) in enumerate(members)]
    else:
        alternatives = [
            {
                "type": "object",
                "properties": {
                    name_key: {"const": name},
                    value_key: _moved(schema, f"#/anyOf/{index}/properties/{value_key}", definitions),
                },
                "required": [name_key, value_key],
                "additionalProperties": False,
            }
            for index, (name, schema) in enumerate(members)
        ]
    return {"anyOf": alternatives, "$defs": definitions} if definitions else {"anyOf": alternatives}


def _have_discriminator(schemas: Sequence[Mapping[str, object]]) -> bool:
    """Return whether all schemas require one key, each with another constant."""
    constants = [dict(_required_constants(schema)) for schema in schemas]
    shared = set.intersection(*map(set, constants))
    return any(len({own[key] for own in constants}) == len(constants) for key in shared)


def _required_constants(schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key, body in schema.get("properties", {}).items():
        if key in schema.get("required", ()) and isinstance(body, Mapping) and "const" in body:
            yield key, json.dumps(body["const"])


def opened(data: Any) -> Any:
    """Return the envelope in a wrapped value, begun or complete; other data unchanged."""
    inner = data[VALUE] if data.keys() == {VALUE} else None
    return inner if isinstance(inner, Mapping) and inner.keys() <= {SCHEMA, VALUE} else data


def _moved(schema: Mapping[str, Any], base: str, definitions: dict[str, object]) -> object:
    """Return a schema without its definitions, which move to the root under free names."""
    defined = [(key, schema[key]) for key in _DEFINITIONS if isinstance(schema.get(key), Mapping)]
    own = {f"#/{keyword}/{name}": (name, body) for keyword, bodies in defined for name, body in bodies.items()}
    # Definitions refer to each other, so they are shared only if all are identical.
    shared = all(definitions.get(name, body) == body for name, body in own.values())
    names = {pointer: name if shared else free_name(name, definitions) for pointer, (name, _) in own.items()}

    def pointed(reference: str) -> str:
        for pointer, name in names.items():
            if reference == pointer or reference.startswith(f"{pointer}/"):
                return f"#/$defs/{name}{reference.removeprefix(pointer)}"
        return f"{base}{reference[1:]}" if reference.startswith("#") else reference

    def moved(key: str, value: object) -> Any:
        return pointed(value) if key == "$ref" and isinstance(value, str) else value

    for pointer, (_, body) in own.items():
        definitions[names[pointer]] = rewritten(body, moved)
    return rewritten({key: value for key, value in schema.items() if key not in _OF_THE_ROOT}, moved)


def rewritten(schema: object, change: Callable[[str, Any], object]) -> Any:
    """Return a schema in which the value of each keyword is ``change(keyword, value)``; ``LEFT_OUT`` removes the keyword.

    Names that the developer chose, and data, are not keywords.
    """
    if isinstance(schema, list):
        return [rewritten(item, change) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    changed = {key: new for key, value in schema.items() if (new := change(key, value)) is not LEFT_OUT}
    return {key: each_in(key, value, lambda inner: rewritten(inner, change)) for key, value in changed.items()}


def without(keyword: str, schema: Mapping[str, object]) -> dict[str, object]:
    """Return a schema without a keyword, wherever it is."""
    changed: dict[str, object] = rewritten(schema, lambda key, value: LEFT_OUT if key == keyword else value)
    return changed


def each_in(key: str, value: object, work: Callable[[object], object]) -> object:
    """Return the value of a keyword with ``work`` done to the schemas in it."""
    if key in BY_NAME and isinstance(value, Mapping):
        return {name: work(schema) for name, schema in value.items()}
    return value if key in DATA else work(value)
