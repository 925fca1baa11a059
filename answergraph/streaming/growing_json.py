"""Parses the JSON object in a growing text incrementally."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic_core import from_json

from answergraph.json_text.json_in_text import end_of_thoughts

MAX_READS_PER_CHARACTER = 64
"""A text is parsed again when it has grown by 1/64, so the total work is linear; a short text, at every piece."""

MAX_RESTARTS = 8
"""Maximum skipped braces that do not begin an object."""

_OF_NUMBERS = "0123456789+-.eE"
"""A number ends only when something else follows: 12 may become 120."""


class GrowingJson:
    """The first JSON object of a text that comes in pieces; what the model thinks of, and braces of no object, are skipped."""

    def __init__(self, is_meant: Callable[[Mapping[str, Any]], bool] = lambda data: True) -> None:
        # Whether a partial object is the wanted one; any other ends the search.
        self.value: dict[str, object] | None = None
        self._is_meant = is_meant
        self._pieces: list[str] = []
        self._length = 0
        self._read_length = 0
        self._start = 0
        self._restarts_left = MAX_RESTARTS

    def add(self, piece: str) -> bool:
        """Add a piece, and return whether ``value`` has changed; it only grows, and omits a number or constant until complete."""
        self._pieces.append(piece)
        self._length += len(piece)
        grown = self._length - self._read_length
        if not piece or grown <= self._read_length // MAX_READS_PER_CHARACTER or self._restarts_left < 0:
            return False
        self._read_length = self._length
        self._pieces = ["".join(self._pieces)]
        before = self.value
        self._read(self._pieces[0])
        return self.value != before

    def _read(self, text: str) -> None:
        self._start = max(self._start, end_of_thoughts(text))
        while self._restarts_left >= 0:
            start = text.find("{", self._start)
            if start < 0:
                self._start = len(text)
                return
            self._start = start
            value = _parsed(text[start:].rstrip(_OF_NUMBERS))
            if value is not None:
                self._take(value)
                return
            if self.value:
                self._restarts_left = -1
                return
            self._restarts_left -= 1
            self._start = start + 1

    def _take(self, value: dict[str, object]) -> None:
        if self._is_meant(value):
            self.value = value
        else:
            self._restarts_left = -1


def _parsed(text: str) -> dict[str, object] | None:
    try:
        value: dict[str, object] = from_json(text, allow_partial="trailing-strings", allow_inf_nan=False)
    except ValueError:
        return None
    return value
