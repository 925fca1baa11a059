"""Finds a quote in a tool result and decides whether it counts."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate, islice
from operator import add, sub

from answergraph.evidence.marks import Quote
from answergraph.evidence.quote_forms import forms_of, marks_agree, parts_of
from answergraph.evidence.searched_result import SearchedResult
from answergraph.evidence.texts.folding import MappedText, fold
from answergraph.evidence.texts.language_words import words
from answergraph.evidence.texts.quote_borders import (
    begins_at_border,
    cuts_grouped_number,
    ends_at_border,
    follows_negation,
    holds_negation,
)
from answergraph.evidence.texts.source_views import View
from answergraph.evidence.units import MASK, evidence_at
from answergraph.state.field_record import Evidence

_WORD = re.compile(r"\w+")
_COMMON_WORDS = frozenset(words("quotes", "common"))
_WORDS_AROUND_AN_ECHO = frozenset(words("quotes", "around_an_echo"))
_MAX_PASSAGE_CHARACTERS = 300
_PART_CHARACTERS = 100_000
_MIN_LIKENESS = 0.5
"""Minimum similarity, from 0 to 1, of a passage that is shown."""
_MIN_COLUMNS_BESIDE_ECHO = 4
"""Columns that a quote needs beyond the tool's arguments."""

NOT_FOUND = "it is in no tool result word for word"
_MAX_PLACES = 200
"""Maximum places of a quote that are checked per view."""
_MAX_GAP_CHARACTERS = 1000
_GAP_ENDS = re.compile(r"[.!?;:。！？；](?=[ '\n)])|[。！？；]")

_REDACTED = re.compile(r"\[[^\]\n]{1,60}\]|<[^>\n]{1,80}>|\S*\*{2,}\S*|[█▒]+")

CUT = "it begins or ends in the middle of a word or number there: quote whole words"
NEGATED = "a negation comes right before it there: quote that too"
ECHOED = "it only repeats the tool's arguments or your own words: quote more of the tool's output"
CROSSES = "it runs from one line, item or paragraph into another: quote them apart, or with the line break"
ASKED = "it is a question there"
REMARKED = "its quotation marks, or feet and inches, differ there"
SKIPS = "the text replaced by the ellipsis spans several sentences or changes the meaning"


@dataclass(frozen=True)
class Found:
    """A span of a result's text."""

    result: SearchedResult
    start: int
    end: int
    more: tuple[tuple[int, int], ...] = ()
    """The further parts of a quote with ellipses."""

    @property
    def passage(self) -> str:
        return " … ".join(self.result.run.text[slice(*span)] for span in ((self.start, self.end), *self.more))

    @property
    def evidence(self) -> Evidence:
        return evidence_at(self.result, [(self.start, self.end), *self.more])


def counts_as_quote(text: str, min_length: int, idle: frozenset[str] = frozenset()) -> str | None:
    """Return why a folded text does not count as a quote, or ``None``; ``idle`` words count as common."""
    width = sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
    if width < min_length:
        return f"it is too short for a quote: it needs at least {min_length} characters"
    if all(says_nothing(word.lower(), idle) for word in _WORD.findall(text)):
        return "it consists only of common words"
    return None


def says_nothing_around(text: str) -> bool:
    """Return whether only common words surround an echo."""
    return counts_as_quote(text, _MIN_COLUMNS_BESIDE_ECHO, _WORDS_AROUND_AN_ECHO) is not None


def says_nothing(word: str, idle: frozenset[str] = frozenset()) -> bool:
    return word in _COMMON_WORDS or word in idle or (len(word) == 1 and word.isascii())


def places_of_quote(text: str, result: SearchedResult, mark: Quote) -> Iterator[Found | str]:
    """Yield each place of a quote in a result, or the reason against it."""
    problem = counts_as_quote(fold(text), mark.min_length)
    if problem is not None:
        yield problem
        return
    for form in forms_of(text):
        for search in _searches(result):
            loosened = search.source.loosened(form)
            if counts_as_quote(loosened.replace("\n", " "), mark.min_length) is None:
                yield from search.places(loosened, text)
    for parts in parts_of(text):
        if not any(says_nothing_around(fold(part)) for part in parts):
            for search in _searches(result):
                yield from search.places_of_parts(parts)


def places_shown(text: str, result: SearchedResult, mark: Quote) -> Iterator[Found | str]:
    """Yield each place of a quote in the shown text, where a middleware replaced words by placeholders.

    The rest of the quote must be in the result itself.
    """
    shown = result.as_shown()
    if shown is result:
        return
    flat = fold("".join(result.run.texts))
    pieces = [fold(piece) for piece in _REDACTED.split(text)]
    # A bundle that has only parts of a result cannot be searched for the pieces.
    if len(pieces) > 1 and (MASK in flat or all(piece in flat for piece in pieces)):
        yield from places_of_quote(text, shown, mark)


