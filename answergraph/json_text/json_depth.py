"""Limits the nesting of data, because much code that reads it is recursive."""

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
        level = [inner for each in level for inner in _parts(each)]
        if not level:
            return False
    return any(isinstance(each, dict | list) for each in level)


def _parts(value: object) -> Any:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
