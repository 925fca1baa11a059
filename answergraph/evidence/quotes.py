"""Finds a quote in a tool result, and decides whether it counts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from answergraph.evidence.folding import MappedText, fold
from answergraph.evidence.marks import Quote
from answergraph.evidence.quote_borders import begins_at_border, cuts_grouped_number, ends_at_border, follows_negation
from answergraph.evidence.searched_result import SearchedResult, without_escapes

_WORD = re.compile(r"\w+")
_COMMON = """
a about above after again against all also am an and any are as at be because been before being below between both but by can
could did do does doing down during each few for from further had has have having he her here hers him his how i if in into is
it its just may me might more most must my no nor not now of off on once only or other our out over own same shall she should
so some such than that the their them then there these they this those through to too under until up upon us very was we were
what when where which while who whom why will with would yes you your true false null none ok
"""
_AROUND_AN_ECHO = """
answer asked echo error found got hits input invalid match matches matching output query received result results returned said
search searched searching text unknown value values
"""
_COMMON_WORDS = frozenset(_COMMON.split())
_WORDS_AROUND_AN_ECHO = frozenset(_AROUND_AN_ECHO.split())
_MIN_COLUMNS_BESIDE_ECHO = 4
"""Columns that a quote needs beyond the words that the tool was called with."""

NOT_FOUND = "it stands in no tool result word for word"
CUT = "it begins or ends in the middle of a word or number there: quote whole words"
NEGATED = "a negation stands right before it there: quote that too"
ECHOED = "it only repeats what the tool was called with: quote more of what the tool said"


@dataclass(frozen=True)
class Found:
    """The place of a quote or number: a span of a result's text."""

    result: SearchedResult
    start: int
    end: int


def counts_as_quote(text: str, min_length: int, idle: frozenset[str] = frozenset()) -> str | None:
    """Return why a folded text does not count as a quote, or ``None``; ``idle`` words say nothing here, like the common ones."""
    width = sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
    if width < min_length:
        return f"it is too short for a quote: at least {min_length} characters"
    if all(_says_nothing(word.lower(), idle) for word in _WORD.findall(text)):
        return "it consists of common words alone"
    return None


def _says_nothing(word: str, idle: frozenset[str]) -> bool:
    return word in _COMMON_WORDS or word in idle or (len(word) == 1 and word.isascii())


def places_of_quote(text: str, result: SearchedResult, mark: Quote) -> Iterator[Found | str]:
    """Yield each place of a quote in a result, or the reason why it does not count there."""
    problem = counts_as_quote(fold(text), mark.min_length)
    if problem is not None:
        yield problem
        return
    for form in _forms(text):
        for part, view in enumerate(result.said):
            at = view.text.find(form)
            while at >= 0:
                yield _verdict(form, result, part, at)
                at = view.text.find(form, at + 1)


def _forms(text: str) -> list[str]:
    """Return the folded forms of a quote: unchanged, without quotation marks around it, and with escapes of JSON undone."""
    whole = fold(text)
    inner = whole[1:-1].strip()
    is_wrapped = len(whole) > 2 and whole[0] == whole[-1] == "'" and "'" not in inner  # noqa: PLR2004 - two marks
    forms = [whole, *([inner] if is_wrapped else []), fold(without_escapes(MappedText.unchanged(text)).text)]
    return [form for form in dict.fromkeys(forms) if form]


def _verdict(text: str, result: SearchedResult, part: int, at: int) -> Found | str:
    view, offset = result.said[part], result.offsets[part]
    end = at + len(text)
    start, stop = view.span(at, end)
    if not begins_at_border(view.text, at) or not ends_at_border(view.text, end):
        return CUT
    if cuts_grouped_number(result.run.texts[part], start, stop):
        return CUT
    if follows_negation(view.text, at):
        return NEGATED
    if _only_echoes(result.without_echo(view.text, at, end), text):
        return ECHOED
    return Found(result, offset + start, offset + stop)


def _only_echoes(rest: str, text: str) -> bool:
    return rest != text and counts_as_quote(rest, _MIN_COLUMNS_BESIDE_ECHO, _WORDS_AROUND_AN_ECHO) is not None
