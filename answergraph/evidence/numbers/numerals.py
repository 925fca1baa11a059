"""Reads numbers in text as people write them."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from heapq import merge
from itertools import islice
from math import inf

from answergraph.evidence.numbers import number_words as words
from answergraph.evidence.numbers.han_numerals import HAN_NUMBER, HAN_SIZES, value_of
from answergraph.evidence.numbers.sizes import follows_size, sized
from answergraph.evidence.texts.language_words import marks_of
from answergraph.evidence.texts.quote_borders import CLINGING, CURRENCIES, HYPHENS
from answergraph.evidence.texts.value_text import BORDERLESS

GROUP_SPACE = "\ue001"
"""Marks a single space between digit groups in prepared text."""
LETTER = rf"[^\W{BORDERLESS}]"

_RUN = re.compile(rf"(?<![\w.])\.[0-9]+|[0-9](?:[0-9.,_'{GROUP_SPACE}]*[0-9])?")
"""Digits and group marks, which are one number or none."""
# The first group is never 0: the comma in "0,250" is a decimal mark.
_PLAIN = re.compile(
    r"[0-9]*\.[0-9]+|[0-9]+|[1-9][0-9]{0,2}(?:(?:,[0-9]{3})+|(?:_[0-9]{3})+)(?:\.[0-9]+)?"
    r"|[1-9][0-9]{0,2}(?:'[0-9]{3}){2,}(?:\.[0-9]+)?|[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}(?:\.[0-9]+)?"
)
_NUMBER_ALONE = re.compile(r"\s*-?[0-9]+\.[0-9]+\s*")
_KEY_BEFORE = re.compile(r"' ?: ?-?\Z")
"""A program wrote JSON values and texts that are only a number."""
_AMBIGUOUS = re.compile(r"[1-9][0-9]{0,2}\.[0-9]{3}")
_SHOWS_POINT = re.compile(
    r"(?=[0-9.])(?<![\w.,])(?:[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]|0?\.[0-9]+|[0-9]+\.(?:[0-9]{1,2}|[0-9]{4,}))(?![\w.,]*[0-9])"
)
_SHOWS_COMMA = re.compile(
    r"(?=[0-9])(?<![\w.,])(?:[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]|[0-9]+,[0-9]{1,2}(?![\w.,]*[0-9])(?= ?[^\W\d]| ?[€%]))"
)

_EXPONENT = re.compile(r"[eE][+-]?[0-9]{1,3}(?!\w|\.[0-9])")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_POWER_OF_TEN = re.compile(
    rf"\s?[×x*·⋅]\s?10(?:\s?(?:\^|\*\*)\s?\(?([+{HYPHENS}]?[0-9]{{1,3}})\)?|([⁺⁻]?[⁰¹²³⁴-⁹]{{1,3}}))(?![\w.]*[0-9])"
)
_MAY_BE_SIZED = re.compile(r" ?(?:[×x*·⋅] ?1|[eE][+-]?[0-9]|[百千万萬億亿兆백천만억조])")
_MAX_NUMBERS = 2_000
"""Maximum numbers per text that are read in full."""
_LOOK_CHARACTERS = 32
"""Context read around a number."""
_JOINED_BEFORE = re.compile(
    rf"(?:{LETTER}|[▲△▼▽.√٫٬·⁄×{GROUP_SPACE}]|[0-9]\s?[月월時时시割{HAN_SIZES}]\s?|分の|\S[{CLINGING}]|[0-9][,'/:]|{LETTER}[{HYPHENS}+]|[{HYPHENS}+±/][{HYPHENS}+±]|±\s?"
    r"|[0-9]\s?[×*]\s?)\Z"
)
_POWER_BEFORE = re.compile(r"(?:[\w)]\s?\*\*|\^)\s?\Z")
_JOINED_AFTER = re.compile(
    rf"[{HYPHENS}/:⁄][\w]|\.{LETTER}{{1,31}}\.[0-9]|[,.'٫٬·{GROUP_SPACE}][0-9]|[\u00b2\u00b3\u00b9\u2070-\u2079\u00bc-\u00be{CLINGING}]"
    r"|\s?\^|\s?\*\*\s?[0-9(]|\*\*\w|!(?:[\w!]|\s?[=+*/^)-])|\s?[×⋅]|\s[0-9]+[/⁄][0-9]"
    r"|\s?[月월]|\s?(?:[時时](?![間间])|시(?!간))|分の|[个個]?半|[割折]|\s?[AaPp]\.?[Mm]\b|\) ?[A-Z]{3}\b|\s?Uhr\b"
)
_AMBIGUOUS_SIGN = re.compile(rf"[{HYPHENS}]\s+\Z")
_MONEY = rf"(?:[A-Z]{{1,2}})?[{CURRENCIES}]\s?|(?:USD|EUR|GBP|JPY|CHF|CNY|INR|[A-Z]{{3}})\s"
_MONEY_BEFORE = re.compile(rf"(?P<sign>[{HYPHENS}(]\s?)?(?:{_MONEY})(?P<inner>[{HYPHENS}])?\Z")
_NEGATIVE = re.compile(rf"[{HYPHENS}]\Z")
_BOOKED_AFTER = re.compile(rf"(?P<minus>[{HYPHENS}](?=\s|\Z|[|,;)]))|\s?(?P<side>CR|DR|Cr|Dr|S|H)\b")
_GROUPED_WITH_CENTS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]{2}")


@dataclass(frozen=True)
class Numeral:
    """One number in a text."""

    value: Decimal
    start: int
    """Start in the text, including the sign."""
    end: int
    """End, including a multiplier word."""
    digits_start: int


def exponent_at(text: str, end: int) -> tuple[int, int]:
    """Return the power of ten behind digits, ``e5`` or ``× 10⁵``, and where it ends; 0 if there is none."""
    if exponent := _EXPONENT.match(text, end):
        return int(exponent.group()[1:]), exponent.end()
    if power := _POWER_OF_TEN.match(text, end):
        digits = (power.group(1) or power.group(2)).translate(_RAISED)
        return int(re.sub(f"[{HYPHENS}]", "-", digits)), power.end()
    return 0, end


class Numerals:
    """The numbers of a folded text, as a locale writes them; each is read when it may be asked for.

    Parts of words, dates, versions, addresses, ranges, bounds and powers are none. ``1,234`` is 1234; ``1.234`` is none if
    neither the text nor ``locale`` decides the meaning of its point.
    """

    def __init__(self, text: str, locale: str | None = None) -> None:
        self.text, self.locale = text, locale
        self.marks = marks_of(locale) if locale else None
        self._has_point = _SHOWS_POINT.search(text) is not None or _NUMBER_ALONE.fullmatch(text) is not None
        self._has_comma = locale is None and _SHOWS_COMMA.search(text) is not None
        self._read: dict[tuple[int, int], Numeral | None] = {}
        sizes = [(self._size_of(run), *run.span()) for run in _RUN.finditer(text)]
        self._by_size = sorted((size, start, end) for size, start, end in sizes if size is not None)
        self._sized = [(start, end) for size, start, end in sizes if size is None]

    def within(self, sizes: Sequence[tuple[float, float]]) -> Iterator[Numeral]:
        """Yield the numbers that may be within one of some pairs of bounds, in order."""
        bounds = [(bisect_left(self._by_size, (low, 0, 0)), bisect_right(self._by_size, (high, inf, 0))) for low, high in sizes]
        places = sorted({(start, end) for low, high in bounds for _, start, end in self._by_size[low:high]})
        for place in islice(merge(places, self._sized), _MAX_NUMBERS):
            if place not in self._read:
                self._read[place] = self._numeral_at(*place)
            if numeral := self._read[place]:
                yield numeral

    def _size_of(self, run: re.Match[str]) -> float | None:
        """Return the value of digits alone, infinite for what is none; ``None`` if what follows multiplies it."""
        word = words.SIZE_WORD.match(self.text, run.end())
        if (word and word.group(1).casefold() in words.MAGNITUDES) or _MAY_BE_SIZED.match(self.text, run.end()):
            return None
        digits = run.group()
        # Fast path first: logs hold many numbers.
        is_quick = self.marks is None and digits.count(".") <= 1 and digits.replace(",", "").replace(".", "").isdigit()
        value = float(digits.replace(",", "")) if is_quick else self._value(digits)
        return inf if value is None else float(value)

    def _numeral_at(self, start: int, end: int) -> Numeral | None:
        before = self.text[max(start - _LOOK_CHARACTERS, 0) : start]
        value = self._value(self.text[start:end], is_output=_KEY_BEFORE.search(before) is not None)
        money = _MONEY_BEFORE.search(before)
        if value is None or _is_part(before) or follows_size(before) or (not money and _AMBIGUOUS_SIGN.search(before)):
            return None
        exponent, digits_end = exponent_at(self.text, end)
        value = value.scaleb(exponent)
        values, end = sized((value,), self.text, digits_end, is_money=money is not None, locale=self.locale)
        if (compound := HAN_NUMBER.match(self.text, start)) and compound.end() > end:
            # "3만 5천" is one number.
            whole, digits_end = value_of(compound.group()), compound.end()
            values, end = () if whole is None else (whole,), digits_end
        after, length = self.text[digits_end : digits_end + _LOOK_CHARACTERS], end - digits_end
        if len(values) != 1 or _goes_on(after) or any(mark.match(after, length) for mark in (words.BOUND_AFTER, words.OLD_SIZE)):
            return None
        signed = self._signed(values[0], start, end, money)
        return signed and Numeral(*signed, start)

    def _value(self, digits: str, *, is_output: bool = True) -> Decimal | None:
        if self.marks is not None:
            return self._local_value(digits)
        if _PLAIN.fullmatch(digits) is None:
            return None
        is_dotted = _AMBIGUOUS.fullmatch(digits) and (self._has_comma or not (self._has_point or is_output))
        is_grouped = self._has_comma and "," in digits
        return None if is_dotted or is_grouped else Decimal(re.sub("[,_']", "", digits))

    def _local_value(self, digits: str) -> Decimal | None:
        group, point = tuple(self.marks or ",.")
        groups = rf"[{GROUP_SPACE}_]" if group == " " else re.escape(group)
        # Indian grouping has two digits after the first group.
        local = rf"(?:[0-9]+|[1-9][0-9]{{0,2}}(?:{groups}[0-9]{{2,3}})*{groups}[0-9]{{3}})(?:{re.escape(point)}[0-9]+)?"
        if re.fullmatch(local, digits) is None:
            return None
        return Decimal(re.sub(groups, "", digits).replace(point, "."))

    def _signed(self, value: Decimal, start: int, end: int, money: re.Match[str] | None) -> tuple[Decimal, int, int] | None:
        """Return a number with sign and position, ``None`` if ambiguous."""
        before, after = self.text[max(start - _LOOK_CHARACTERS, 0) : start], self.text[end : end + 8]
        booked = _BOOKED_AFTER.match(after)
        if booked:
            return self._booked(value, start, end, is_money=money is not None, minus=booked["minus"])
        if before.endswith("(") and after.startswith(")") and _GROUPED_WITH_CENTS.fullmatch(self.text[start:end]):
            return -value, start - 1, end + 1
        found = money or _NEGATIVE.search(before) or words.MINUS_WORD.search(before)
        if found is None or (money and not _is_negative(money, after)):
            return value, start, end
        return -value, start - len(found.group()), end

    def _booked(
        self, value: Decimal, start: int, end: int, *, is_money: bool, minus: str | None
    ) -> tuple[Decimal, int, int] | None:
        """Return an amount with a trailing sign; debit and credit are ambiguous."""
        is_amount = "." in self.text[start:end] or is_money
        if minus:
            return (-value, start, end + 1) if is_amount else None
        return None if is_money else (value, start, end)


def _is_negative(money: re.Match[str], after: str) -> bool:
    sign = (money["sign"] or "").strip()
    return bool(money["inner"] or (sign and (sign != "(" or after.startswith(")"))))


def _is_part(before: str) -> bool:
    """Return whether the text before digits makes them part of something else."""
    of_words = (words.BOUND_BEFORE, words.RANGE_BEFORE, words.NAMED_BEFORE, words.DATE_BEFORE, words.COMPOUND_BEFORE)
    return any(pattern.search(before) for pattern in (_JOINED_BEFORE, _POWER_BEFORE, *of_words))


def _goes_on(after: str) -> bool:
    """Return whether the text after digits makes them part of something else."""
    patterns = (_JOINED_AFTER, words.RANGE_AFTER, words.DATE_AFTER, words.COMPOUND_AFTER)
    return any(pattern.match(after) for pattern in patterns)
