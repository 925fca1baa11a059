"""Finds the places of a text in another one: whole words, no part of a number, a code or a rate, with the signs of the value."""

import re
import unicodedata
from collections.abc import Iterator
from itertools import chain

from answergraph.evidence.numbers.sizes import is_currency, size_at
from answergraph.evidence.texts.value_text import ValueText, plain, words_of
from answergraph.evidence.values.amounts import GOES_ON, MONEY_BEFORE

_MIN_TIGHT = 6
"""Letters and digits of a text that may be spaced otherwise in the source."""
_SYMBOLS = "+#"
_NUMERAL = re.compile(r"\d+(?:[.,]\d+)+")
_QUANTITY = re.compile(r"\d+ ?([^\W\d_]+)")
_UNIT = re.compile(r"\d ?([^\W\d_]{1,3})(?![^\W\d_])")
_PREFIXED = 2
"""Letters of a unit whose first one may be the sign of its size."""
_CAPITAL = "A-ZΑ-ΩА-Я"
_CODE = re.compile(r"(?=.*\d)(?=\S*[^\W\d]|\S*[-./]\d)\S+")
_CODE_BEFORE, _CODE_AFTER = (
    re.compile(rf"(?:[{_CAPITAL}]|[A-Za-z]*\d[A-Za-z\d]*)[-_]\Z|[{_CAPITAL}\d]{{2,}}[-_]\Z|\w_\Z|[{_CAPITAL}\d]/\Z"),
    re.compile(rf"-[a-z]*[{_CAPITAL}\d]|_\w|/\d"),
)
_ADDRESS = re.compile(r"\S+@\S+|(?:[\w-]+\.)+[a-z]{2,}")
_ADDRESS_BEFORE, _ADDRESS_AFTER = re.compile(r"\w[.+_-]\Z"), re.compile(r"[.@-][a-z\d]")
_PATH = re.compile(r"\w+://\S+|[~.]{0,2}/[^\s/]\S*")
_PATH_BEFORE, _PATH_AFTER = re.compile(r"\w/\Z"), re.compile(r"[/.?#&=%:-]+\w")
_NAME_SIGN = re.compile(r"[^\w\s\"'`(\[{<*|](?=[^\W\d_])|#(?=\d)")
"""Begins a name: ``.NET``, ``@ada``, ``-f``, ``$HOME``, ``#5``."""
_GERSHAYIM = re.compile('[א-ת]["״][א-ת]')
"""Hebrew writes the mark of an abbreviation before its last letter."""
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
    tail = len(wanted) - len(wanted.rstrip(_SYMBOLS))
    is_long = sum(map(len, words)) >= _MIN_TIGHT or _QUANTITY.fullmatch(wanted)
    tight = searched.runs(words, "") if is_long else ()
    for start, end in chain(((start, end + tail) for start, end in searched.runs(words)), tight):
        if not _is_whole(searched, wanted, start, end):
            continue
        # 3.5 is not 3,5 nor 3 5.
        is_same = _NUMERAL.findall(wanted) == _NUMERAL.findall(stands := searched.text[start:end]) and _has_units(wanted, stands)
        is_same = is_same and (wanted.isupper() or stands.isupper() or "".join(words) == "".join(words_of(stands)))
        if is_same and _has_symbols(searched.text, wanted, start, end):
            yield start, end


def _is_whole(searched: ValueText, wanted: str, start: int, end: int) -> bool:
    """Return whether a place is no part of a longer number, of a name such as C++, of a code, or of a rate."""
    text = searched.text
    if end > len(text) or (text[end : end + 1] in set(_SYMBOLS) and not text[end + 1 : end + 2].isalnum()):
        return False
    if _GERSHAYIM.match(text, end - 1) or _GERSHAYIM.match(text, max(start - 2, 0)):
        return False
    is_part = _is_in_numeral(searched, start, end) or _is_in_count(text, start, end) or _is_in_code(text, wanted, start, end)
    return not (is_part or _is_multiplied(text, wanted, start, end))


def _is_in_numeral(searched: ValueText, start: int, end: int) -> bool:
    text, marks = searched.text, {"."} if searched.has_comma_cells else {*".,"}
    goes_on = text[end - 1].isdigit() and text[end : end + 1] in marks and text[end + 1 : end + 2].isdigit()
    return goes_on or (
        text[start].isdigit() and text[start - 1 : start] in marks and text[max(start - 2, 0) : start - 1].isdigit()
    )


