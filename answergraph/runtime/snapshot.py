"""Snapshots show whether a value was changed in place. Containers are walked, leaves are shared: a long text costs nothing."""

from collections import deque
from collections.abc import Iterable
from enum import Enum
from types import NoneType
from typing import Any

_LEAVES = frozenset({str, int, float, bool, bytes, NoneType})
_SEQUENCES = (list, tuple, set, frozenset, deque)


class Snapshot:
    """The types and leaves of some values at one time, in the order of a walk."""

    __slots__ = ("_parts",)

    def __init__(self, *values: object) -> None:
        self._parts = _walk(values)

    def is_of(self, *values: object) -> bool:
        """Return whether the values are unchanged since; one that cannot be compared counts as changed."""
        parts = _walk(values)
        try:
            # Lists compare items by identity first, so a text or NaN that is still there costs nothing. 1 equals 1.0 and True.
            return parts == self._parts and list(map(type, parts)) == list(map(type, self._parts))
        except Exception:  # noqa: BLE001 - the value's own comparison may raise anything
            return False

    def is_longer_than(self, characters: int) -> bool:
        """Return whether the values have more parts, or longer texts, than some number."""
        return len(self._parts) > characters or sum([len(part) for part in self._parts if type(part) is str]) > characters


def _walk(values: tuple[object, ...]) -> list[object]:
    parts: list[object] = []
    walked: set[int] = set()
    # Of items, not of their views: a view per item would keep the garbage collector busy.
    waiting: list[object] = [values]
    while waiting:
        for item in _inner(waiting.pop(), parts):
            kind = type(item)
            if kind in _LEAVES:
                parts.append(item)
                continue
            parts.append(kind)
            if kind is dict and _LEAVES.issuperset(map(type, item.values())):
                parts.append(len(item))
                parts += item
                parts += item.values()
            elif id(item) not in walked:
                walked.add(id(item))
                waiting.append(item)
    return parts


def _inner(item: object, parts: list[object]) -> Iterable[Any]:
    """Return the items in an item, after adding to the parts what it is itself."""
    if isinstance(item, dict):
        parts.append(len(item))
        parts += item
        return item.values()
    if isinstance(item, _SEQUENCES):
        parts.append(len(item))
        return item
    # Only the fields of a model or dataclass: a cached property is no change.
    kind = type(item)
    fields = getattr(kind, "__pydantic_fields__", None) or getattr(kind, "__dataclass_fields__", None)
    if fields:
        held: dict[str, object] = getattr(item, "__dict__", {})
        # All attributes at once if they are the fields and no more.
        values = held.values() if len(held) == len(fields) else [getattr(item, name, None) for name in fields]
        extra, private = getattr(item, "__pydantic_extra__", None), getattr(item, "__pydantic_private__", None)
        return [*values, extra, private] if extra or private else values
    # Objects of other classes may refer to anything, so their attributes are not followed.
    attributes = None if isinstance(item, type | Enum) else getattr(item, "__dict__", None)
    parts.append(item if attributes is None else {**attributes})
    return ()
