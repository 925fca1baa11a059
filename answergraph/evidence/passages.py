"""Finds the passage of the tool results that is most like a quote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate
from operator import add, sub

from answergraph.evidence.searched_result import SearchedResult

MAX_PASSAGE_CHARACTERS = 300
_MIN_SCORE = 50
"""Likeness of a passage that is worth showing, of 100."""


@dataclass(frozen=True)
class Passage:
    """A passage of a stored result."""

    result: SearchedResult
    text: str
    score: float


def nearest_passage(text: str, results: Sequence[SearchedResult]) -> Passage | None:
    """Return the passage most like a folded quote, in whole words; ``None`` if none is like it."""
    best: Passage | None = None
    for result in results:
        for part, view in enumerate(result.said):
            start = _likeliest_start(text, view.text)
            found = view.text[start : start + len(text)]
            score = 100 * SequenceMatcher(None, text, found, autojunk=False).ratio()
            if found and score > max(best.score if best else 0, _MIN_SCORE):
                low, high = view.span(*_whole_words(view.text, start, start + len(found)))
                best = Passage(result, result.run.texts[part][low:high][:MAX_PASSAGE_CHARACTERS], score)
    return best


def _likeliest_start(quote: str, text: str) -> int:
    """Return where a window of the quote's length has most pairs of characters in common with it; linear in the text."""
    pairs = set(map(add, quote, quote[1:]))
    shared = list(accumulate((pair in pairs for pair in map(add, text, text[1:])), initial=0))
    if len(shared) <= len(quote):
        return 0
    in_window = list(map(sub, shared[len(quote) - 1 :], shared))
    return in_window.index(max(in_window))


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    end = max(end, start + 1)
    start = text.rfind(" ", 0, start + 1) + 1 if not text[start].isspace() else start + 1
    following = text.find(" ", max(end - 1, start))
    return start, max(following if following >= 0 else len(text), start + 1)
