"""Builds an example answer from a JSON Schema for prompts, because small models repeat a schema but fill in an example."""

import json
from collections.abc import Mapping
from typing import Any

from answergraph.answers.schemas.json_envelope import DATA
from answergraph.answers.schemas.known_keys import pointed_at
from answergraph.json_schema.dialect_sizes import Edge, in_circle

MAX_DESCRIPTION_CHARACTERS = 120  # maximum number of characters of a description that are shown
MAX_EXAMPLE_DEPTH = 5
"""Deeper and recursive parts are shown as ``...``."""

_LIMITS = (
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("pattern", "matching {}"),
    ("minimum", "at least {}"),
    ("maximum", "at most {}"),
    ("exclusiveMinimum", "more than {}"),
    ("exclusiveMaximum", "less than {}"),
    ("multipleOf", "a multiple of {}"),
)
_FORMATS = {"date": "2026-01-31", "date-time": "2026-01-31T12:00:00Z", "time": "12:00:00"}
_NOT_SHOWN = frozenset(
    {"allOf", "not", "if", "patternProperties", "dependentSchemas", "dependentRequired", "contains", "prefixItems"}
)
"""Keywords that an example does not express."""


def example_of(schema: Mapping[str, Any]) -> str:
    """Return an example answer as JSON, with a placeholder for each value; a union has one example per alternative."""
    alternatives = _alternatives(schema, schema)
    return "\nor\n".join(json.dumps(_example(each, schema, 0, ""), ensure_ascii=False) for each in alternatives)


def needs_schema(schema: Any) -> bool:
    """Return whether a schema says more than its example: it is recursive, or has a keyword that an example does not express."""
    if isinstance(schema, list):
        return any(map(needs_schema, schema))
    if not isinstance(schema, Mapping):
        return False
    inner = [value for key, value in schema.items() if key not in DATA]
    return bool(_NOT_SHOWN & schema.keys()) or _refers_to_itself(schema) or any(map(needs_schema, inner))


def _refers_to_itself(schema: Mapping[str, Any]) -> bool:
    definitions = schema.get("$defs")
    if not isinstance(definitions, Mapping):
        return schema.get("$ref") == "#"
    texts = {name: json.dumps(body) for name, body in definitions.items()}
    pairs = ((name, other) for name, text in texts.items() for other in texts if f'"#/$defs/{other}"' in text)
    return bool(in_circle(Edge(name, other, stepped=True, optional=False) for name, other in pairs))


def _example(schema: Any, root: Mapping[str, Any], depth: int, note: str) -> Any:
    if depth > MAX_EXAMPLE_DEPTH or not isinstance(schema, Mapping):
        return "..." if isinstance(schema, Mapping) else "<anything>"
    schema = _resolved(schema, root)
    if "const" in schema:
        return schema["const"]
    note = _with(note, _description(schema))
    alternatives = _alternatives(schema, root)
    if len(alternatives) > 1:
        return _one_of(alternatives, root, depth, note)
    schema = alternatives[0]
    if schema.get("type") == "object" or "properties" in schema:
        return _object(schema, root, depth)
    if schema.get("type") == "array":
        return [_example(schema.get("items", True), root, depth + 1, _with(note, _counts(schema))), "..."]
    return f"<{_with(_leaf(schema), note)}>"


def _object(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> dict[str, Any]:
    required = schema.get("required", ())
    shown = {
        name: _example(body, root, depth + 1, "" if name in required else "or leave this out")
        for name, body in schema.get("properties", {}).items()
    }
    more = schema.get("additionalProperties")
    return {**shown, "<key>": _example(more, root, depth + 1, "")} if isinstance(more, Mapping) and not shown else shown


def _one_of(alternatives: list[Mapping[str, Any]], root: Mapping[str, Any], depth: int, note: str) -> Any:
    """Return simple alternatives in words, a single structured one as it is, and several in a list."""
    simple = [_example(each, root, depth + 1, "") for each in alternatives]
    if all(isinstance(each, str) for each in simple):
        return f"<{_with(' or '.join(each.strip('<>') for each in simple), note)}>"
    found = next(each for each in simple if not isinstance(each, str))
    if any(each != found and not isinstance(each, str) for each in simple):
        return {"<one of these>": simple}
    return found


def _leaf(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "one of: " + ", ".join(json.dumps(each, ensure_ascii=False).strip('"') for each in schema["enum"])
    kind = schema.get("type", "anything")
    named = " or ".join(kind) if isinstance(kind, list) else str(kind)
    words = [{"boolean": "true or false", "null": "null"}.get(named, named)]
    words += [text.format(schema[key]) for key, text in _LIMITS if key in schema]
    if "format" in schema:
        words.append(f"such as {_FORMATS[schema['format']]}" if schema["format"] in _FORMATS else str(schema["format"]))
    return ", ".join(words)


def _counts(schema: Mapping[str, Any]) -> str:
    least, most = schema.get("minItems"), schema.get("maxItems")
    return ", ".join([*([f"at least {least} items"] if least else []), *([f"at most {most} items"] if most is not None else [])])


def _alternatives(schema: Mapping[str, Any], root: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    schema = _resolved(schema, root)
    members = schema.get("anyOf") or schema.get("oneOf")
    return [_resolved(each, root) for each in members] if members else [schema]


def _resolved(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return schema
    return {**pointed_at(reference, root), **{key: value for key, value in schema.items() if key != "$ref"}}


def _description(schema: Mapping[str, Any]) -> str:
    text = schema.get("description")
    return " ".join(text.split())[:MAX_DESCRIPTION_CHARACTERS] if isinstance(text, str) else ""


def _with(text: str, more: str) -> str:
    return ", ".join(part for part in (text, more) if part)