def _is_in_count(text: str, start: int, end: int) -> bool:
    """Return whether a place is a part of a number in words: 三 of 十三, or of 三分の一."""
    pairs = (text[start - 1 : start] + text[start], text[end - 1 : end + 1])
    is_longer = any(len(pair) > 1 and all(not sign.isdigit() and sign.isnumeric() for sign in pair) for pair in pairs)
    return is_longer or (text[end - 1].isnumeric() and GOES_ON.match(text, end) is not None)


def _has_units(wanted: str, stands: str) -> bool:
    return all(_is_same_unit(*pair) for pair in zip(_UNIT.findall(wanted), _UNIT.findall(stands), strict=False))


def _is_same_unit(one: str, other: str) -> bool:
    """Return whether two short units are one: not mW and MW, Mb and MB, m and M; all in capitals or all without, they may be."""
    changed = {here.lower() for here, there in zip(one, other, strict=False) if here != there}
    if len(one) == 1:
        return "m" not in changed
    is_word = len(one) > _PREFIXED and one[1:] == other[1:] and one[1:].islower()
    return is_word or {one, other} == {one.lower(), one.upper()} or not changed & {*"mpb"}


def _is_in_code(text: str, wanted: str, start: int, end: int) -> bool:
    if (sign := _NAME_SIGN.match(wanted)) and not text[max(start - 2, 0) : start].rstrip(" ").endswith(sign.group()):
        return True
    if _ADDRESS.fullmatch(wanted):
        before = _ADDRESS_BEFORE if "@" in wanted else None
        return bool(_ADDRESS_AFTER.match(text, end) or (before and before.search(text, max(start - 2, 0), start)))
    if _PATH.fullmatch(wanted):
        return bool(_PATH_AFTER.match(text, end) or _PATH_BEFORE.search(text, max(start - 2, 0), start))
    is_code = _CODE.fullmatch(wanted) is not None
    return is_code and bool(_CODE_BEFORE.search(text, max(start - _LOOK, 0), start) or _CODE_AFTER.match(text, end))


def _is_multiplied(text: str, wanted: str, start: int, end: int) -> bool:
    """Return whether a magnitude stands behind a number (``€1.5 million``), a minus before a quantity, or a rate (``20 m/s``)."""
    quantity = _QUANTITY.fullmatch(wanted)
    if quantity:
        is_negative = re.search(r"(?:^|[\s(:])-\Z", text[max(start - 2, 0) : start]) is not None
        return is_negative or (re.match(r"/[^\W\d]", text[end : end + 2]) is not None and not is_currency(quantity[1]))
    is_money = MONEY_BEFORE.search(text[max(start - _LOOK, 0) : start]) is not None
    size = size_at(text, end, is_money=is_money) if wanted[-1].isdigit() else None
    return size is not None and (1 not in size.factors or not any(map(str.isalpha, wanted)))


def _has_symbols(text: str, wanted: str, start: int, end: int) -> bool:
    """Return whether the symbols of a value stand on the same side of it, and no other currency beside it."""
    if not text[start:end].endswith(wanted[len(wanted.rstrip(_SYMBOLS)) :]):
        return False
    lettered = [index for index, character in enumerate(wanted) if character.isalnum()] or [0]
    words_start = lettered[0]
    # A sign may be several characters long: a flag has two, a person at a computer three.
    before = text[max(start - max(words_start, 2), 0) : start]
    after = text[end : end + max(len(wanted) - 1 - lettered[-1], 2)]
    compared = {character for character in wanted[:words_start] if unicodedata.category(character) == "Sm"}
    stands = {character for character in text[max(start - 3, 0) : start] if unicodedata.category(character) == "Sm"}
    if compared and compared != stands:
        return False  # >5 is not >=5
    lead, rest = _symbols(wanted[: words_start + 1]), _symbols(wanted[words_start:])
    money, beside = (
        {character for character in part if unicodedata.category(character) == "Sc"} for part in (wanted, before + after)
    )
    return lead <= {*before} and rest <= {*text[start:end], *after} and (not money or not beside or bool(money & beside))


def _symbols(text: str) -> set[str]:
    """Return the signs of a value that say more than its words: those of mathematics, boxes, emoji, and a minus."""
    minus = {"-"} if re.match(r"-\d", text) else set()
    return minus | {
        character
        for character in text
        if (character in "%‰🏻🏼🏽🏾🏿" or unicodedata.category(character) in {"Sm", "So"}) and character != "|"
    }
