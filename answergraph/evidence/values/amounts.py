"""Reads the numbers of a text as documents write them: either separator, signs, brackets, currencies, magnitudes."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from answergraph.evidence.numbers import number_words as words
from answergraph.evidence.numbers.numerals import exponent_at
from answergraph.evidence.numbers.sizes import MONEY_SIZES, WIDE, is_currency, sized
from answergraph.evidence.texts.cldr_names import currencies
from answergraph.evidence.texts.language_words import marks_of
from answergraph.evidence.texts.quote_borders import CLINGING
from answergraph.evidence.texts.value_text import ValueText

_RUN = re.compile(r"(?:(?<![\w.,])\.)?[0-9]+(?:[.,'_][0-9]+)*")
_SPACED = re.compile(r"(?<![\w.,])[1-9][0-9]{0,2}(?: [0-9]{3})+(?![0-9])(?:[.,][0-9]+(?![0-9]))?")
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:([,.'_])[0-9]{3})(?:\1[0-9]{3})*")
_INDIAN = re.compile(r"[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}")
_CJK = re.compile(r"(?<![0-9])(?<![0-9][.,])(?:[0-9][0-9.,]*[十百千万萬億亿兆백천만억조]+)+[0-9]*")
_CJK_PART = re.compile(r"([0-9][0-9.,]*)([十百千万萬億亿兆백천만억조]*)")
GOES_ON = re.compile(rf"[⅐-⅞¼-¾⁰-⁹²³¹{CLINGING}]|分の|[个個]?半|\s?\^")
_IN_POWER = re.compile(r"[\^√]-?\Z|分の\Z")
_FRACTION = re.compile(r" ?([⅐-⅞¼-¾])| ([1-9][0-9]?)/([1-9][0-9]?)(?![\d/])")
_PART_OF_GROUPS = re.compile(r"(?<![0-9.,])[0-9]{1,3}(?= 0[0-9]{2}(?![0-9]))|(?<=[0-9] )0[0-9]{2}(?![0-9])")
"""No number begins with a zero: behind a space, it goes on with the one before."""
_PADDED_DECIMAL = re.compile(r"0[0-9]+[.,]")
"""Counts may have zeros in front; "082.04" is the rest of something else, or a day and a month."""
_SIGNS = frozenset("-(▲△▼▽")
MONEY_BEFORE = re.compile(
    r"(?:(?<![A-Za-z])(?P<size>[TKM])(?P<code>€|[A-Z]{3})|[A-Za-z]{0,3}[$€£¥₩₪₹₽₺฿₫₴₦]|(?<![A-Za-z])[A-Z]{3}|(?<![A-Za-z])(?:Rs|kr)\.?)"
    r"\s?\(?-?\Z"
)
_CLOSES = re.compile(r"\s?(?:[^\W\d_]{1,3}|[$€£¥₩₪₹₽₺฿₫₴₦%])?\s?\)")
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


def amounts_in(searched: ValueText, locale: str | None = None) -> Iterator[Amount]:
    """Yield the numbers of a text, as a locale writes them or as the text shows."""
    text, runs = searched.text, list(_runs(searched))
    style = _style((digits for digits, _ in runs), locale)
    compound = {match.start(): match for match in _CJK.finditer(text)}
    groups = {match.span() for match in _PART_OF_GROUPS.finditer(text)}
    done = 0
    for digits, start in runs:
        if start < done:
            continue
        if start in compound:
            value = _compound(compound[start].group())
            done = compound[start].end()
            values: tuple[Decimal, ...] = () if value is None else (value,)
        else:
            values, done = _read(digits, style), start + len(digits)
        # "1234 7/23" may be a number before a day.
        if len(digits) <= _MAX_WHOLE:
            share, done = _share_at(text, done)
            values = tuple(value + share for value in values)
        in_power = _IN_POWER.search(text, max(start - 2, 0), start)
        if values and not (GOES_ON.match(text, done) or in_power or (start, done) in groups):
            yield _amount(text, values, start, done, locale)
    for match in _SPACED.finditer(text):
        values = _read(match.group().replace(" ", ""), style)
        if values:
            yield _amount(text, values, *match.span(), locale)


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


def _compound(text: str) -> Decimal | None:
    """Return the value of digits and magnitudes such as ``5億3000万``; ``None`` if they are not in falling order."""
    total, last = Decimal(0), None
    for digits, marks in _CJK_PART.findall(text):
        size = Decimal(1)
        for mark in marks:
            size *= words.MAGNITUDES.get(mark, Decimal(10))
        if last is not None and size >= last:
            return None
        total, last = total + Decimal(digits.replace(",", "")) * size, size
    return total


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
        # A whole number in brackets behind a word may be a count: both are read.
        is_sure = money is not None or any(mark in text[start:end] for mark in ".,") or not before[-2:-1].isalnum()
        return negative if is_sure else (*negative, *values)
    if before.endswith(")") and after.startswith("("):
        return negative  # brackets of a text that runs from right to left
    if sign == "-" and not _is_hyphen(before, rest):
        return negative
    if sign in {*"▲△▼▽"} or words.MINUS_WORD.search(before) or _MINUS_BEHIND.match(after):
        return negative
    return (*values, *negative) if _BOOKED.match(after) else values


def _is_hyphen(before: str, rest: str) -> bool:
    """Return whether a hyphen before a number joins it to a word, ends a range, or is a dash."""
    joined = before if before.rstrip(" ").endswith("-") else rest
    in_front = joined.rstrip(" ")[:-1]
    is_spaced = joined.endswith(" ") and joined is before
    return in_front[-1:].isalnum() or in_front[-1:] == ")" or (is_spaced and bool(in_front.strip()))


def _joined_unit(before: str, after: str) -> str:
    glued = _LETTERS_BEFORE.search(before)
    if glued and not WIDE.search(glued.group()) and not is_currency(glued.group()):
        return glued.group()
    if before.endswith("_") or _NAME_BEFORE.search(before) or after.startswith("_"):
        return "_"  # a part of a name
    behind = _LETTERS.match(after)
    return behind.group() if behind and not WIDE.match(behind.group()) and not is_currency(behind.group()) else ""
