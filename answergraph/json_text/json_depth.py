"""The values directly in a value of JSON, and a limit on nesting, because much code that reads JSON is recursive."""

from collections.abc import Collection, Iterable
from typing import Any

MAX_JSON_DEPTH = 128
"""Maximum nesting of a model's JSON; deeper JSON is unreadable."""


def is_deeper(data: object, depth: int = MAX_JSON_DEPTH) -> bool:
    """Return whether data is nested deeper than a depth; iterative.

    Example:
        >>> is_deeper([[1], 2], 1)
        True
    """
    level = [data]
    for _ in range(depth):
        level = [inner for each in level for inner in inner_values(each)]
        if not level:
            return False
    return any(isinstance(each, dict | list) for each in level)


def inner_values(value: object) -> Collection[Any]:
    """Return the values of an object, or the items of a list."""
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list | tuple) else ()


def members(value: object) -> Iterable[tuple[Any, Any]]:
    """Return the values of an object with their keys, or the items of a list with their numbers."""
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list | tuple) else ()
