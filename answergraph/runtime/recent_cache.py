"""Keeps what was made of objects that come again at every call, such as response formats."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Generic, TypeVar

MAX_KEPT = 128
"""How many are kept."""

MadeT = TypeVar("MadeT")


def keep(kept: OrderedDict[Any, Any], key: Any, value: Any) -> None:
    """Keep a value under a key, and forget the oldest ones."""
    kept[key] = value
    while len(kept) > MAX_KEPT:
        kept.popitem(last=False)


class MadeOnce(Generic[MadeT]):
    """Makes something of an object the first time it is asked for, and gives the same again for the same object."""

    def __init__(self, make: Callable[[Any], MadeT]) -> None:
        """Start with nothing made.

        Args:
            make: Makes it. What it raises is raised each time.
        """
        self._make = make
        self._kept: OrderedDict[int, tuple[Any, MadeT]] = OrderedDict()

    def of(self, source: Any) -> MadeT:
        """Return what is made of an object, which is known by its identity."""
        kept = self._kept.get(id(source))
        if kept is None:
            # The object is kept beside what was made of it: ids are reused.
            kept = (source, self._make(source))
            keep(self._kept, id(source), kept)
        return kept[1]
