"""Whether a value is the value of a label: in the same row, sentence or pair, or below it in its column."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple, Protocol, TypeVar

from answergraph.evidence.texts.cldr_names import currencies
from answergraph.evidence.texts.language_words import words
from answergraph.evidence.texts.value_text import ValueText, words_of
from answergraph.evidence.values.wholes import Places

_COMMON_WORDS = frozenset(words("quotes", "common"))
_REACH = 300
"""Characters between a label and its value."""
_HEAD_ROWS = 2
"""Rows of a head, such as one of Markdown, above the only row of values."""
_IN_BRACKETS = re.compile(r"\([^()]{0,80}\)|\[[^\[\]]{0,80}\]")
_PAIR = re.compile(r"[:=](?!//)")
_SENTENCE_END = re.compile(r"(?<![.\s])[.!?。！？](?=\s)\s?|[;。]")
"""Dots that lead from a label to its value end no sentence."""
_WORD_SIGN = re.compile(r"[^\W_]")
_NUMBER_THEN_WORD = re.compile(r"\d[\s\S]*?[^\W\d_]{2}")
_OWN_BEFORE, _OWN_BEHIND = re.compile(r"\d ?\Z"), re.compile(r" ?[:=]? ?\(?[-+]?[^\w\s,;:.]?\d")
"""The label's own value, on its other side."""
_MARKS = " \t|,;:=\"'($€£¥-"
"""Between a label and its value."""
_PART_BORDER = re.compile(r"[,;{}|\t]|[.!?。！？]\s|\s{2,}")
_PAIR_VALUE = re.compile(r"""\.?["']?(?:\s?[:=：]\s*|\t\s*|\s*\|\s*|\s{2,}|,)["']?(?=\w)""")
_PAIR_END = re.compile(r"""["'\n\f\v\r\t|]|[,;]\s|\s{2,}""")


class Span(Protocol):
    """A place in a text."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


T = TypeVar("T", bound=Span)


class OtherValue(NamedTuple):
    """A place where a label has another value."""

    start: int
    end: int
    value: object


class Labels:
    """The places of labels in a text, and what belongs to them outside of tables."""

    def __init__(self, searched: ValueText, labels: Sequence[str]) -> None:
        self._searched, self._labels = searched, labels
        self._headed: dict[tuple[str, int, int], bool] = {}

    @cached_property
    def reach(self) -> Places:
        """The places near a label."""
        return Places(window for label in self._labels for window in self._searched.reach_of(words_of(label)))

    def of(self, places: Iterable[T]) -> Iterator[T]:
        """Yield the places that belong to one of the labels."""
        near = (place for place in places if self.reach.hold(place.start, place.end))
        return (place for place in near if self.have(place, _HEAD_ROWS))

    def have(self, place: Span, rows: int | None = None) -> bool:
        """Return whether a place of a value belongs to one of the labels; the head of its column is at most ``rows`` above."""
        return any(
            self._is_headed(place.start, label, rows) or _is_beside(self._searched, place.start, place.end, label)
            for label in self._labels
            if words_of(label)
        )

    def _is_headed(self, start: int, label: str, rows: int | None) -> bool:
        """Return whether a label is above a place in its column; what is above a row is looked up once for all places below."""
        if rows is not None:
            return any(self._is_in(cell, label) for cell in self._searched.heads(start, rows))
        column, at, passed, is_headed = self._searched.column_of(start), start, [], False
        for cell in chain(self._searched.heads(start), [None]):
            passed.append((label, self._searched.line_at(at)[0], column))
            if passed[-1] in self._headed or cell is None or self._is_in(cell, label):
                is_headed = self._headed.get(passed[-1], cell is not None)
                break
            at = cell[0]
        self._headed |= dict.fromkeys(passed, is_headed)
        return is_headed

    def _is_in(self, cell: tuple[int, int], label: str) -> bool:
        return _holds(self._searched.text[slice(*cell)], words_of(label))

    def heads_of(self, place: Span) -> Iterator[int]:
        """Yield where the heads of a place's column are that have a label."""
        for start, end in self._searched.heads(place.start, _HEAD_ROWS):
            if any(_holds(self._searched.text[start:end], words_of(label)) for label in self._labels):
                yield start

    def name(self, place: Span) -> bool:
        """Return whether a label and nothing else names a place: ``Total: 5`` or ``The total is EUR 5``, not ``Sub total: 5``."""
        searched, start = self._searched, place.start
        low, _ = searched.line_at(start)
        before = _PART_BORDER.split(searched.text[max(low, start - _REACH) : start].rstrip(_MARKS))[-1]
        above = None if words_of(before) else searched.line_before(low)
        cells = [*searched.heads(start, _HEAD_ROWS), *([above] if above else [])]
        names = [_words_in(text) for text in (before, *(searched.text[slice(*cell)] for cell in cells))]
        return any(_words_in(label) in names for label in self._labels)


