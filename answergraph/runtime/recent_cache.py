"""A cache of values made from objects that come again at every call, such as response formats and bound models."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

MAX_KEPT = 128
"""Number of values in a cache."""

ValueT = TypeVar("ValueT")


class RecentCache(Generic[ValueT]):
    """Keeps the ``MAX_KEPT`` values that were used last; ``None`` is not kept.

    Threads may share a cache: in a race a value may be made twice, but all callers are given the same one.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, tuple[ValueT, Any]] = OrderedDict()

    def get(self, key: Hashable) -> ValueT | None:
        """Return the value of a key, or ``None``."""
        try:
            self._kept.move_to_end(key)
            return self._kept[key][0]
        except KeyError:  # Never kept, or another thread has just dropped it.
            return None

    def put(self, key: Hashable, value: ValueT, sources: Any = None) -> ValueT:
        """Return the value now kept under a key: the one already there, or this one.

        The sources stay alive with it. A key may therefore hold their ids, which Python reuses for other objects after their end.
        """
        value = self._kept.setdefault(key, (value, sources))[0]
        self.get(key)
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        return value

    def get_or_make(self, make: Callable[[], ValueT], *sources: object, key: Hashable = None) -> ValueT:
        """Return the value for these very sources and an equal key, made the first time; what ``make`` raises is not kept."""
        full_key = (key, *map(id, sources))
        value = self.get(full_key)
        return self.put(full_key, make(), sources) if value is None else value
