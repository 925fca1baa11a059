"""Finds the places of a value in a text, by value: supported, ambiguous or unsupported."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from enum import Enum
from functools import cached_property
from typing import Literal, Protocol

from answergraph.evidence.numbers.number_units import NumberMark, has_value, is_equal
from answergraph.evidence.numbers.numerals import Numeral
from answergraph.evidence.texts.language_words import marks_of
from answergraph.evidence.texts.quote_borders import follows_negation
from answergraph.evidence.texts.value_text import ValueText, plain, words_of
from answergraph.evidence.values import dates, month_names
from answergraph.evidence.values.amounts import Amount, amounts_in
from answergraph.evidence.values.labels import is_labelled

_MIN_TIGHT = 6
"""Letters and digits of a text that may be spaced otherwise in the source."""
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_PLAIN_NUMBER = re.compile(r"[-+]?(?!0\d)\d[\d.,]*%?")
"""What is surely no number is a code: ``007``."""
_SYMBOLS = "+#"
_CLOSE_DATE = re.compile(r"(?=.*\d{4})\S+[ .,]{1,3}[^\s,.-]+[ .,]{1,3}\S+|\S+([-/])\w+\1\S+|\S+ (\w+) \S+ \2 \S+")
_ID = re.compile(
    r"(?<![\w.,/-])\d+(?:-\d+){2,}(?![\w/-])|(?<![\w.,:/-])\d+:\d+(?![\w:])"
    r"|\+\d{1,3}(?: ?\(\d+\) ?\d+|[ /-]\d{2,})(?:[ /-]\d{2,})+(?![.,]?\d)|\(\d{2,5}\) ?\d{2,}-\d{2,}(?![\d-])"
)
"""Several numbers that are one: of an account, a ratio, a telephone."""
_QUANTITY = re.compile(r"\d+ ?[^\W\d_]+")
_MAX_TIME_GAP = 40
_YEAR_DIGITS = 4


class ValueMark(NumberMark, Protocol):
    """What a mark says of a value."""

    @property
    def label(self) -> Sequence[str]: ...
    @property
    def spelled(self) -> Sequence[tuple[str, object]]: ...
    @property
    def locale(self) -> str | None: ...


class Choice(str):
    """One of a closed set of words, which says less than a text of its own."""

    __slots__ = ()


@dataclass(frozen=True)
class ValueMatch:
    """A place of a value, and whether it supports the value."""

    status: Literal["supported", "ambiguous", "unsupported"]
    start: int
    end: int
    problem: str | None = None


@dataclass(frozen=True)
class _Place:
    start: int
    end: int
    doubt: str | None = None
    """Why the text does not decide that this is the value."""


class ValueFinder:
    """Finds values in one text."""

    def __init__(self, text: str) -> None:
        self.searched = ValueText(text)
        self._amounts: dict[str | None, list[Amount]] = {}
        self._dates: dict[str | None, list[dates.DatePlace]] = {}

    def matches(self, value: object, mark: ValueMark) -> Iterator[ValueMatch]:
        """Yield the places of a value, and what each of them says."""
        return (self._judged(place, mark) for place in self._places(value, mark))

    def _judged(self, place: _Place, mark: ValueMark) -> ValueMatch:
        if mark.label and not is_labelled(self.searched, place.start, place.end, mark.label):
            named = " or ".join(map(repr, mark.label))
            return ValueMatch("unsupported", place.start, place.end, f"it is there, but not as the value of {named}")
        return ValueMatch("ambiguous" if place.doubt else "supported", place.start, place.end, place.doubt)

    def _places(self, value: object, mark: ValueMark) -> Iterator[_Place]:
        spelled = [text for text, meaning in mark.spelled if meaning == value and type(meaning) is type(value)]
        if spelled or isinstance(value, bool | Choice):
            words = spelled or [str(value)]
            # "not paid" does not say that it is paid.
            yield from (
                place
                for text in words
                for place in self._places_of_text(text)
                if not follows_negation(self.searched.text, place.start)
            )
        elif isinstance(value, Enum):
            for own in (value.value, value.name.replace("_", " ")):
                yield from self._places(Choice(own) if isinstance(own, str) else own, mark)
        elif isinstance(value, int | float | Decimal):
            yield from self._places_of_number(value, mark)
        elif isinstance(value, date):
            yield from self._places_of_date(value, mark)
        elif isinstance(value, time):
            yield from self._places_of_time(value)
        else:
            yield from self._places_of_string(str(value), mark)

    def _places_of_string(self, value: str, mark: ValueMark) -> Iterator[_Place]:
        """Yield the places of a text; what it reads as comes first, so that a value and its JSON have the same places."""
        stripped = value.strip()
        if _ISO_DATE.fullmatch(stripped):
            with suppress(ValueError):
                yield from self._places_of_date(date.fromisoformat(stripped), mark)
        elif _PLAIN_NUMBER.fullmatch(stripped):
            with suppress(InvalidOperation):
                yield from self._places_of_number(Decimal(stripped.rstrip("%").replace(",", "")), mark)
        yield from self._places_of_text(value)

    def _places_of_text(self, value: str) -> Iterator[_Place]:
        words = words_of(value)
        if not words:
            start = self.searched.text.find(plain(value.strip()))
            if start >= 0:
                yield _Place(start, start + len(value.strip()))
            return
        wanted = plain(unicodedata.normalize("NFC", value.strip()))
        tail = wanted[len(wanted.rstrip(_SYMBOLS)) :]
        for start, end in self.searched.runs(words):
            if self._is_whole(start, end + len(tail)) and self._has_marks(wanted, start, end + len(tail)):
                yield _Place(start, end + len(tail))
        is_number_like = re.search(r"\d[.,]\d", wanted)
        is_long = sum(map(len, words)) >= _MIN_TIGHT or _QUANTITY.fullmatch(wanted)
        if is_long and not is_number_like:
            yield from (_Place(start, end) for start, end in self.searched.tight_runs(words) if self._is_whole(start, end))

    def _is_whole(self, start: int, end: int) -> bool:
        """Return whether a place is no part of a longer number or of a name such as C++."""
        text = self.searched.text
        if text[end : end + 1] in set(_SYMBOLS) and not text[end + 1 : end + 2].isalnum():
            return False
        in_cells = self.searched.has_comma_cells
        marks = "." if in_cells else ".,"
        goes_on = text[end - 1].isdigit() and text[end : end + 1] in set(marks) and text[end + 1 : end + 2].isdigit()
        began = text[start].isdigit() and text[start - 1 : start] in set(marks) and text[max(start - 2, 0) : start - 1].isdigit()
        return not (goes_on or began)

    def _has_marks(self, wanted: str, start: int, end: int) -> bool:
        """Return whether the marks between digits are those of the value: 3.5 is not 3,5 nor 3 5."""
        text = self.searched.text
        between = re.findall(r"(?<=\d)([^\w]+)(?=\d)", wanted)
        stands = re.findall(r"(?<=\d)([^\w]+)(?=\d)", text[start:end])
        pairs = zip(between, stands, strict=False)
        same = all(one == other or not {one.strip(), other.strip()} & {".", ","} for one, other in pairs)
        return same and text[start:end].endswith(wanted[len(wanted.rstrip(_SYMBOLS)) :]) and self._has_symbols(wanted, start, end)

    def _has_symbols(self, wanted: str, start: int, end: int) -> bool:
        """Return whether the symbols of a value stand on the same side of it, and no other currency beside it."""
        text = self.searched.text
        before, after = text[max(start - 2, 0) : start], text[end : end + 2]
        words_start = next((index for index, character in enumerate(wanted) if character.isalnum()), 0)
        lead, rest = _symbols(wanted[: words_start + 1]), _symbols(wanted[words_start:])
        money, beside = (
            {character for character in part if unicodedata.category(character) == "Sc"} for part in (wanted, before + after)
        )
        return lead <= {*before} and rest <= {*text[start:end], *after} and (not money or not beside or bool(money & beside))

    def _places_of_number(self, wanted: int | float | Decimal, mark: ValueMark) -> Iterator[_Place]:
        if not Decimal(wanted).is_finite():
            return
        for amount in self._amounts_for(mark.locale):
            readings = [value for value in amount.readings if self._has_value(amount, value, wanted, mark)]
            if readings and not self._is_part(amount):
                others = [value for value in amount.readings if value not in readings]
                doubt = f"it may be {others[0]} as well as {readings[0]}" if _is_doubtful(readings, others) else None
                yield _Place(amount.start, amount.end, doubt)

    def _has_value(self, amount: Amount, value: Decimal, wanted: int | float | Decimal, mark: ValueMark) -> bool:
        if mark.units is None:
            share = {"%": 100, "‰": 1000}.get(amount.unit)
            is_share = share is not None and is_equal(value / share, wanted, mark.rounding)
            return is_share or ((not amount.unit or share is not None) and is_equal(value, wanted, mark.rounding))
        numeral = Numeral(value, amount.start, amount.end, amount.start)
        return has_value(numeral, self.searched.text, wanted, mark)

    def _amounts_for(self, locale: str | None) -> list[Amount]:
        if locale not in self._amounts:
            self._amounts[locale] = list(amounts_in(self.searched, marks_of(locale) if locale else None))
        return self._amounts[locale]

    @cached_property
    def _in_dates(self) -> list[tuple[int, int]]:
        days = [(place.start, place.end) for place in self._numeric_dates(None)]
        return sorted([*days, *((clock.start, clock.end) for clock in self._clocks)])

    @cached_property
    def _clocks(self) -> list[dates.TimePlace]:
        return list(dates.times_in(self.searched))

    def _is_part(self, amount: Amount) -> bool:
        """Return whether a number is part of a date, a time, or an id such as a card's number; a year counts as a number."""
        digits = self.searched.text[amount.start : amount.end]
        is_year = len(digits) == _YEAR_DIGITS and digits.isdigit()
        in_date = not is_year and (_is_within(amount, self._in_dates) or _is_within(amount, self._in_worded_dates))
        return in_date or _is_within(amount, self._in_ids)

    @cached_property
    def _in_worded_dates(self) -> list[tuple[int, int]]:
        # "12 sold in March 2025" is read as a date too.
        places = ((place.start, place.end) for place in self._worded_dates if place.readings[0][0] is not None)
        return [place for place in places if _CLOSE_DATE.fullmatch(self.searched.text[slice(*place)])]

    @cached_property
    def _in_ids(self) -> list[tuple[int, int]]:
        return sorted({match.span() for match in _ID.finditer(self.searched.text)} - {*self._in_dates})

    def _numeric_dates(self, locale: str | None) -> list[dates.DatePlace]:
        if locale not in self._dates:
            self._dates[locale] = dates.dates_in(self.searched, locale)
        return self._dates[locale]

    @cached_property
    def _worded_dates(self) -> list[dates.DatePlace]:
        # Without the names a date is refused; what a string or a number says of a date is only not found.
        return dates.worded_dates_in(self.searched) if month_names.ARE_KNOWN else []

    def _places_of_date(self, wanted: date, mark: ValueMark) -> Iterator[_Place]:
        if isinstance(wanted, datetime):
            yield from self._places_of_moment(wanted, mark)
            return
        exact = (wanted.year, wanted.month, wanted.day)
        for place in self._dates_for(mark):
            readings = [reading for reading in place.readings if reading in {exact, (None, *exact[1:])}]
            if not readings or (readings[0][0] is None and not self._names_year(wanted)):
                continue
            others = [reading for reading in place.readings if reading not in readings]
            doubt = f"it may be day {others[0][2]} of month {others[0][1]} as well" if others else None
            yield _Place(place.start, place.end, doubt)

    def _dates_for(self, mark: ValueMark) -> Iterator[dates.DatePlace]:
        # The names of the months are read last: numerals decide most dates, and cost nothing.
        yield from self._numeric_dates(mark.locale)
        yield from self._worded_dates

    def _names_year(self, wanted: date) -> bool:
        return f"{wanted.year:04}" in self._years

    @cached_property
    def _years(self) -> set[str]:
        every = [*self._numeric_dates(None), *self._worded_dates]
        return {word for word in self.searched.words if len(word) == _YEAR_DIGITS and word.isdigit()} | {
            f"{year:04}" for place in every for year, _, _ in place.readings if year
        }

    def _places_of_moment(self, wanted: datetime, mark: ValueMark) -> Iterator[_Place]:
        days = list(self._places_of_date(wanted.date(), mark))
        if not any((wanted.hour, wanted.minute, wanted.second)):
            yield from days
        for day in days:
            for clock in self._places_of_time(wanted.time()):
                is_near = clock.start - day.end <= _MAX_TIME_GAP and day.start - clock.end <= _MAX_TIME_GAP
                if is_near and not self._is_day_between(day, clock):
                    yield _Place(min(day.start, clock.start), max(day.end, clock.end), day.doubt)

    def _is_day_between(self, day: _Place, clock: _Place) -> bool:
        low, high = min(day.end, clock.end), max(day.start, clock.start)
        return any(low <= other.start and other.end <= high for other in self._numeric_dates(None))

    def _places_of_time(self, wanted: time) -> Iterator[_Place]:
        for clock in self._clocks:
            if clock.value == wanted.replace(microsecond=0, tzinfo=None):
                yield _Place(clock.start, clock.end)


def _symbols(text: str) -> set[str]:
    """Return the signs of a value that say more than its words: those of mathematics, boxes, and a minus."""
    minus = {"-"} if re.match(r"-\d", text) else set()
    return minus | {
        character
        for character in text
        if (character in "%‰" or unicodedata.category(character) in {"Sm", "So"}) and character != "|"
    }


def _is_within(amount: Amount, places: Sequence[tuple[int, int]]) -> bool:
    return any(start <= amount.start and amount.end <= end for start, end in places)


def _is_doubtful(readings: Sequence[Decimal], others: Sequence[Decimal]) -> bool:
    # A negative and a positive reading of one number in brackets are told apart by their field.
    return any(abs(other) != abs(readings[0]) for other in others)