def _words_in(text: str) -> list[str]:
    """Return the words of a text but for common ones and currencies."""
    return [word for word in words_of(text) if word not in _COMMON_WORDS and word.upper() not in currencies()]


def pairs_of(searched: ValueText, labels: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Yield what stands behind a label in a pair or in the next cell."""
    for label in labels:
        for _, stop in searched.runs(words_of(label)):
            _, high = searched.line_at(stop)
            if value := _PAIR_VALUE.match(searched.text, stop, high):
                ends = _PAIR_END.search(searched.text, value.end(), high)
                yield value.end(), ends.start() if ends else high


def _is_beside(searched: ValueText, start: int, end: int, name: str) -> bool:
    """Return whether a label heads the row of a value, or stands before it, behind it or above it."""
    label, stop = words_of(name), "." if name.rstrip().endswith(".") else ""
    low, high = searched.line_at(start)
    if any(_holds(searched.text[slice(*cell)], label) for cell in searched.row_heads(start)):
        return True
    near = max(low, start - _REACH)
    before = _before(searched, near, start, label, stop, is_row=len(searched.cells(low, high)) > 1)
    has_word = re.search(r"[^\W\d_]\W*\Z", searched.text[near:start]) is not None
    if before or _behind(searched.text[end : min(high, end + _REACH)], label, has_word=has_word):
        return True
    # The line above may be only the label, where the value begins its own line.
    above = searched.line_before(low)
    return (
        above is not None
        and _WORD_SIGN.search(searched.text, low, start) is None
        and words_of(searched.text[slice(*above)]) == label
    )


def _holds(cell: str, label: list[str]) -> bool:
    return f" {' '.join(label)} " in f" {' '.join(words_of(cell))} "


def _before(searched: ValueText, low: int, start: int, label: list[str], stop: str, *, is_row: bool) -> bool:
    """Return whether a label stands before the value with no other value between them; ``stop`` is the end of an abbreviation."""
    part = ValueText(searched.text[low:start])
    places = list(part.runs(label))
    if not places:
        # A sentence may go on over a soft line break.
        above = None if is_row else searched.line_before(low)
        if above is None or start - above[0] > _REACH:
            return False
        part = ValueText(searched.text[above[0] : start])
        places = list(part.runs(label))
        if not places or "\n" in part.text[places[-1][1] :].strip(" ")[:1]:
            return False
    if _OWN_BEFORE.search(part.text[: places[-1][0]]) and part.text[places[-1][1] :].startswith(","):
        return False  # "3 failed, 12": the label has its value
    between = _IN_BRACKETS.sub(" ", part.text[places[-1][1] :].removeprefix(stop))
    is_other = _NUMBER_THEN_WORD.search(between) or len(_PAIR.findall(between)) > 1 or _SENTENCE_END.search(between)
    return not is_other


def _behind(after: str, label: list[str], *, has_word: bool) -> bool:
    """Return whether a label follows the value at once: ``3 failed``; not in ``net 90 total 100``, where the value has a word."""
    if has_word and (own := next(ValueText(after).runs(label), None)) and _OWN_BEHIND.match(after, own[1]):
        return False
    first = re.split(r"[,;:|\t\d]|\s{2,}|\.\s", after, maxsplit=1)[0]
    words = words_of(first)
    return words[: len(label)] == label or words[1 : len(label) + 1] == label
