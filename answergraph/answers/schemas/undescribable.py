"""Finds the field that makes a type impossible to describe as JSON Schema."""

from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

from pydantic import TypeAdapter
from pydantic.errors import PydanticUndefinedAnnotation, PydanticUserError


def undescribable_field(declared: Any) -> str:
    """Return the path of the first field without a JSON Schema, ``"items.price"``; empty if none is at fault alone."""
    try:
        hints = get_type_hints(declared, include_extras=True)
    except (TypeError, NameError):
        return ""
    for name, hint in hints.items():
        try:
            TypeAdapter(hint).json_schema()
        except (PydanticUserError, PydanticUndefinedAnnotation):
            inner = next((path for cls in _classes_in(hint) if (path := undescribable_field(cls))), "")
            return f"{name}.{inner}" if inner else name
    return ""


def _classes_in(hint: Any) -> Iterator[type]:
    if isinstance(hint, type) and hasattr(hint, "__annotations__"):
        yield hint
    for part in get_args(hint):
        yield from _classes_in(part)
