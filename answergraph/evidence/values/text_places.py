"""Finds the places of a text in another one: whole words, no part of a number, a code or a rate, with the signs of the value."""

import re
import unicodedata
from collections.abc import Iterator

from answergraph.evidence.numbers.number_words import LETTERS, MAGNITUDES, SIZE_WORD
from answergraph.evidence.texts.value_text import ValueText, plain, words_of
from answergraph.evidence.values.amounts import is_currency

_MIN_TIGHT = 6
"""Letters and digits of a text that may be spaced otherwise in the source."""
_SYMBOLS = "+#"
_QUANTITY = re.compile(r"\d+ ?([^\W\d_]+)")
_CODE = re.compile(r"(?=.*\d)(?=\S*[^\W\d]|\S*[-./]\d)\S+")
_CODE_BEFORE, _CODE_AFTER = (
    re.compile(r"(?:[A-Z]|[A-Za-z]*\d[A-Za-z\d]*)[-_]\Z|[A-Z\d]{2,}[-_]\Z|\w_\Z"),
    re.compile(r"-[a-z]*[A-Z\d]|_\w"),
)
_LOOK = 12


def places_of_text(searched: ValueText, value: str) -> Iterator[tuple[int, int]]:
    """Yield the places of a text."""
    words = words_of(value)
    wanted = plain(unicodedata.normalize("NFC", value.strip()))
    if not words:
        start = searched.text.find(plain(value.strip()))
        if start >= 0:
            yield start, start + len(value.strip())
        return
    tail = wanted[len(wanted.rstrip(_SYMBOLS)) :]
    for start, end in searched.runs(words):
        stop = end + len(tail)
        if _is_whole(searched, wanted, start, stop) and _has_marks(searched.text, wanted, start, stop):
            yield start, stop
    is_number_like = re.search(r"\d[.,]\d", wanted)
    is_long = sum(map(len, words)) >= _MIN_TIGHT or _QUANTITY.fullmatch(wanted)
    if is_long and not is_number_like:
        yield from (place for place in searched.tight_runs(words) if _is_whole(searched, wanted, *place))


def _is_whole(searched: ValueText, wanted: str, start: int, end: int) -> bool:
    """Return whether a place is no part of a longer number, of a name such as C++, of a code, or of a rate."""
    text = searched.text
    if text[end : end + 1] in set(_SYMBOLS) and not text[end + 1 : end + 2].isalnum():
        return False
    marks = "." if searched.has_comma_cells else ".,"
    goes_on = text[end - 1].isdigit() and text[end : end + 1] in set(marks) and text[end + 1 : end + 2].isdigit()
    began = text[start].isdigit() and text[start - 1 : start] in set(marks) and text[max(start - 2, 0) : start - 1].isdigit()
    is_part = goes_on or began or _is_in_code(text, wanted, start, end)
    return not (is_part or _is_multiplied(text, wanted, end) or _is_negative(text, wanted, start))


def _is_negative(text: str, wanted: str, start: int) -> bool:
    """Return whether a minus stands before a quantity that has none."""
    return _QUANTITY.fullmatch(wanted) is not None and re.search(r"(?:^|[\s(:])-\Z", text[max(start - 2, 0) : start]) is not None


def _is_in_code(text: str, wanted: str, start: int, end: int) -> bool:
    is_code = _CODE.fullmatch(wanted) is not None
    return is_code and bool(_CODE_BEFORE.search(text, max(start - _LOOK, 0), start) or _CODE_AFTER.match(text, end))


def _is_multiplied(text: str, wanted: str, end: int) -> bool:
    """Return whether a magnitude stands behind a number (``€1.5 million``), or what a quantity is one of (``20 m/s``)."""
    quantity = _QUANTITY.fullmatch(wanted)
    if quantity:
        return re.match(r"/[^\W\d]", text[end : end + 2]) is not None and not is_currency(quantity[1])
    size = SIZE_WORD.match(text, end) if wanted[-1].isdigit() else None
    return size is not None and size[1].casefold() in MAGNITUDES.keys() - LETTERS


def _has_marks(text: str, wanted: str, start: int, end: int) -> bool:
    """Return whether the marks between digits are those of the value: 3.5 is not 3,5 nor 3 5."""
    between = re.findall(r"(?<=\d)([^\w]+)(?=\d)", wanted)
    stands = re.findall(r"(?<=\d)([^\w]+)(?=\d)", text[start:end])
    pairs = zip(between, stands, strict=False)
    same = all(one == other or not {one.strip(), other.strip()} & {".", ","} for one, other in pairs)
    return same and text[start:end].endswith(wanted[len(wanted.rstrip(_SYMBOLS)) :]) and _has_symbols(text, wanted, start, end)


def _has_symbols(text: str, wanted: str, start: int, end: int) -> bool:
    """Return whether the symbols of a value stand on the same side of it, and no other currency beside it."""
    before, after = text[max(start - 2, 0) : start], text[end : end + 2]
    words_start = next((index for index, character in enumerate(wanted) if character.isalnum()), 0)
    lead, rest = _symbols(wanted[: words_start + 1]), _symbols(wanted[words_start:])
    money, beside = (
        {character for character in part if unicodedata.category(character) == "Sc"} for part in (wanted, before + after)
    )
    return lead <= {*before} and rest <= {*text[start:end], *after} and (not money or not beside or bool(money & beside))


def _symbols(text: str) -> set[str]:
    """Return the signs of a value that say more than its words: those of mathematics, boxes, and a minus."""
    minus = {"-"} if re.match(r"-\d", text) else set()
    return minus | {
        character
        for character in text
        if (character in "%‰" or unicodedata.category(character) in {"Sm", "So"}) and character != "|"
    }
