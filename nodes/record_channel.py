"""The channel of a record of the graph's own: checkpoints, which repeat it at every step, leave out what is as it begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Self

from langgraph.channels import LastValue


class RecordChannel(LastValue[Any]):
    """Keeps the last record written; a write and a checkpoint may leave out what is as in ``beginning``."""

    __slots__ = ("beginning",)
    __hash__ = None  # type: ignore[assignment]  # as in LastValue: a channel changes

    def __init__(self, typ: Any, beginning: Mapping[str, Any], key: str = "") -> None:
        """Make an empty channel.

        Args:
            typ: The record's type, a ``TypedDict``.
            beginning: What its fields are as long as nothing has happened; fields that differ from the start are not in it.
            key: The state key.
        """
        super().__init__(typ, key)
        self.beginning = beginning

    def __eq__(self, other: object) -> bool:
        """Return whether both are such channels; the state key of a graph has one, the first one declared."""
        return isinstance(other, RecordChannel)

    def copy(self) -> Self:
        """Return a channel with the same record."""
        copied = type(self)(self.typ, self.beginning, self.key)
        copied.value = self.value
        return copied

    def from_checkpoint(self, checkpoint: Any) -> Self:
        """Return a channel with the record of a checkpoint; an empty one if it has none."""
        channel = type(self)(self.typ, self.beginning, self.key)
        # The value of an empty channel is LangGraph's mark for none.
        if checkpoint is not channel.value:
            channel.value = self._whole(checkpoint)
        return channel

    def update(self, values: Sequence[Any]) -> bool:
        """Take the record written in a step.

        Raises:
            InvalidUpdateError: If there are several.
        """
        if not super().update(values):
            return False
        self.value = self._whole(self.value)
        return True

    def checkpoint(self) -> Any:
        """Return what a checkpoint keeps."""
        return self.written(self.value) if self.is_available() else self.value

    def written(self, record: Any) -> Any:
        """Return what a node writes for a record; what is none, such as a user's ``None``, is written as it is."""
        return compacted(record, self.beginning) if isinstance(record, Mapping) else record

    def _whole(self, record: Any) -> Any:
        return completed(record, self.beginning) if isinstance(record, Mapping) else record


def compacted(record: Mapping[str, Any], beginning: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record without what is as it begins.

    Args:
        record: The record.
        beginning: How it begins. Where that is a ``dict``, the same holds for what is in it.

    Example:
        >>> compacted({"calls": 3, "used": {"in": 5, "out": 0}}, {"used": {"in": 0, "out": 0}})
        {'calls': 3, 'used': {'in': 5}}
    """
    short = {name: value for name, value in record.items() if name not in beginning or value != beginning[name]}
    for name, value in short.items():
        if isinstance(value, dict) and isinstance(beginning.get(name), dict):
            short[name] = compacted(value, beginning[name])
    return short


def completed(short: Mapping[str, Any], beginning: Mapping[str, Any]) -> dict[str, Any]:
    """Return the whole record of a compacted one, which may be whole already.

    Example:
        >>> completed({"calls": 3, "used": {"in": 5}}, {"used": {"in": 0, "out": 0}})
        {'calls': 3, 'used': {'in': 5, 'out': 0}}
    """
    record = dict(short)
    for name, first in beginning.items():
        if name not in record:
            # A container of its own: what a caller does to a result must not be how the next run begins.
            record[name] = deepcopy(first) if isinstance(first, dict | list) else first
        elif isinstance(first, dict) and isinstance(record[name], dict):
            record[name] = completed(record[name], first)
    return record