def _searches(result: SearchedResult) -> "Iterator[_Search]":
    for part in range(len(result.run.texts)):
        for view in result.views(part):
            yield _Search(result, part, view)


@dataclass(frozen=True)
class _Search:
    """A search for quotes in one view of one text of a result."""

    result: SearchedResult
    part: int
    source: View

    @property
    def view(self) -> MappedText:
        return self.source.folded

    def places(self, form: str, text: str) -> Iterator[Found | str]:
        for at in islice(self._hits(form), _MAX_PLACES):
            yield self._verdict(form, text, at)

    def places_of_parts(self, parts: Sequence[str]) -> Iterator[Found | str]:
        """Yield the places where one sentence or row has the parts of a quote, in order."""
        for at in islice(self._hits(parts[0]), _MAX_PLACES):
            place = self._place_of_parts(parts, at)
            if place is not None:
                yield place

    def _place_of_parts(self, parts: Sequence[str], at: int) -> Found | str | None:
        found: list[Found] = []
        text, there, end = self.view.text, at, at
        for part in parts:
            if found:
                border = _GAP_ENDS.search(text, end - 1, end + _MAX_GAP_CHARACTERS)
                there = self.view.flat.find(part, end, border.start() if border else end + _MAX_GAP_CHARACTERS)
                if there < 0 or self.source.is_crossed(at, there + len(part), ""):
                    return None
                if holds_negation(text[end:there]):
                    return SKIPS
            place = self._verdict(part, part, there)
            if isinstance(place, str):
                return place if found else None
            found.append(place)
            end = there + len(part)
        if text[end : end + 1] in {"?", "؟"}:
            return ASKED
        return Found(self.result, found[0].start, found[0].end, tuple((place.start, place.end) for place in found[1:]))

    def _hits(self, form: str) -> Iterator[int]:
        flat, wanted = self.view.flat, form.replace("\n", " ")
        at = flat.find(wanted)
        while at >= 0:
            yield at
            at = flat.find(wanted, at + 1)

    def _verdict(self, form: str, text: str, at: int) -> Found | str:
        view, offset, stored = self.view, self.result.offsets[self.part], self.result.run.texts[self.part]
        end = at + len(form)
        if not begins_at_border(view.text, at) or not ends_at_border(view.text, end):
            return CUT
        start, stop = view.span(at, end)
        if cuts_grouped_number(stored, start, stop):
            return CUT
        if self.source.is_crossed(at, end, form):
            return CROSSES
        return self._problem(form, text, at) or Found(self.result, offset + start, offset + stop)

    def _problem(self, form: str, text: str, at: int) -> str | None:
        end = at + len(form)
        start, stop = self.view.span(at, end)
        if follows_negation(self.view.flat, at):
            return NEGATED
        if self.view.text[end : end + 1] in {"?", "؟", ";"} and text.rstrip().endswith(".") and not form.endswith("."):
            return ASKED
        if not marks_agree(text, self.result.run.texts[self.part][start:stop]):
            return REMARKED
        left = self.result.written.without(self.view.flat, at, end, self.result.upto)
        return ECHOED if left != form.replace("\n", " ") and says_nothing_around(left) else None


def nearest_passage(quote: str, results: Sequence[SearchedResult]) -> Found | None:
    """Return the passage most similar to a folded quote, in whole words, or ``None``."""
    nearest, best = None, _MIN_LIKENESS
    quote = quote[:_MAX_PASSAGE_CHARACTERS]
    for result in map(SearchedResult.as_shown, results):
        for part in range(len(result.run.texts)):
            view = next(result.views(part)).folded
            start = _likeliest_start(quote, view.flat)
            found = view.flat[start : start + len(quote)]
            likeness = SequenceMatcher(None, quote, found, autojunk=False).ratio()
            if found and likeness > best:
                best = likeness
                low, high = view.span(*_whole_words(view.flat, start, start + len(found)))
                offset = result.offsets[part] + low
                nearest = Found(result, offset, offset + min(high - low, _MAX_PASSAGE_CHARACTERS))
    return nearest


def _likeliest_start(quote: str, text: str) -> int:
    """Return the start of the first window that shares most character pairs with the quote, in linear time."""
    pairs, length = set(map(add, quote, quote[1:])), len(quote)
    best, start = -1, 0
    # In parts, because a number per character of a long text takes much memory.
    for low in range(0, max(len(text) - length, 0) + 1, _PART_CHARACTERS):
        part = text[low : low + _PART_CHARACTERS + length - 1]
        shared = [*accumulate(map(pairs.__contains__, map(add, part, part[1:])), initial=0)]
        in_window = [*map(sub, shared[length - 1 :], shared)]
        if in_window and (most := max(in_window)) > best:
            best, start = most, low + in_window.index(most)
    return start


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    end = max(end, start + 1)
    start = text.rfind(" ", 0, start + 1) + 1 if not text[start].isspace() else start + 1
    following = text.find(" ", max(end - 1, start))
    return start, max(following if following >= 0 else len(text), start + 1)
