"""Folds texts, with a map back to the originals, so that quotes match despite typographic differences.

Folds NFKC forms, white space, quotation marks, hyphens and dashes between spaces, but not case, punctuation or invisible
characters. Line breaks are kept.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from re import Match, Pattern
from typing import NamedTuple

QUOTATION_MARK = "'"
"""Replaces every quotation mark in folded text."""

_MARKS = (
    "\"'`´\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2039\u203a«»\u300c\u300d\u300e\u300f\uff02\uff07\uff40\uff62\uff63"
)
_SPACES = "\t\x1f\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
LINE_BREAKS = "\n\x0b\x0c\r\x1c\x1d\x1e\x85\u2028\u2029"
_HYPHENS = "\u2010\u2011\u2212"
_ONE_FOR_ONE = {
    **dict.fromkeys(map(ord, _HYPHENS), "-"),
    **dict.fromkeys(map(ord, _MARKS), QUOTATION_MARK),
    **dict.fromkeys(map(ord, _SPACES), " "),
    **dict.fromkeys(map(ord, LINE_BREAKS), "\n"),
}
_DASH = re.compile(r" (?:--|[\u2012-\u2015])(?= [^ \d])")
"""A dash between words, with the space before it; before a digit it may be a minus."""
_SPACES_IN_A_ROW = re.compile(r" [ \n]+|\n[ \n]+")
_VALUE_CHANGING = ("<super>", "<sub>", "<fraction>", "<circle>")
_RAISABLE = ")]}"
_JOINS, _CHANGES = "joins", "changes"
_JAMO_VOWELS_AND_FINALS = range(0x1160, 0x1200)


class _Change(NamedTuple):
    """What was replaced in a text: where the new parts are, and where the old ones were; what stayed costs nothing."""

    before: _Change | None
    """The change before it; the texts between need not be kept."""
    starts: array[int]
    ends: array[int]
    lows: array[int]
    highs: array[int]

    def place_before(self, at: int) -> tuple[int, int]:
        """Return where a character was; a part of changed length counts whole."""
        index = bisect_right(self.starts, at) - 1
        if index < 0:
            return at, at + 1
        start, end, low, high = (column[index] for column in self[1:])
        if at >= end:
            return high + at - end, high + at - end + 1
        return (low + at - start, low + at - start + 1) if end - start == high - low else (low, high)

    def position(self, place: int) -> int:
        place = place if self.before is None else self.before.position(place)
        index = bisect_right(self.lows, place) - 1
        if index < 0:
            return place
        start, end, low, high = (column[index] for column in self[1:])
        return end + place - high if place >= high else min(start + place - low, end)


@dataclass(frozen=True)
class MappedText:
    """A text with the way back to the original that it was changed from, change by change."""

    text: str
    change: _Change | None = None
    """The last change; ``None``: this is the original."""

    @cached_property
    def flat(self) -> str:
        """The text with line breaks as spaces, of the same length."""
        return self.text.replace("\n", " ")

    def translated(self, table: Mapping[int, str]) -> MappedText:
        """Replace single characters by single characters, like ``str.translate``."""
        return MappedText(translated(self.text, table), self.change)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the original span of a non-empty span; a part of changed length counts whole."""
        change = self.change
        while change is not None:
            start, end, change = change.place_before(start)[0], change.place_before(end - 1)[1], change.before
        return start, end

    def position(self, place: int) -> int:
        """Return the position in this text of a position in the original, or of the next kept character."""
        return place if self.change is None else self.change.position(place)

    def changed(self, pattern: Pattern[str], replace: Callable[[Match[str]], str]) -> MappedText:
        """Replace each match; keeps the way back."""
        return self.edited((*match.span(), replace(match)) for match in pattern.finditer(self.text))

    def edited(self, edits: Iterable[tuple[int, int, str]]) -> MappedText:
        """Replace spans, given in order with their replacements."""
        change = _Change(self.change, array("q"), array("q"), array("q"), array("q"))
        parts, done, at = list[str](), 0, 0
        for start, end, new in edits:
            if new != self.text[start:end]:
                parts += (self.text[done:start], new)
                at += start - done
                change.starts.append(at)
                at += len(new)
                change.ends.append(at)
                change.lows.append(start)
                change.highs.append(end)
                done = end
        return MappedText("".join([*parts, self.text[done:]]), change) if parts else self


