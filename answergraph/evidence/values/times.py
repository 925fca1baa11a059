"""Reads times of day in text, with their zone and the half of the day that words beside them say."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import time, timedelta, timezone
from functools import cache

from answergraph.evidence.texts.cldr_names import ARE_KNOWN, day_letters, day_parts
from answergraph.evidence.texts.language_words import alternatives
from answergraph.evidence.texts.value_text import ValueText

_HOUR = r"[01]?\d|2[0-4]"
_KANJI = " ?[〇零一二三四五六七八九十廿差]"
_CLOCK = re.compile(
    rf"(?=\d)(?:(?<![\d:.,])(?P<h>{_HOUR})(?: ?[時时시点點] ?(?P<thirty>[半반])"
    r"|(?::| ?(?:[hHч時时시点點]|Uhr|giờ) ?|\.(?=\d\d ?(?:[ap]\.?m|Uhr|h\b)))(?P<m>[0-5]\d) ?[分분]?"
    r"(?:[:m](?P<s>[0-5]\d)(?:[.,](?P<share>\d{1,9}))?)?(?![\d:])(?: ?(?P<half>[AaPp])\.? ?[Mm]\b)?)"
    r"|(?<![\d:.,])(?P<hour>1[0-2]|0?[1-9]) ?(?P<of>[AaPp])\.? ?[Mm]\b"
    rf"|(?<![\d:.,])(?P<full>{_HOUR}) ?(?:Uhr\b|o'clock\b|[時时](?![間间]|{_KANJI})|시(?!간))"
    rf"|(?<=[午前后後]) ?(?P<point>{_HOUR}) ?[点點](?!{_KANJI})"
    rf"|(?<![\d:.,])(?P<hours>{_HOUR}) ?(?:[hHч]|giờ)(?!\w))"
)
"""The words of a full hour are those of CLDR; some of them also count hours: "14 h" is read as both."""
_OFFSET = re.compile(rf"\+ ?\Z|(?<!\w)(?:{alternatives('numbers', 'before_hours')}) \Z", re.IGNORECASE)
_PART_BEHIND = re.compile(rf" (?:{alternatives('numbers', 'behind_hours')})(?!\w)", re.IGNORECASE)
_ZONE = re.compile(
    r" ?(?:(?:Z|UTC|GMT)\b ?)?(?P<sign>[+-])(?P<hours>0\d|1[0-4]):?(?P<minutes>00|15|30|45)?(?![\d:])| ?(?:Z|UTC|GMT)\b"
)
"""The offset of a time; a hyphen begins one behind seconds, or a date that ``T`` joins: "10:30-12:30" are two times."""
_HALF_DAY, _LATE_NOON, _EARLY_NIGHT = 12, 10, 6
_MAX_PART = 24
"""Characters of the words for a part of the day."""


@dataclass(frozen=True)
class TimePlace:
    """A time of day in a text."""

    value: time
    """With its zone, where the text says one."""
    start: int
    end: int
    is_sure: bool = True
    """False if its number may count hours."""

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
        if match.start() < done or _OFFSET.search(text, max(match.start() - _MAX_PART, 0), match.start()):
            continue
        if match["m"] is None and _PART_BEHIND.match(text, match.end()):
            continue
        hour = int(next(filter(None, match.group("h", "hour", "full", "point", "hours"))))
        half = (match["half"] or match["of"] or "").lower()
        if half:
            hour = hour % _HALF_DAY + (0 if half == "a" else _HALF_DAY)
        elif 0 < hour <= _HALF_DAY:
            hour = _hour_in(_part_of_day(text, *match.span()), hour)
        share = int((match["share"] or "0").ljust(6, "0")[:6])
        zone, done = _zone_at(text, match)
        value = time(hour % 24, _minute_of(match), int(match["s"] or 0), share, zone)
        yield TimePlace(value, match.start(), done, is_sure=match["hours"] is None)


def _minute_of(clock: re.Match[str]) -> int:
    return 30 if clock["thirty"] else int(clock["m"] or 0)


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
