"""Finds the passage of the tool results that is most like a quote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

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
            least = max(best.score if best else 0, _MIN_SCORE)
            found = fuzz.partial_ratio_alignment(text, view.text, score_cutoff=least) if view.text else None
            if found is not None and (best is None or found.score > best.score):
                low, high = view.span(*_whole_words(view.text, found.dest_start, found.dest_end))
                best = Passage(result, result.run.texts[part][low:high][:MAX_PASSAGE_CHARACTERS], found.score)
    return best


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    end = max(end, start + 1)
    start = text.rfind(" ", 0, start + 1) + 1 if not text[start].isspace() else start + 1
    following = text.find(" ", max(end - 1, start))
    return start, max(following if following >= 0 else len(text), start + 1)
