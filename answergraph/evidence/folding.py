"""Folds texts, with a map back to the originals, so that a quote is found although it differs in form from its source.

Unicode's compatibility forms (NFKC), white space and quotation marks are folded; case, punctuation and the invisible are not.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from re import Match, Pattern

QUOTATION_MARK = "'"
"""Stands for every quotation mark in folded text."""

_MARKS = (
    "\"'`´\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2032\u2033\u2039\u203a«»"
    "\u300c\u300d\u300e\u300f\uff02\uff07\uff40\uff62\uff63"
)
_SPACES = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_ONE_FOR_ONE = {**dict.fromkeys(map(ord, _MARKS), QUOTATION_MARK), **dict.fromkeys(map(ord, _SPACES), " ")}
_VALUE_CHANGING = ("<super>", "<sub>", "<fraction>", "<circle>")
_JOINS, _CHANGES = "joins", "changes"
_JAMO_VOWELS_AND_FINALS = range(0x1160, 0x1200)


@dataclass(frozen=True)
class MappedText:
    """A changed text in pieces, each with its span of the original."""

    text: str
    starts: tuple[int, ...]
    """Where each piece begins, ascending from 0."""
    origins: tuple[tuple[int, int], ...]
    """The span of the original that each piece came from."""

    def translated(self, table: Mapping[int, str]) -> MappedText:
        """Return the text with single characters replaced by single characters, as by ``str.translate``."""
        return MappedText(self.text.translate(table), self.starts, self.origins)

    @classmethod
    def unchanged(cls, text: str) -> MappedText:
        return cls(text, (0,), ((0, len(text)),))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original behind a span that is not empty; a piece of changed length counts as a whole."""
        return self._place(start)[0], self._place(end - 1)[1]

    def changed(self, pattern: Pattern[str], replace: Callable[[Match[str]], str]) -> MappedText:
        """Return the text with each match replaced; it still maps to this one's original."""
        pieces: list[str] = []
        inner: list[tuple[int, int]] = []
        done = 0
        for match in pattern.finditer(self.text):
            start, end = match.span()
            new = replace(match)
            if new == match.group():
                continue
            if start > done:
                pieces.append(self.text[done:start])
                inner.append((done, start))
            if new:
                pieces.append(new)
                inner.append((start, end))
            done = end
        if done == 0:
            return self
        if done < len(self.text):
            pieces.append(self.text[done:])
            inner.append((done, len(self.text)))
        # A text that is still its own original is looked up in itself.
        origins = inner if len(self.starts) == 1 else [self.span(*piece) for piece in inner]
        return MappedText("".join(pieces), tuple(accumulate(map(len, pieces[:-1]), initial=0)), tuple(origins))

    def _place(self, position: int) -> tuple[int, int]:
        index = bisect_right(self.starts, position) - 1
        start, end = self.origins[index]
        following = self.starts[index + 1] if index + 1 < len(self.starts) else len(self.text)
        if end - start != following - self.starts[index]:
            return start, end
        offset = position - self.starts[index]
        return start + offset, start + offset + 1


def fold(text: str) -> str:
    """Return a text folded and stripped, for comparison.

    Example:
        >>> fold(" the “disk”   is ｆｕｌｌ ")
        "the 'disk' is full"
    """
    return folded(MappedText.unchanged(text)).text.strip()


def folded(text: MappedText) -> MappedText:
    if text.text.isascii():
        return text.translated(_ONE_FOR_ONE).changed(_compiled("", ""), _folded_match)
    kinds = [(character, _kind(character)) for character in set(text.text)]
    table = {ord(character): kind for character, kind in kinds if len(kind) == 1 and kind != character}
    joining = "".join(sorted(character for character, kind in kinds if kind == _JOINS))
    changing = "".join(sorted(character for character, kind in kinds if kind == _CHANGES))
    changed = text.translated({**table, **_ONE_FOR_ONE}).changed(_compiled(joining, changing), _folded_match)
    # A character may become one that begins with a space.
    return changed.changed(_compiled("", ""), _folded_match)


@lru_cache(maxsize=1024)
def _compiled(joining: str, changing: str) -> Pattern[str]:
    parts = ["  +"]
    if joining:
        parts.append(f"[^ ]?[{re.escape(joining)}]+")
    if changing:
        parts.append(f"[{re.escape(changing)}]")
    return re.compile("|".join(parts))


@lru_cache(maxsize=8192)
def _kind(character: str) -> str:
    """Return the one character that a character folds to, or how it is to be treated."""
    first = unicodedata.normalize("NFKD", character)[0]
    if unicodedata.category(first)[0] == "M" or ord(first) in _JAMO_VOWELS_AND_FINALS:
        return _JOINS
    changed = unicodedata.normalize("NFKC", character)
    return changed if len(changed) == 1 and not _has_other_value(character) else _CHANGES


def _folded_match(match: Match[str]) -> str:
    found = match.group()
    if found.isspace():
        return " "
    before = match.string[match.start() - 1] if match.start() else ""
    if before.isdigit() and _has_other_value(found[0]):
        return found
    return unicodedata.normalize("NFKC", found).translate(_ONE_FOR_ONE)


def _has_other_value(character: str) -> bool:
    # Ten squared is not one hundred and two: a raised or encircled digit right after a digit stays what it is.
    return unicodedata.decomposition(character).startswith(_VALUE_CHANGING)
