"""Finds the JSON in what a model wrote, so that an answer in a fence or in prose costs no further call."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

MAX_TEXT_LENGTH = 1_000_000
"""Longer texts are not searched, in characters."""

MAX_RESTARTS = 16
"""How many braces that never close are passed over; keeps the search linear in the text's length."""

Place = Literal["whole", "fence", "prose"]
"""Where in a text a value was found."""

_FENCE = re.compile(r"^[ \t]*(```|~~~)[^\n`]*\n(.*?)^[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE)
_MARKS = re.compile(r'[{}"]|\\.', re.DOTALL)


@dataclass(frozen=True)
class Found:
    """A JSON value in a text."""

    data: Any
    place: Place

    @property
    def repairs(self) -> tuple[str, ...]:
        """What was done to read it, for the record."""
        if self.place == "whole":
            return ()
        return (f"JSON taken out of {'a code fence' if self.place == 'fence' else 'prose'}",)


def find_json(text: str) -> list[Found]:
    """Find the JSON values in a text: the whole text, else its fences, else its outermost objects.

    Args:
        text: What the model wrote.

    Returns:
        The values of the first place that has any, in the text's order. Numbers that JSON does not know (``NaN``,
        ``Infinity``) and repeated keys make a value unreadable: reading them would change data.
    """
    if not text or len(text) > MAX_TEXT_LENGTH:
        return []
    whole = _loaded([text.strip()], "whole")
    fenced = whole or _loaded([match[2] for match in _FENCE.finditer(text)], "fence")
    return fenced or [found for found in _loaded(_outermost_objects(text), "prose") if found.data]


def _loaded(texts: Iterator[str] | list[str], place: Place) -> list[Found]:
    found = []
    for text in texts:
        try:
            data = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique_keys)
        except (ValueError, RecursionError):
            continue
        found.append(Found(data, place))
    return found


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("a key is repeated")
    return result


def _outermost_objects(text: str) -> Iterator[str]:
    position = text.find("{")
    restarts = 0
    while position >= 0 and restarts <= MAX_RESTARTS:
        end = _closing_brace(text, position)
        if end is None:
            # This brace is prose; what follows it may still be an answer.
            restarts += 1
            end = position + 1
        else:
            yield text[position:end]
        position = text.find("{", end)


def _closing_brace(text: str, start: int) -> int | None:
    depth = 0
    in_string = False
    for mark in _MARKS.finditer(text, start):
        match mark.group():
            case '"':
                in_string = not in_string
            case "{" if not in_string:
                depth += 1
            case "}" if not in_string:
                depth -= 1
                if depth == 0:
                    return mark.end()
    return None
