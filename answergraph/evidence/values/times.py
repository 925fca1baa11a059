"""Reads times of day in text, with their zone and the half of the day that words beside them say."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import time, timedelta, timezone
from functools import cache
from operator import attrgetter

from answergraph.evidence.texts.cldr_names import ARE_KNOWN, day_letters, day_parts, short_afternoons
from answergraph.evidence.texts.language_words import alternatives
from answergraph.evidence.texts.value_text import ValueText
from answergraph.evidence.values.labels import Span, T

_HOUR = r"[01]?\d|2[0-4]"
_KANJI = " ?[〇零一二三四五六七八九十廿差]"
_CLOCK = re.compile(
    rf"(?=\d)(?:(?<![\d:.,])(?P<h>{_HOUR})(?: ?[時时시点點] ?(?P<thirty>[半반])"
    r"|(?::| ?(?:[hHч時时시点點]|Uhr|giờ) ?|\.(?=\d\d ?(?:[ap]\.?m|Uhr|h\b))|(?P<stop>\.(?!\d\d\.\d)))(?P<m>[0-5]\d) ?[分분]?"
    r"(?:[:m](?P<s>[0-5]\d)(?:[.,](?P<share>\d{1,9}))?)?(?![\d:])(?: ?(?P<half>[AaPp])\.? ?[Mm]\b)?)"
    r"|(?<![\d:.,])(?P<hour>1[0-2]|0?[1-9]) ?(?P<of>[AaPp])\.? ?[Mm]\b"
    rf"|(?<![\d:.,])(?P<full>{_HOUR}) ?(?:Uhr\b|o'clock\b|[時时](?![間间]|{_KANJI})|시(?!간))"
    rf"|(?<=[午前后後]) ?(?P<point>{_HOUR}) ?[点點](?!{_KANJI})"
    rf"|(?<![\d:.,])(?P<hours>{_HOUR}) ?(?:[hHч]|giờ)(?!\w))"
)
"""The words of a full hour are those of CLDR; some of them also count hours: "14 h" is read as both."""
_OFFSET = re.compile(rf"\+ ?\Z|(?<!\w)(?:{alternatives('numbers', 'before_hours')}) \Z", re.IGNORECASE)
_CLOCK_BEFORE = re.compile(rf"(?<!\w)(?:{alternatives('numbers', 'clock')})\.? \Z", re.IGNORECASE)
_PART_BEHIND = re.compile(rf" (?:{alternatives('numbers', 'behind_hours')})(?!\w)", re.IGNORECASE)
_ZONE = re.compile(
    r" ?(?:(?:Z|UTC|GMT)\b ?)?(?P<sign>[+-])(?P<hours>0\d|1[0-4]):?(?P<minutes>00|15|30|45)?(?![\d:])| ?(?:Z|UTC|GMT)\b"
)
"""The offset of a time; a hyphen begins one behind seconds, or a date that ``T`` joins: "10:30-12:30" are two times."""
_HALF_DAY, _LATE_NOON, _EARLY_NIGHT = 12, 10, 6
_MAX_PART = 24
"""Characters of the words for a part of the day."""
MAX_TIME_GAP = 40
"""Characters between a date and a time of day that belong together."""
_MAX_BESIDE = 3
"""Characters, or words on one line, between a date and a time that is surely its own."""
_START = attrgetter("start")
_LETTERS = {"vi": re.compile("[\u1ea0-\u1ef9]")}
"""Letters that one language alone has."""
_AROUND = 1000
_PARTED = re.compile(r"[\d\n]|[.!?;] +[A-Z]")
_LINE_END = re.compile(r"[^\w\n]*(?:\w{1,3}[^\w\n]*)?(?:\n|\Z)")
_LINE_BETWEEN = re.compile(_LINE_END.pattern + r"\D*")


@dataclass(frozen=True)
class TimePlace:
    """A time of day in a text."""

    value: time
    """With its zone, where the text says one."""
    start: int
    end: int
    is_sure: bool = True
    """False if its number may count hours."""
    doubt: str | None = None
    """Why the text does not decide that this is the time."""

    def says(self, wanted: time) -> bool:
        """Return whether a time is this one: fractions of a second and zones are compared where both have them."""
        value = self.value if wanted.microsecond else self.value.replace(microsecond=0)
        if value.tzinfo is None or wanted.utcoffset() is None:
            value, wanted = value.replace(tzinfo=None), wanted.replace(tzinfo=None)
        return value == wanted


def times_in(searched: ValueText) -> Iterator[TimePlace]:
    """Yield the times of day of a text, in order."""
    text, done = searched.text, 0
    for match in _CLOCK.finditer(text):
        if match.start() < done or _is_no_time(text, match):
            continue
        hour = int(next(filter(None, match.group("h", "hour", "full", "point", "hours"))))
        # Of German "14:30 am 3. Mai", the hour is in the afternoon.
        hours = _hours_of_half(text, match, hour) if hour <= _HALF_DAY else [hour]
        share = int((match["share"] or "0").ljust(6, "0")[:6])
        minute = 30 if match["thirty"] else int(match["m"] or 0)
        zone, done = _zone_at(text, match)
        for hour in hours:
            value = time(hour % 24, minute, int(match["s"] or 0), share, zone)
            doubt = next((f"it may be {other % 24}:{value:%M} as well" for other in hours if other != hour), None)
            yield TimePlace(value, match.start(), done, match["hours"] is None, doubt)


def _is_no_time(text: str, clock: re.Match[str]) -> bool:
    """Return whether words beside a number make it another time or none, or no word makes one with a full stop a time."""
    low, start, end = max(clock.start() - _MAX_PART, 0), *clock.span()
    is_moved = _OFFSET.search(text, low, start) or (clock["m"] is None and _PART_BEHIND.match(text, end))
    return bool(is_moved or (clock["stop"] and not _CLOCK_BEFORE.search(text, low, start)))


def _hours_of_half(text: str, clock: re.Match[str], hour: int) -> list[int]:
    """Return the hours of the day that one of a half of it may be; two if only letters say which half: ``2:30 CH``."""
    if half := (clock["half"] or clock["of"] or "").lower():
        return [hour % _HALF_DAY + (0 if half == "a" else _HALF_DAY)]
    part = _part_of_day(text, *clock.span())
    short = None if part or not ARE_KNOWN else _short_afternoon().match(text, clock.end())
    if short is None or not hour:
        return [_hour_in(part, hour) if hour else hour]
    around = text[max(clock.start() - _AROUND, 0) : clock.end() + _AROUND]
    is_sure = any(language in short_afternoons()[short[1]] and letters.search(around) for language, letters in _LETTERS.items())
    second = hour % _HALF_DAY + _HALF_DAY
    return [second] if is_sure else [hour, second]


@cache
def _short_afternoon() -> re.Pattern[str]:
    forms = sorted(map(re.escape, short_afternoons()), key=len, reverse=True)
    return re.compile(rf" ?({'|'.join(forms)})(?!\w)")


def has_own_time(text: str, day: Span, clocks: Sequence[TimePlace], dates: Sequence[Span]) -> bool:
    """Return whether one of the times of a text stands beside a day, and is not that of one of the dates, before it."""
    earlier = _starting(dates, day.start - 2 * MAX_TIME_GAP, day.start)
    for clock in _starting(clocks, day.start - MAX_TIME_GAP, day.end + MAX_TIME_GAP):
        is_in_front = clock.end <= day.start
        is_other = is_in_front and ("\n" in text[clock.end : day.start] or any(_is_beside(text, clock, each) for each in earlier))
        if not is_other and _is_beside(text, clock, day):
            return True
    return False


def time_on_other_line(text: str, day: Span, clocks: Sequence[TimePlace], dates: Sequence[Span]) -> TimePlace | None:
    """Return a time that may be a day's: each ends a line, with no number between, as "Date: 27.10.2025" above "Time: 14:30"."""
    for clock in _starting(clocks, day.start - MAX_TIME_GAP, day.end + MAX_TIME_GAP):
        first, last = sorted((clock, day), key=_START)
        near = _starting(dates, clock.start - 2 * MAX_TIME_GAP, clock.end + MAX_TIME_GAP)
        is_others = any(_is_beside(text, clock, each) for each in near if not day.start <= each.start < day.end)
        if not is_others and _LINE_BETWEEN.fullmatch(text, first.end, last.start) and _LINE_END.match(text, last.end):
            return clock
    return None


