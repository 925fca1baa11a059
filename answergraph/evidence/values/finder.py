"""Finds the places of a value in a text, by value: supported, ambiguous or unsupported."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from enum import Enum
from functools import cached_property
from itertools import chain, product
from typing import Literal, Protocol

from answergraph.evidence.numbers.number_units import NumberMark, has_value, is_equal
from answergraph.evidence.numbers.numerals import Numeral
from answergraph.evidence.texts import cldr_names
from answergraph.evidence.texts.value_text import ValueText
from answergraph.evidence.values import dates
from answergraph.evidence.values.amounts import Amount, Amounts
from answergraph.evidence.values.choices import is_chosen
from answergraph.evidence.values.labels import Labels, OtherValue, Span, pairs_of
from answergraph.evidence.values.text_places import places_of_text
from answergraph.evidence.values.times import MAX_TIME_GAP, TimePlace, has_own_time, time_on_other_line, times_in
from answergraph.evidence.values.wholes import Places, Whole, wholes_in

_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_PLAIN_NUMBER = re.compile(r"[-+]?(?!0\d)\d[\d.,]*%?")
"""What is surely no number is a code: ``007``."""
_CLOSE_DATE = re.compile(r"(?=.*\d{4})\S+[ .,]{1,3}[^\s,.-]+[ .,]{1,3}\S+|\S+([-/])\w+\1\S+|\S+ (\w+) \S+ \2 \S+")
_YEAR_DIGITS = 4
_CODE_DIGITS = 5


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
        self._amounts: dict[str | None, Amounts] = {}
        self._dates: dict[str | None, list[dates.DatePlace]] = {}
        self._by_label: dict[tuple[str, ...], Labels] = {}

    def matches(self, value: object, mark: ValueMark) -> Iterator[ValueMatch]:
        """Yield the places of a value, and what each of them says."""
        return (self._judged(place, mark) for place in self._places(value, mark))

    def stands(self, value: object, mark: ValueMark) -> Iterator[Span]:
        """Yield the places where a label has the value, outside of tables."""
        return self._labels(mark).of(self._places(value, mark))

    def others(self, value: object, mark: ValueMark, own: Sequence[Span]) -> Iterator[OtherValue]:
        """Yield the places where a label has another value of the same kind: not on lines of its own places or of their heads."""
        labels = self._labels(mark)
        lines = {self.searched.line_at(at) for place in own for at in (place.start, *labels.heads_of(place))}
        others = labels.of(self._others(value, mark))
        return (other for other in others if self.searched.line_at(other.start) not in lines)

    def is_named(self, place: Span, mark: ValueMark) -> bool:
        """Return whether a label and nothing else names a place."""
        return self._labels(mark).name(place)

    def _labels(self, mark: ValueMark) -> Labels:
        return self._by_label.setdefault(tuple(mark.label), Labels(self.searched, mark.label))

    def _others(self, value: object, mark: ValueMark) -> Iterator[OtherValue]:
        if mark.spelled:
            others = [(text, meaning) for text, meaning in mark.spelled if meaning != value]
            places = ((place, meaning) for text, meaning in others for place in self._places_of_text(text))
            return (OtherValue(place.start, place.end, meaning) for place, meaning in places)
        if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
            return self._other_numbers(value, mark)
        return self._other_dates(value, mark) if isinstance(value, date) else self._other_texts(value, mark)

    def _other_numbers(self, wanted: int | float | Decimal, mark: ValueMark) -> Iterator[OtherValue]:
        sizes = [Decimal(str(size)) for _, size in mark.units or ()] or [Decimal(1)]
        for amount in self._amounts_for(mark.locale).within(self._labels(mark).reach):
            held = [
                number for number in amount.readings for size in sizes if self._has_value(amount, number, number * size, mark)
            ]
            is_own = any(self._has_value(amount, number, wanted, mark) for number in held)
            if held and not is_own and not self._is_part(amount) and not self._in_rows.hold(amount.start, amount.end):
                yield OtherValue(amount.start, amount.end, held[0])

    def _other_dates(self, wanted: date, mark: ValueMark) -> Iterator[OtherValue]:
        # In another zone it may be the day before or after.
        shifts = (-1, 0, 1) if isinstance(wanted, datetime) and wanted.tzinfo else (0,)
        days = [date.fromordinal(wanted.toordinal() + shift) for shift in shifts]
        own = {(year, day.month, day.day) for day in days for year in (day.year, None)}
        for place in self._numeric_dates(mark.locale) + self._worded_dates:
            if own.isdisjoint(place.readings):
                yield OtherValue(place.start, place.end, self.searched.text[place.start : place.end])

    def _other_texts(self, value: object, mark: ValueMark) -> Iterator[OtherValue]:
        own = [place.start for place in self._places(value, mark)]
        for start, end in pairs_of(self.searched, mark.label):
            if not any(start <= at < end for at in own):
                yield OtherValue(start, end, self.searched.text[start:end])

    def _judged(self, place: _Place, mark: ValueMark) -> ValueMatch:
        if mark.label and not self._labels(mark).have(place):
            named = " or ".join(map(repr, mark.label))
            return ValueMatch("unsupported", place.start, place.end, f"it is there, but not as the value of {named}")
        return ValueMatch("ambiguous" if place.doubt else "supported", place.start, place.end, place.doubt)

    def _places(self, value: object, mark: ValueMark) -> Iterator[_Place]:
        spelled = [text for text, meaning in mark.spelled if meaning == value and type(meaning) is type(value)]
        if spelled or isinstance(value, bool | Choice):
            words = spelled or [str(value)]
            places = (place for text in words for place in self._places_of_text(text))
            yield from (place for place in places if is_chosen(self.searched, place.start, place.end))
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
                places = self._places_of_number(Decimal(stripped.rstrip("%").replace(",", "")), mark)
                yield from (place for place in places if self._is_written_so(place, stripped))
        yield from self._places_of_text(value)

    def _is_written_so(self, place: _Place, digits: str) -> bool:
        """Return whether a place may be what a text of digits says: 12345 is not the account 0012345, nor 5% a bare 5."""
        stands = self.searched.text[place.start : place.end]
        is_other_code = digits.isdigit() and len(digits) >= _CODE_DIGITS and stands.isdigit() and stands != digits
        has_share = not digits.endswith("%") or "%" in self.searched.text
        return has_share and not is_other_code

    def _places_of_text(self, value: str) -> Iterator[_Place]:
        return (_Place(start, end) for start, end in places_of_text(self.searched, value))

    def _places_of_number(self, wanted: int | float | Decimal, mark: ValueMark) -> Iterator[_Place]:
        if not Decimal(wanted).is_finite():
            return
        sizes = [Decimal(str(size)) for _, size in mark.units or () if size] or [Decimal(1)]
        values = None if mark.rounding is not None else [Decimal(str(wanted)) / size for size in sizes]
        for amount in self._amounts_for(mark.locale).like(values):
            readings = [value for value in amount.readings if self._has_value(amount, value, wanted, mark)]
            if readings and not self._is_part(amount):
                is_in_row = self._amounts_for(mark.locale).may_be_part(amount, self._in_rows)
                doubt = "it may be a part of a longer number" if is_in_row else amount.doubt(readings)
                yield _Place(amount.start, amount.end, doubt)

    def _has_value(self, amount: Amount, value: Decimal, wanted: int | float | Decimal, mark: ValueMark) -> bool:
        if mark.units is None:
            share = {"%": 100, "‰": 1000}.get(amount.unit)
            is_share = share is not None and is_equal(value / share, wanted, mark.rounding)
            return is_share or ((not amount.unit or share is not None) and is_equal(value, wanted, mark.rounding))
        numeral = Numeral(value, amount.start, amount.end, amount.start)
        return has_value(numeral, self.searched.text, wanted, mark)

    def _amounts_for(self, locale: str | None) -> Amounts:
        if locale not in self._amounts:
            self._amounts[locale] = Amounts(self.searched, locale)
        return self._amounts[locale]

    @cached_property
    def _in_dates(self) -> Places:
        clocks = ((clock.start, clock.end) for clock in self._clocks if clock.is_sure)
        # "12 sold in March 2025" is read as a date too.
        worded = ((place.start, place.end) for place in self._worded_dates if place.readings[0][0] is not None)
        close = (place for place in worded if _CLOSE_DATE.fullmatch(self.searched.text[slice(*place)]))
        return Places([*self._numeric_spans, *clocks, *close])

    @cached_property
    def _numeric_spans(self) -> set[tuple[int, int]]:
        return {(place.start, place.end) for place in self._numeric_dates(None)}

    @cached_property
    def _clocks(self) -> list[TimePlace]:
        return list(times_in(self.searched))

    def _is_part(self, amount: Amount) -> bool:
        """Return whether a number is part of a date, a time, or an id such as a card's number; a year counts as a number."""
        digits = self.searched.text[amount.start : amount.end]
        is_year = len(digits) == _YEAR_DIGITS and digits.isdigit()
        return (not is_year and self._in_dates.hold(amount.start, amount.end)) or self._in_ids.hold(amount.start, amount.end)

    @cached_property
    def _wholes(self) -> list[Whole]:
        return list(wholes_in(self.searched.text, has_cells=self.searched.has_comma_cells))

    @cached_property
    def _in_ids(self) -> Places:
        times = {(clock.start, clock.end) for clock in self._clocks} | self._numeric_spans
        return Places({(whole.start, whole.end) for whole in self._wholes if whole.is_sure} - times)

    @cached_property
    def _in_rows(self) -> Places:
        return Places((whole.start, whole.end) for whole in self._wholes if not whole.is_sure)

    def _numeric_dates(self, locale: str | None) -> list[dates.DatePlace]:
        if locale not in self._dates:
            self._dates[locale] = dates.dates_in(self.searched, locale)
        return self._dates[locale]

    @cached_property
    def _worded_dates(self) -> list[dates.DatePlace]:
        # Without the names a date is refused; what a string or a number says of a date is only not found.
        return list(dates.worded_dates_in(self.searched)) if cldr_names.ARE_KNOWN else []

    def _places_of_date(self, wanted: date, mark: ValueMark) -> Iterator[_Place]:
        if isinstance(wanted, datetime):
            yield from self._places_of_moment(wanted, mark)
            return
        exact = (wanted.year, wanted.month, wanted.day)
        # The names of the months are read last: numerals decide most dates, and cost nothing.
        for place in chain(self._numeric_dates(mark.locale), self._worded_dates):
            readings = [reading for reading in place.readings if reading in {exact, (None, *exact[1:])}]
            if not readings or (readings[0][0] is None and f"{wanted.year:04}" not in self._years):
                continue
            others = [reading for reading in place.readings if reading not in readings]
            doubt = f"it may be day {others[0][2]} of month {others[0][1]} as well" if others else None
            yield _Place(place.start, place.end, doubt)

    @cached_property
    def _every_date(self) -> list[dates.DatePlace]:
        return sorted([*self._numeric_dates(None), *self._worded_dates], key=lambda place: place.start)

    @cached_property
    def _years(self) -> set[str]:
        return {word for word in self.searched.words if len(word) == _YEAR_DIGITS and word.isdigit()} | {
            f"{year:04}" for place in self._every_date for year, _, _ in place.readings if year
        }

    def _places_of_moment(self, wanted: datetime, mark: ValueMark) -> Iterator[_Place]:
        if not any((wanted.hour, wanted.minute, wanted.second, wanted.microsecond)):
            # A day without a time of its own begins at midnight.
            for day in self._places_of_date(wanted.date(), mark):
                if not has_own_time(self.searched.text, day, self._clocks, self._numeric_dates(None)):
                    other = time_on_other_line(self.searched.text, day, self._clocks, self._every_date)
                    yield replace(day, doubt=f"its time may be {other.value:%H:%M}") if other else day
        for zone in dict.fromkeys(clock.value.tzinfo for clock in self._clocks):
            try:
                local = wanted.astimezone(zone) if zone and wanted.tzinfo else wanted
            except OverflowError:  # the calendar has no such day
                continue
            clocks = [clock for clock in self._clocks if clock.value.tzinfo == zone and clock.says(local.time())]
            yield from self._places_of_both(list(self._places_of_date(local.date(), mark)) if clocks else [], clocks)

    def _places_of_both(self, days: list[_Place], clocks: list[TimePlace]) -> Iterator[_Place]:
        for day, clock in product(days, clocks):
            low, high = min(day.end, clock.end), max(day.start, clock.start)
            has_other = any(low <= other.start and other.end <= high for other in self._numeric_dates(None))
            if high - low <= MAX_TIME_GAP and not has_other:
                yield _Place(min(day.start, clock.start), max(day.end, clock.end), day.doubt or clock.doubt)

    def _places_of_time(self, wanted: time) -> Iterator[_Place]:
        return (_Place(clock.start, clock.end, clock.doubt) for clock in self._clocks if clock.says(wanted))
