"""Checks the same quotes with two other libraries, used as their documentation recommends."""

from __future__ import annotations

from collections.abc import Callable

from tests.answergraph.evidence.passages import RealCase

MAX_WINDOW_CHARACTERS = 2500
"""Part of a text around the quote that a library is given: both take minutes for longer ones."""


def by_instructor(case: RealCase) -> bool:
    """Return whether instructor's ``CitationMixin`` keeps a quote."""
    from instructor import CitationMixin  # noqa: PLC0415 - installed for the measurement alone

    class Answer(CitationMixin):
        fact: str

    return any(
        bool(Answer.model_validate({"fact": "x", "substring_quotes": [case.quote]}, context={"context": window}).substring_quotes)
        for window in _windows(case)
    )


def by_langextract(case: RealCase) -> bool:
    """Return whether langextract's ``WordAligner`` finds a quote, by any of its methods."""
    from langextract.core.data import Extraction  # noqa: PLC0415 - installed for the measurement alone
    from langextract.resolver import WordAligner  # noqa: PLC0415 - as above

    for window in _windows(case):
        aligned = WordAligner().align_extractions([[Extraction("quote", case.quote)]], window)
        if any(found.char_interval is not None for group in aligned for found in group):
            return True
    return False


PEERS: dict[str, tuple[Callable[[RealCase], bool], int]] = {
    "instructor 1.17.0": (by_instructor, 100),
    "langextract 1.7.1": (by_langextract, 6),
}
"""By name, and how many cases of each kind it is given: the second one takes about a second for each."""


def _windows(case: RealCase) -> list[str]:
    """Return of each text the part around the longest word of the quote."""
    words = sorted(case.quote.split(), key=len, reverse=True)
    found: list[str] = []
    for text in case.texts:
        at = max((text.find(word) for word in words[:3]), default=0)
        start = max(at - MAX_WINDOW_CHARACTERS // 2, 0)
        found.append(text[start : start + MAX_WINDOW_CHARACTERS])
    return found