def _starting(places: Sequence[T], low: int, high: int) -> Sequence[T]:
    """Return those of some places, in order, that start within two bounds."""
    return places[bisect_left(places, low, key=_START) : bisect_left(places, high, key=_START)]


def _is_beside(text: str, clock: Span, day: Span) -> bool:
    """Return whether a few words at most stand between a time and a day, as in ``27.10.2025 um 14:30``."""
    # A log has the time in its date: "Oct 27 10:00:00 UTC 2025".
    gap = text[min(clock.end, day.end) : max(clock.start, day.start)]
    return len(gap) <= _MAX_BESIDE or (len(gap.split()) <= _MAX_BESIDE and not _PARTED.search(gap))


def _zone_at(text: str, clock: re.Match[str]) -> tuple[timezone | None, int]:
    """Return the zone behind a time, and where it ends."""
    zone = _ZONE.match(text, clock.end())
    if zone is None or (zone["sign"] == "-" and not clock["s"] and text[clock.start() - 1 : clock.start()] != "T"):
        return None, clock.end()
    offset = timedelta(hours=int(zone["hours"] or 0), minutes=int(zone["minutes"] or 0))
    return timezone(-offset if zone["sign"] == "-" else offset), zone.end()


def _part_of_day(text: str, start: int, end: int) -> str:
    """Return what the words behind a time, or before it, say of the day: ``2:30 de la tarde``, ``下午2:30``."""
    if not ARE_KNOWN:
        return ""
    before, behind = text[max(start - _MAX_PART, 0) : start].casefold(), text[end : end + _MAX_PART].casefold()
    if not any(map(str.isalpha, (before.rstrip(" ")[-1:], behind.lstrip(" ,")[:1]))):
        return ""
    at_once, at_last = _patterns_of_day_parts()
    found = at_once.match(behind) or at_last.search(before)
    return day_parts()[1][day_letters(found[1])] if found else ""


@cache
def _patterns_of_day_parts() -> tuple[re.Pattern[str], re.Pattern[str]]:
    words, _ = day_parts()
    behind = rf"[ ,]{{0,2}}(?:[^\W\d_]{{1,3}}\.? )?({words})(?!\w)"
    return re.compile(behind), re.compile(rf"(?:(?<!\w)|(?<=[^\x00-\u0fff]))({words})\s?\Z")


def _hour_in(part: str, hour: int) -> int:
    """Return an hour of the day from one of a half of it; "11 Uhr mittags" is before noon, and 2 at night is early."""
    first = hour % _HALF_DAY
    is_second = part == "evening" or (part == "noon" and first < _LATE_NOON) or (part == "night" and first >= _EARLY_NIGHT)
    return first + _HALF_DAY * is_second if part else hour
