"""Checks schemas against OpenAI's documentation of structured outputs; written from the documentation alone.

https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
"""

from collections.abc import Iterator
from typing import Any

KEYWORDS = {
    "object": {"properties", "required", "additionalProperties"},
    "array": {"items", "minItems", "maxItems"},
    "string": {"pattern", "format", "enum"},
    "number": {"multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "enum"},
    "integer": {"multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "enum"},
    "boolean": {"enum"},
    "null": set[str](),
}
FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
ANNOTATIONS = {"title", "description"}


def violations(schema: dict[str, Any]) -> list[str]:
    """Return a schema's violations of OpenAI's rules; empty for a good schema."""
    found = []
    if schema.get("type") != "object":
        found.append("root is no object, or a union")
    every = [(place, each, level) for place, each, level in subschemas(schema)]
    for place, each, level in every:
        found += [f"{place}: {problem}" for problem in problems(each, schema)]
        if level > 10:
            found.append(f"{place}: more than 10 levels")
    return found + totals([each for _, each, _ in every], schema)


def subschemas(schema: dict[str, Any], place: str = "#", level: int = 0) -> Iterator[tuple[str, dict[str, Any], int]]:
    level += "properties" in schema
    yield place, schema, level
    for name, inner in schema.get("properties", {}).items():
        yield from subschemas(inner, f"{place}/{name}", level)
    for name, inner in schema.get("$defs", {}).items():
        yield from subschemas(inner, f"{place}/$defs/{name}", 0)
    for index, inner in enumerate(schema.get("anyOf", [])):
        yield from subschemas(inner, f"{place}/{index}", level)
    if "items" in schema:
        yield from subschemas(schema["items"], f"{place}/items", level)


def problems(schema: dict[str, Any], root: dict[str, Any]) -> Iterator[str]:
    keys = schema.keys() - ({"$defs"} if schema is root else set())
    if "$ref" in keys:
        if keys != {"$ref"}:
            yield "keywords beside $ref"
        elif schema["$ref"] != "#" and schema["$ref"].removeprefix("#/$defs/") not in root.get("$defs", {}):
            yield "a reference into nothing"
    elif "anyOf" in keys:
        if keys - ANNOTATIONS != {"anyOf"} or not schema["anyOf"]:
            yield "keywords beside anyOf, or none in it"
    else:
        yield from problems_of_type(schema, keys - ANNOTATIONS)


def problems_of_type(schema: dict[str, Any], keys: set[str]) -> Iterator[str]:
    declared = schema.get("type")
    names = [name for name in (declared if isinstance(declared, list) else [declared]) if name != "null"] or ["null"]
    if len(names) > 1 or names[0] not in KEYWORDS:
        yield f"type {declared!r}"
        return
    if unknown := keys - {"type"} - KEYWORDS[names[0]]:
        yield f"{unknown} of {names[0]}"
    if schema.get("format", "date") not in FORMATS:
        yield "format"
    if names == ["array"] and "items" not in schema:
        yield "no items"
    if names == ["object"]:
        if schema.get("additionalProperties") is not False:
            yield "not closed"
        if schema.get("required") != list(schema.get("properties", ())):
            yield "not all required"


def totals(every: list[dict[str, Any]], root: dict[str, Any]) -> list[str]:
    names = [name for each in every for name in each.get("properties", ())]
    enums = [each["enum"] for each in every if "enum" in each]
    strings = [value for values in enums for value in values if isinstance(value, str)]
    found = []
    if len(names) > 5_000:
        found.append("more than 5,000 properties")
    if sum(map(len, [*names, *root.get("$defs", ()), *strings])) > 120_000:
        found.append("more than 120,000 characters")
    if sum(map(len, enums)) > 1_000:
        found.append("more than 1,000 values of enum")
    if any(len(values) > 250 and sum(len(value) for value in values if isinstance(value, str)) > 15_000 for values in enums):
        found.append("a long enum")
    return found
