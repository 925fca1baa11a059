"""Reads the JSON object in a text that is still being written, without reading all of it again at every piece."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic_core import from_json

MAX_READS_PER_CHARACTER = 64
"""A text is parsed again once it has grown by this part of its length, so the work is linear in it and not quadratic.

Up to a few hundred characters this is at every piece.
"""

MAX_RESTARTS = 8
"""Number of braces that begin no object and are passed over, as in the search of a whole text."""

_OF_NUMBERS = "0123456789+-.eE"
"""The end of a number is not known before something else follows: 12 may become 120."""


class GrowingJson:
    """The first JSON object of a text that comes in pieces; in words before it, braces that begin no object are passed over.

    Example:
        >>> growing = GrowingJson()
        >>> [growing.value for piece in ('{"passed": tr', 'ue, "why": "It r', 'uns."}') if growing.add(piece)]
        [{}, {'passed': True, 'why': 'It r'}, {'passed': True, 'why': 'It runs.'}]
    """

    def __init__(self, is_meant: Callable[[Mapping[str, Any]], bool] = lambda data: True) -> None:
        # Says of an object, as far as it is written, whether it is the one looked for; any other ends the search.
        self.value: dict[str, Any] | None = None
        self._is_meant = is_meant
        self._pieces: list[str] = []
        self._length = 0
        self._read_length = 0
        self._start = 0
        self._restarts_left = MAX_RESTARTS

    def add(self, piece: str) -> bool:
        """Add a piece of the text, and return whether ``value`` has changed.

        The value holds only what will stay: strings may still grow, lists and objects get further items, and a number or
        constant is left out until it has ended.
        """
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

    def _take(self, value: dict[str, Any]) -> None:
        if self._is_meant(value):
            self.value = value
        else:
            self._restarts_left = -1


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        value: dict[str, Any] = from_json(text, allow_partial="trailing-strings", allow_inf_nan=False)
    except ValueError:
        return None
    return value
