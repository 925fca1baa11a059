"""A channel of what a thread gathers: a checkpoint holds what was added, and whole copies come the rarer the longer it is."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any, Self

from langgraph.channels import DeltaChannel

LEAST_UPDATES = 100
"""LangGraph's own number of updates between whole copies; short threads are replayed in full."""


class GrowingChannel(DeltaChannel[Any]):
    """A delta channel whose whole copies double in length, so that all together they are as long as the last one twice."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]  # as in DeltaChannel, which has __eq__ alone

    @property
    def snapshot_frequency(self) -> int:
        """After how many updates a whole copy is written: as many as there are items, so that a replay is never longer."""
        return max(LEAST_UPDATES, self.length())

    @snapshot_frequency.setter
    def snapshot_frequency(self, value: int) -> None:
        """Take no notice: the base class sets what it was made with."""

    def copy(self) -> Self:
        """Return a channel with the same value. The value itself is shared: an update makes a new one."""
        new = self.__class__.__new__(self.__class__)
        new.key, new.typ, new.reducer, new.value = self.key, self.typ, self.reducer, self.value
        return new

    def length(self) -> int:
        """Return how many items the value has."""
        return len(self.value) if self.is_available() and isinstance(self.value, Sized) else 0
