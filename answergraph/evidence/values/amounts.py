"""Reads the numbers of a text as documents write them: either separator, signs, brackets, currencies, magnitudes."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from answergraph.evidence.numbers import number_words as words
from answergraph.evidence.numbers.han_numerals import HAN_NUMBER, value_of
from answergraph.evidence.numbers.numerals import exponent_at
from answergraph.evidence.numbers.sizes import MONEY_SIZES, WIDE, follows_size, is_currency, sized
from answergraph.evidence.texts.cldr_names import currencies, is_currency_name
from answergraph.evidence.texts.language_words import marks_of
from answergraph.evidence.texts.quote_borders import CLINGING
from answergraph.evidence.texts.value_text import ValueText
from answergraph.evidence.values.wholes import Places

_RUN = re.compile(r"(?:(?<![\w.,])\.)?[0-9]+(?:[.,'_][0-9]+)*")
_SPACED = re.compile(r"(?<![\w.,])[1-9][0-9]{0,2}(?: [0-9]{3})+(?![0-9])(?:[.,][0-9]+(?![0-9]))?")
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:([,.'_])[0-9]{3})(?:\1[0-9]{3})*")
_POINT_GROUPS = re.compile(r"\.[0-9]{3}(?![0-9])")
_INDIAN = re.compile(r"[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}")
GOES_ON = re.compile(rf"[⅐-⅞¼-¾⁰-⁹²³¹{CLINGING}]|分[の之]|[个個]?半|[割折]|成(?:[以左多的]|(?!\w))|\s?\^")
_DOZENS = "|".join(word for word, size in words.MAGNITUDES.items() if size.as_tuple().digits != (1,))
_GROWS = re.compile(rf" ?(?:[⅐-⅞¼-¾]|(?:{_DOZENS})\b)| [1-9][0-9]?/", re.IGNORECASE)
"""Stands behind digits that it changes the value of by more than a power of ten."""
_ANY, _SURE_DIGITS = "", 15
"""The key of numbers that may have any value; a binary number has no more digits that are sure."""
_IN_POWER = re.compile(r"[\^√]-?\Z|分[の之]\Z")
_FRACTION = re.compile(r" ?([⅐-⅞¼-¾])| ([1-9][0-9]?)/([1-9][0-9]?)(?![\d/])")
_PART_OF_GROUPS = re.compile(r"(?<![0-9.,])[0-9]{1,3}(?= 0[0-9]{2}(?![0-9]))|(?<=[0-9] )0[0-9]{2}(?![0-9])")
"""No number begins with a zero: behind a space, it goes on with the one before."""
_PADDED_DECIMAL = re.compile(r"0[0-9]+[.,]")
"""Counts may have zeros in front; "082.04" is the rest of something else, or a day and a month."""
_SIGNS = frozenset("-(▲△▼▽")
MONEY_BEFORE = re.compile(
    r"(?:(?<![A-Za-z])(?P<size>[TKM])(?P<code>€|[A-Z]{3})|[A-Za-z]{0,3}[$€£¥₩₪₹₽₺฿₫₴₦]|(?<![A-Za-z])[A-Z]{3}|(?<![A-Za-z])(?:Rs|kr|Rp|RM)\.?)"
    r"\s?\(?-?\Z"
)
_CLOSES = re.compile(r"\s?(?:[^\W\d_]{1,3}|[$€£¥₩₪₹₽₺฿₫₴₦%])?\s?\)")
_WORD_BEHIND = re.compile(r" ?\) [^\W\d_]")
_MINUS_BEHIND = re.compile(r"-(?=\s|\Z|[|,;)])")
_BOOKED = re.compile(r"\s?(?:CR|DR|Cr|Dr)\b")
_POINTS = re.compile(
    r" ?[%‰][ -]?(?:p\b|pts?\b|point|punkt|punt|punto|пункт|п\.|ポイント|포인트|個百分點|个百分点|点)", re.IGNORECASE
)
"""A share of a share: "5 %-Punkte" are not 0.05 of anything."""
_LETTERS_BEFORE = re.compile(r"[^\W\d_]+\Z")
_NAME_BEFORE = re.compile(r"[^\W\d_]-\Z")
_LETTERS = re.compile(r"[^\W\d_]+")
_NO_DIGIT = re.compile(r"\D")
_PREVAILING = 4
_MAX_WHOLE = 3
"""Digits of a number before a fraction."""
_LOOK = 24


@dataclass(frozen=True)
class Amount:
    """A number in a text."""

    readings: tuple[Decimal, ...]
    """Its value; more than one if the text does not decide it."""
    start: int
    """Its first digit."""
    end: int
    unit: str
    """What is joined to it: letters that are neither a magnitude nor a currency."""

    def doubt(self, own: Sequence[Decimal]) -> str | None:
        """Return why it may not be one of its readings, if the text does not decide it."""
        others = [value for value in self.readings if value not in own]
        # A field tells a negative from a positive; but "thirty (30) days", whose negative reading is the first, is seldom one.
        is_count = own[0] < 0 and own[0] == self.readings[0]
        is_doubtful = any(is_count or abs(other) != abs(own[0]) for other in others)
        return f"it may be {others[0]} as well as {own[0]}" if is_doubtful else None


@dataclass(frozen=True)
class Style:
    """How a text writes numbers: which of its marks are decimal marks."""

    point: bool
    comma: bool

    @property
    def group(self) -> str:
        """The mark of groups, where the text shows it."""
        if self.point == self.comma:
            return ""
        return "," if self.point else "."


class Amounts:
    """The numbers of a text, as a locale writes them or as the text shows; each is read when it is asked for."""

    def __init__(self, searched: ValueText, locale: str | None = None) -> None:
        self._text, self._locale, runs = searched.text, locale, {start: digits for digits, start in _runs(searched)}
        self._style = _style(runs.values(), locale)
        self._compound = {match.start(): match for match in HAN_NUMBER.finditer(self._text)}
        self._digits = dict(sorted((dict.fromkeys(self._compound, "") | runs).items()))
        self._read: dict[int, Amount | None] = {}
        self._by_key: dict[str, list[int]] = {_ANY: []}
        done = 0
        for start, digits in self._digits.items():
            if start >= done:
                may_grow = len(digits) > _SURE_DIGITS or start in self._compound or _GROWS.match(self._text, start + len(digits))
                self._by_key.setdefault(_ANY if may_grow else _key(digits), []).append(start)
                # What belongs to a number is none of its own.
                done = self._value_at(start)[1] if may_grow else done
        spaced = ((_read(match.group().replace(" ", ""), self._style), *match.span()) for match in _SPACED.finditer(self._text))
        self._spaced = [_amount(self._text, *each, locale) for each in spaced if each[0]]
        has_groups = self._style.point or any(_POINT_GROUPS.search(digits) for digits in runs.values())
        groups = () if has_groups else _SPACED.finditer(self._text)
        self._groups = Places(match.span() for match in groups if self._style.comma or "," in match.group())

    def like(self, values: Iterable[Decimal] | None) -> Iterator[Amount]:
        """Yield the numbers that may be one of some values, times a power of ten; all if there are none."""
        keys = self._by_key if values is None else {_ANY, *(_key(f"{abs(value):f}") for value in values)}
        return self._at(start for key in keys for start in self._by_key.get(key, ()))

    def may_be_part(self, amount: Amount, rows: Places) -> bool:
        """Return whether a number is in a row, or a group that a space joins: 250 of ``1 250,00``, if no point groups digits."""
        is_group = self._groups.hold(amount.start, amount.end) and " " not in self._text[amount.start : amount.end]
        return is_group or rows.hold(amount.start, amount.end)

    def within(self, places: Places) -> Iterator[Amount]:
        """Yield the numbers in some places of the text."""
        starts = (start for key in self._by_key.values() for start in key if places.hold(start, start + 1))
        return (amount for amount in self._at(starts) if places.hold(amount.start, amount.end))

    def _at(self, starts: Iterable[int]) -> Iterator[Amount]:
        for start in sorted(starts):
            if start not in self._read:
                values, end = self._value_at(start)
                is_part = GOES_ON.match(self._text, end) or _IN_POWER.search(self._text, max(start - 2, 0), start)
                is_sized = follows_size(self._text[max(start - _LOOK, 0) : start])
                is_number = values and not (is_part or is_sized or _is_part_of_groups(self._text, start, end))
                self._read[start] = _amount(self._text, values, start, end, self._locale) if is_number else None
            if amount := self._read[start]:
                yield amount
        yield from self._spaced

    def _value_at(self, start: int) -> tuple[tuple[Decimal, ...], int]:
        """Return what the digits at a place may mean, and where they end."""
        digits = self._digits[start]
        if compound := self._compound.get(start):
            value, end = value_of(compound.group()), compound.end()
            values: tuple[Decimal, ...] = () if value is None else (value,)
        else:
            values, end = _read(digits, self._style), start + len(digits)
        # "1234 7/23" may be a number before a day.
        share, end = _share_at(self._text, end) if len(digits) <= _MAX_WHOLE else (Decimal(0), end)
        return tuple(value + share for value in values), end


def _key(digits: str) -> str:
    """Return the digits that say a value, but for its size."""
    return (digits if digits.isdigit() else re.sub(_NO_DIGIT, "", digits)).strip("0") or "0"


def _is_part_of_groups(text: str, start: int, end: int) -> bool:
    part = _PART_OF_GROUPS.match(text, start)
    return part is not None and part.end() == end


def _runs(searched: ValueText) -> Iterator[tuple[str, int]]:
    parts = (part for match in _RUN.finditer(searched.text) for part in _parts(match, has_cells=searched.has_comma_cells))
    return (part for part in parts if not _PADDED_DECIMAL.match(part[0]))


def _share_at(text: str, end: int) -> tuple[Decimal, int]:
    """Return the proper fraction behind a whole number, and where it ends; 0 if there is none."""
    fraction = _FRACTION.match(text, end) if text[end - 2 : end - 1] not in {".", ","} else None
    if fraction is None:
        return Decimal(0), end
    sign, above, below = fraction.groups()
    share = Decimal(unicodedata.numeric(sign)) if sign else Decimal(above) / Decimal(below)
    return (share, fraction.end()) if share < 1 else (Decimal(0), end)


def _parts(match: re.Match[str], *, has_cells: bool) -> Iterator[tuple[str, int]]:
    """Yield the numbers of a run of digits and marks; commas are borders where no number has them so."""
    run, start = match.group(), match.start()
    is_cell = has_cells and f'"{run}"' != match.string[start - 1 : match.end() + 1]
    if "," not in run or (not is_cell and _read(run, Style(point=False, comma=False))):
        yield run, start
        return
    for digits in run.split(","):
        yield digits, start
        start += len(digits) + 1


def _read(digits: str, style: Style) -> tuple[Decimal, ...]:
    """Return the readings of digits with marks; none if they are no number."""
    if digits.isdigit():
        return (Decimal(digits),)
    last = max(digits.rfind("."), digits.rfind(","))
    whole, fraction = (digits[:last], digits[last + 1 :]) if last >= 0 else (digits, "")
    as_group = [Decimal(re.sub(r"\D", "", digits))] if _is_grouped(digits) else []
    has_point = fraction.isdigit() and (whole.isdigit() or not whole or (digits[last] not in whole and _is_grouped(whole)))
    as_point = [Decimal(f"{re.sub(_NO_DIGIT, '', whole) or 0}.{fraction}")] if has_point else []
    if not (as_group and as_point):
        return tuple(as_group or as_point)
    if style.group:
        return tuple(as_group if digits[last] == style.group else as_point)
    # English is read where nothing decides a comma.
    return tuple(as_group) if digits[last] == "," and not style.comma else (*as_point, *as_group)


def _is_grouped(digits: str) -> bool:
    return bool(_GROUPED.fullmatch(digits) or _INDIAN.fullmatch(digits))


def _style(runs: Iterable[str], locale: str | None) -> Style:
    if locale and (marks := marks_of(locale)):
        return Style(marks[1] == ".", marks[1] == ",")
    shown = {".": 0, ",": 0}
    for digits in runs:
        last = max(digits.rfind("."), digits.rfind(","))
        other = "," if last >= 0 and digits[last] == "." else "."
        if last >= 0 and digits.count(digits[last]) == 1 and (other in digits or len(digits) - last - 1 in {1, 2}):
            shown[digits[last]] += 1
    if 0 < shown["."] == shown[","]:
        return Style(point=True, comma=True)
    # One mark must clearly prevail: an "1,5" among many "2.50" is a list of two.
    return Style(shown["."] > _PREVAILING * shown[","], shown[","] > _PREVAILING * shown["."])


def _amount(text: str, values: tuple[Decimal, ...], start: int, end: int, locale: str | None) -> Amount:
    exponent, end = exponent_at(text, end)
    values = tuple(value.scaleb(exponent) if exponent else value for value in values)
    before = text[max(start - _LOOK, 0) : start]
    money = MONEY_BEFORE.search(before)
    values, end = sized(values, text, end, is_money=money is not None, locale=locale)
    if money and money["size"] and (money["code"] == "€" or money["code"] in currencies()):
        values = tuple(value * MONEY_SIZES[money["size"]] for value in values)
    after = text[end : end + _LOOK]
    unit = share if (share := after.lstrip(" ")[:1]) in {"%", "‰"} else _joined_unit(before, after)
    unit = "" if _POINTS.match(after) else unit
    return Amount(_signed(text, values, start, end, money), start, end, unit)


def _signed(text: str, values: tuple[Decimal, ...], start: int, end: int, money: re.Match[str] | None) -> tuple[Decimal, ...]:
    """Return the readings with their sign: before or behind the number or its currency, or brackets around both."""
    before, after = text[max(start - _LOOK, 0) : start], text[end : end + _LOOK]
    negative = tuple(-value for value in values)
    rest = before[: money.start()] if money else before
    sign = next((part.rstrip(" ")[-1:] for part in (before, rest) if part.rstrip(" ")[-1:] in _SIGNS), "")
    if sign == "(" and _CLOSES.match(after):
        in_front = (before if before.rstrip(" ").endswith("(") else rest).rstrip(" ")[:-1]
        is_whole = money is None and not any(mark in text[start:end] for mark in ".,")
        return _in_brackets(values, in_front, after, is_whole=is_whole)
    if before.endswith(")") and after.startswith("("):
        return negative  # brackets of a text that runs from right to left
    if sign == "-" and not _is_hyphen(before, rest):
        return negative
    if sign in {*"▲△▼▽"} or words.MINUS_WORD.search(before) or _MINUS_BEHIND.match(after):
        return negative
    return (*values, *negative) if _BOOKED.match(after) else values


def _in_brackets(values: tuple[Decimal, ...], in_front: str, after: str, *, is_whole: bool) -> tuple[Decimal, ...]:
    """Return the readings of a number in brackets: negative, unless the words in front of it may say it too."""
    word = _LETTERS_BEFORE.search(in_front.rstrip(" "))
    if word and is_currency_name(word.group()):
        return values  # "Twelve Thousand Dollars ($12,000.00)"
    negative = tuple(-value for value in values)
    # It may be a count, or that of the words before it, as in "thirty (30) days": both are read.
    is_beside = is_whole and (in_front[-1:].isalnum() or (word and _WORD_BEHIND.match(after)))
    return (*negative, *values) if is_beside or WIDE.match(in_front[-1:]) else negative


def _is_hyphen(before: str, rest: str) -> bool:
    """Return whether a hyphen before a number joins it to a word, ends a range, or is a dash."""
    joined = before if before.rstrip(" ").endswith("-") else rest
    in_front = joined.rstrip(" ")[:-1]
    is_spaced = joined.endswith(" ") and joined is before and unicodedata.category(in_front[-1:] or " ") != "Sc"
    return in_front[-1:].isalnum() or in_front[-1:] == ")" or (is_spaced and bool(in_front.strip()))


def _joined_unit(before: str, after: str) -> str:
    glued = _LETTERS_BEFORE.search(before)
    if glued and not _is_no_unit(glued.group()):
        return glued.group()
    if before.endswith("_") or _NAME_BEFORE.search(before) or after.startswith("_"):
        return "_"  # a part of a name
    behind = _LETTERS.match(after)
    return behind.group() if behind and not _is_no_unit(behind.group()) else ""


def _is_no_unit(word: str) -> bool:
    """Return whether a word joined to a number leaves it as it is: a currency, or a word of a script without spaces."""
    return WIDE.search(word) is not None or is_currency(word) or is_currency_name(word)
