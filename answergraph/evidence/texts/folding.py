"""Folds texts, with a map back to the originals, so that quotes match despite typographic differences.

Folds NFKC forms, white space, quotation marks, hyphens and dashes between spaces, but not case, punctuation or invisible
characters. Line breaks are kept.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from operator import itemgetter
from re import Match, Pattern

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
_DASH = re.compile(r"(?<= )(?:--|[\u2012-\u2015])(?= [^ \d])")
"""A dash between words; before a digit it may be a minus."""
_VALUE_CHANGING = ("<super>", "<sub>", "<fraction>", "<circle>")
_RAISABLE = ")]}"
_JOINS, _CHANGES = "joins", "changes"
_JAMO_VOWELS_AND_FINALS = range(0x1160, 0x1200)


@dataclass(frozen=True)
class MappedText:
    """A changed text, mapped to its original piece by piece."""

    text: str
    starts: tuple[int, ...]
    """Where each piece begins, ascending from 0."""
    origins: tuple[tuple[int, int], ...]  # the original span of each piece

    @property
    def flat(self) -> str:
        """The text with line breaks as spaces, of the same length."""
        return self.text.replace("\n", " ")

    def translated(self, table: Mapping[int, str]) -> MappedText:
        """Replace single characters by single characters, like ``str.translate``."""
        return MappedText(self.text.translate(table), self.starts, self.origins)

    @classmethod
    def unchanged(cls, text: str) -> MappedText:
        return cls(text, (0,), ((0, len(text)),))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the original span of a non-empty span; a piece of changed length counts whole."""
        (_, (low, _)), (_, (_, high)) = next(self._pieces(start, start + 1)), next(self._pieces(end - 1, end))
        return low, high

    def position(self, place: int) -> int:
        """Return the position in this text of a position in the original, or of the next kept character."""
        index = max(bisect_right(self.origins, place, key=itemgetter(0)) - 1, 0)
        start = self.origins[index][0]
        following = self.starts[index + 1] if index + 1 < len(self.starts) else len(self.text)
        return min(self.starts[index] + max(place - start, 0), following)

    def changed(self, pattern: Pattern[str], replace: Callable[[Match[str]], str]) -> MappedText:
        """Replace each match; keeps the map to the original."""
        return self.edited((*match.span(), replace(match)) for match in pattern.finditer(self.text))

    def edited(self, edits: Iterable[tuple[int, int, str]]) -> MappedText:
        """Replace spans, given in order with their replacements."""
        pieces: list[tuple[str, tuple[int, int]]] = []
        done = 0
        for start, end, new in edits:
            if new == self.text[start:end]:
                continue
            pieces += self._pieces(done, start)
            if new:
                pieces.append((new, self.span(start, end)))
            done = end
        if done == 0:
            return self
        pieces += self._pieces(done, len(self.text))
        texts = [text for text, _ in pieces]
        starts = tuple(accumulate(map(len, texts[:-1]), initial=0)) if texts else (0,)
        return MappedText("".join(texts), starts, tuple(origin for _, origin in pieces) or ((0, 0),))

    def _pieces(self, start: int, end: int) -> Iterator[tuple[str, tuple[int, int]]]:
        """Yield the pieces between two positions, each from one original span."""
        index = bisect_right(self.starts, start) - 1
        while start < end:
            following = self.starts[index + 1] if index + 1 < len(self.starts) else len(self.text)
            stop = min(end, following)
            low, high = self.origins[index]
            if high - low == following - self.starts[index]:
                low, high = low + start - self.starts[index], low + stop - self.starts[index]
            yield self.text[start:stop], (low, high)
            start, index = stop, index + 1


def fold(text: str) -> str:
    """Return a text folded and stripped, with line breaks as spaces."""
    return folded(MappedText.unchanged(text)).flat.strip()


def folded(text: MappedText) -> MappedText:
    if text.text.isascii():
        changed = text.translated(_ONE_FOR_ONE).changed(_compiled("", ""), _folded_match)
    else:
        kinds = [(character, _kind(character)) for character in set(text.text)]
        table = {ord(character): kind for character, kind in kinds if len(kind) == 1 and kind != character}
        joining = "".join(sorted(character for character, kind in kinds if kind == _JOINS))
        changing = "".join(sorted(character for character, kind in kinds if kind == _CHANGES))
        changed = text.translated({**table, **_ONE_FOR_ONE}).changed(_compiled(joining, changing), _folded_match)
        # A folded character may begin with a space.
        changed = changed.changed(_compiled("", ""), _folded_match)
    return changed.changed(_DASH, lambda _: "-")


@lru_cache(maxsize=1024)
def _compiled(joining: str, changing: str) -> Pattern[str]:
    parts = [r"[ \n]{2,}"]
    if joining:
        parts.append(rf"[^ \n]?[{re.escape(joining)}]+")
    if changing:
        parts.append(f"[{re.escape(changing)}]")
    return re.compile("|".join(parts))


@lru_cache(maxsize=8192)
def _kind(character: str) -> str:
    """Return the folded character, or ``_JOINS`` or ``_CHANGES`` if it is not folded on its own."""
    first = unicodedata.normalize("NFKD", character)[0]
    if unicodedata.category(first)[0] == "M" or ord(first) in _JAMO_VOWELS_AND_FINALS:
        return _JOINS
    changed = unicodedata.normalize("NFKC", character)
    return changed if len(changed) == 1 and not has_other_value(character) else _CHANGES


def _folded_match(match: Match[str]) -> str:
    found = match.group()
    if found.isspace():
        return "\n" if "\n" in found else " "
    before = match.string[match.start() - 1] if match.start() else ""
    if before and _stays(found[0], before):
        return found
    return unicodedata.normalize("NFKC", found).translate(_ONE_FOR_ONE)


def _stays(character: str, before: str) -> bool:
    # 10² is not 102 and x² is not x2, but H₂O is H2O.
    is_raised = unicodedata.decomposition(character).startswith("<super>")
    is_letter = before.isalpha() or unicodedata.category(before)[0] == "M"
    behind = before.isdigit() or (is_raised and (is_letter or before in _RAISABLE or has_other_value(before)))
    return behind and has_other_value(character)


def has_other_value(character: str) -> bool:
    """Return whether the usual form of a character means something else: ``²`` is not ``2``."""
    return unicodedata.decomposition(character).startswith(_VALUE_CHANGING)
