"""Quotes of real texts that the rest of their sentence turns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from tests.answergraph.evidence.passages import PROSE, counting
from tests.answergraph.evidence.real_texts import RealText

_SENTENCE = re.compile(r"[A-Z][^.!?;|<>{}=]{60,250}?[.!?](?=\s)")
_TURNS = re.compile(
    r"(?<!\w)(?:not|never|no|unless|except|without|if|cannot|neither|nor|failed|\w+n't|may|only|deprecated)(?!\w)", re.IGNORECASE
)
_PARAGRAPH_OR_ITEM = re.compile(r"\n\s*\n|\n\s*[-*+•#>|]")
_WORDS = 6
_LEAST_DISTANCE = 12
"""Characters between the turning word and the quote; a negation right before a quote refuses it."""


class TurnedCase(NamedTuple):
    """A quote, with the place of the word of its sentence, on another line, that turns it."""

    text: str
    quote: str
    turn: tuple[int, int]


def turned_cases(texts: list[RealText], count: int) -> Iterator[TurnedCase]:
    """Yield as many cases, the same in every run with the same texts."""
    random, prose = Random(5), [text.text for text in texts if text.kind in PROSE]
    while count:
        text = random.choice(prose)
        found = _SENTENCE.search(text, random.randrange(len(text)))
        case = _case_of(text, found, random) if found and not _PARAGRAPH_OR_ITEM.search(found.group()) else None
        if case is not None:
            count -= 1
            yield case


def _case_of(text: str, found: re.Match[str], random: Random) -> TurnedCase | None:
    turns = list(_TURNS.finditer(text, *found.span()))
    words = list(re.finditer(r"\S+", text[slice(*found.span())]))
    if not turns or len(words) <= _WORDS:
        return None
    first = random.randrange(len(words) - _WORDS)
    start, end = found.start() + words[first].start(), found.start() + words[first + _WORDS - 1].end()
    turn, quote = random.choice(turns).span(), text[start:end]
    if turn[0] < end and start - turn[1] < _LEAST_DISTANCE:
        return None
    is_elsewhere = "\n" not in quote and "\n" in text[min(turn[0], start) : max(turn[1], end)]
    if not is_elsewhere or _TURNS.search(quote) or not counting(quote) or text.count(quote) > 1:
        return None
    return TurnedCase(text, quote, turn)
