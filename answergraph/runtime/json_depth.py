"""How deep plain data may be nested: much of what looks at a value is recursive, in this package and in others."""

from __future__ import annotations

from typing import Any

MAX_JSON_DEPTH = 128
"""Objects and lists in each other, in what a model wrote; deeper JSON is unreadable."""


def is_deeper(data: Any, depth: int = MAX_JSON_DEPTH) -> bool:
    """Return whether objects and lists stand in each other deeper than a depth; not recursive.

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


def _parts(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
