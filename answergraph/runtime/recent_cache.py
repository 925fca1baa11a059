"""A cache of values made from objects that recur at every call, such as response formats."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

MAX_KEPT = 128

ValueT = TypeVar("ValueT")
MadeT = TypeVar("MadeT")


class RecentCache(Generic[ValueT]):
    """An LRU cache of ``MAX_KEPT`` values; ``None`` is not kept.

    Thread-safe: in a race a value may be made twice, but all callers get the same one.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, tuple[ValueT, Any]] = OrderedDict()

    def get(self, key: Hashable) -> ValueT | None:
        try:
            self._kept.move_to_end(key)
            return self._kept[key][0]
        except KeyError:  # Not cached, or just dropped by another thread.
            return None

    def put(self, key: Hashable, value: ValueT, sources: object = None) -> ValueT:
        """Return the value now kept under a key: the one already there, or this one.

        The sources stay alive with it, so a key may hold their ids.
        """
        value = self._kept.setdefault(key, (value, sources))[0]
        self.get(key)
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        return value

    def get_or_make(self: "RecentCache[Any]", make: Callable[[], MadeT], *sources: object, key: Hashable = None) -> MadeT:
        """Return the cached value for the same sources and an equal key; errors of ``make`` are not cached."""
        full_key = (key, *map(id, sources))
        value: MadeT | None = self.get(full_key)
        return self.put(full_key, make(), sources) if value is None else value
