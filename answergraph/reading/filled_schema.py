"""Reads values that a small model put inside the schema it was shown."""

from typing import Any

_TYPES = frozenset(("string", "integer", "number", "boolean", "array", "object", "null"))
_VALUE_KEYS = ("value", "const", "default")
_SCHEMA_KEYS = frozenset(
    (
        *_VALUE_KEYS,
        *("$defs", "$ref", "$schema", "additionalProperties", "allOf", "anyOf", "description", "enum", "examples", "format"),
        *("items", "maximum", "maxItems", "maxLength", "minimum", "minItems", "minLength", "oneOf", "pattern", "properties"),
        *("required", "title", "type"),
    )
)


def values_in_schema(data: object) -> dict[str, object] | None:
    """Return the values put inside a schema, ``None`` if a property has none.

    A schema with a default for each property looks like a filled-in one; the caller knows which schema it showed.
    """
    if not isinstance(data, dict) or not data.keys() <= _SCHEMA_KEYS or data.get("type", "object") != "object":
        return None
    properties = data.get("properties")
    if not isinstance(properties, dict) or not properties:
        return None
    try:
        return {name: _value_in_schema(written) for name, written in properties.items()}
    except (LookupError, RecursionError):
        return None


def _value_in_schema(written: Any) -> object:
    """Return the value of a property; raise ``LookupError`` if there is only its schema."""
    if isinstance(written, str) and written in _TYPES:
        raise LookupError
    is_schema = isinstance(written, dict) and (written.keys() <= _SCHEMA_KEYS or str(written.get("type")) in _TYPES)
    if not is_schema:
        return written
    for key in _VALUE_KEYS:
        if key in written:
            return written[key]
    if isinstance(items := written.get("items"), list) and not any(isinstance(item, dict) for item in items):
        return items
    if (inner := values_in_schema(written)) is None:
        raise LookupError
    return inner