_MAX_REPLACED = 64
"""Characters that are replaced one after the other, which is faster than a look at every character of a text."""


def translated(text: str, table: Mapping[int, str]) -> str:
    """Return what ``str.translate`` returns."""
    if text.isascii():
        return text.translate(table)
    pairs = {old: new for old in set(text) if (new := table.get(ord(old), old)) != old}
    if len(pairs) > _MAX_REPLACED or not pairs.keys().isdisjoint(pairs.values()):
        return text.translate(table)
    for old, new in pairs.items():
        text = text.replace(old, new)
    return text


def fold(text: str) -> str:
    """Return a text folded and stripped, with line breaks as spaces."""
    return folded(MappedText(text)).flat.strip()


def folded(text: MappedText) -> MappedText:
    if text.text.isascii():
        joined = text.translated(_ONE_FOR_ONE)
    else:
        kinds = [(character, _kind(character)) for character in set(text.text)]
        table = {ord(character): kind for character, kind in kinds if len(kind) == 1 and kind != character}
        joining = "".join(sorted(character for character, kind in kinds if kind == _JOINS))
        changing = "".join(sorted(character for character, kind in kinds if kind == _CHANGES))
        joined = text.translated({**table, **_ONE_FOR_ONE})
        joined = joined.edited(_combined(joined.text, _compiled(joining, changing))) if joining or changing else joined
    # A folded character may begin with a space.
    spaced = joined.changed(_SPACES_IN_A_ROW, lambda spaces: "\n" if "\n" in spaces.group() else " ")
    return spaced.edited((match.start() + 1, match.end(), "-") for match in _DASH.finditer(spaced.text))


@lru_cache(maxsize=1024)
def _compiled(joining: str, changing: str) -> Pattern[str]:
    joins = f"[{re.escape(joining)}]*" if joining else ""
    return re.compile(f"[{re.escape(joining + changing)}]{joins}")


def _combined(text: str, pattern: Pattern[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the characters that change, each with those that join it."""
    for match in pattern.finditer(text):
        start, end = match.span()
        if start and text[start - 1] not in " \n" and _kind(text[start]) == _JOINS:
            start -= 1
        if not (start and _stays(text[start], text[start - 1])):
            yield start, end, unicodedata.normalize("NFKC", text[start:end]).translate(_ONE_FOR_ONE)


@lru_cache(maxsize=8192)
def _kind(character: str) -> str:
    """Return the folded character, or ``_JOINS`` or ``_CHANGES`` if it is not folded on its own."""
    first = unicodedata.normalize("NFKD", character)[0]
    if unicodedata.category(first)[0] == "M" or ord(first) in _JAMO_VOWELS_AND_FINALS:
        return _JOINS
    changed = unicodedata.normalize("NFKC", character)
    return changed if len(changed) == 1 and not has_other_value(character) else _CHANGES


def _stays(character: str, before: str) -> bool:
    # 10² is not 102 and x² is not x2, but H₂O is H2O.
    is_raised = unicodedata.decomposition(character).startswith("<super>")
    is_letter = before.isalpha() or unicodedata.category(before)[0] == "M"
    behind = before.isdigit() or (is_raised and (is_letter or before in _RAISABLE or has_other_value(before)))
    return behind and has_other_value(character)


def has_other_value(character: str) -> bool:
    """Return whether the usual form of a character means something else: ``²`` is not ``2``."""
    return unicodedata.decomposition(character).startswith(_VALUE_CHANGING)
