"""Reads dates in text as people write them, in the languages that Babel knows."""

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from answergraph.evidence.numbers.han_numerals import counted
from answergraph.evidence.texts import language_words
from answergraph.evidence.texts.cldr_names import list_words, month_names
from answergraph.evidence.texts.value_text import ValueText, spoken_words
from answergraph.runtime.extras import extra_needed

_KANJI = "〇零一二三四五六七八九十廿卅百"
_COUNT = rf"(?:[0-9]{{1,2}}|[{_KANJI}]{{1,3}})"
_IN_ROW = r"(?<=,)(?=\d{4}-\d\d-\d\d|\d\d?[-/.]\d\d?[-/.]\d{4}(?!\d))"
# A hyphen, or the slash of ISO 8601, may also end or begin a date of a range; a comma, the column before a whole date.
_FIRST, _LAST = rf"(?:(?<![\d.,/-])|(?<=[/.]\d{{4}}-)|(?<=[/.]\d\d-)|(?<=-\d\d/)|{_IN_ROW})", r"(?![\d/]|[-.]\d)"
_ERAS = {
    "令和": 2018,
    "平成": 1988,
    "昭和": 1925,
    "大正": 1911,
    "明治": 1867,
    "民國": 1911,
    "民国": 1911,
    "R": 2018,
    "H": 1988,
    "S": 1925,
}
"""The years before the first one of Japanese eras, and of the Chinese republic; CLDR has no dates for them in Babel."""
_NUMERIC = re.compile(
    rf"(?=[0-9元{_KANJI}]|{'|'.join(_ERAS)})(?:"  # a quick look first
    rf"{_FIRST}(?P<year>\d{{4}})(?P<ys>[-/.]) ?(?P<m>\d{{1,2}})(?P=ys) ?(?P<d>\d{{1,2}})(?:{_LAST}|(?=/\d{{4}}-))"
    rf"|{_FIRST}(?P<a>\d{{1,2}})(?P<sep>[-/.]) ?(?P<b>\d{{1,2}})(?P=sep) ?(?P<y>\d{{4}}|\d{{2}})"
    rf"(?:{_LAST}|(?=-\d{{1,2}}(?P=sep)\d{{1,2}}(?P=sep)\d))"
    r"|(?<![\w.,/-])(?P<compact>(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))(?=T|(?![\w.,/-]))"
    r"|(?<![\w.,/-])(?P<week>\d{4}-?W\d\d-?[1-7])(?![\w/-])"
    rf"|(?:(?P<era>{'|'.join(_ERAS)}) ?)?(?P<ey>\d{{1,4}}|元|[{_KANJI}]{{1,5}}) ?[年년] ?(?P<em>{_COUNT}) ?[月월]"
    rf" ?(?P<ed>{_COUNT}) ?[日일号號]"
    r"|(?<![\d.,/-])(?P<p>\d{1,2})(?P<psep>[/.]) ?(?P<q>\d{1,2})(?![\d/]|[-.,]\d)"
    rf"|(?<![\d{_KANJI}])(?P<cm>{_COUNT}) ?[月월] ?(?P<cd>{_COUNT}) ?[日일号號])"
)
_BUDDHIST_YEARS = range(2400, 2700)
_HANGUL = re.compile("[가-힣]")
"""Korean begins with the year: ``21. 1. 15.``"""
_YEAR = re.compile(r"\d{4}|\d{2}")
Word = tuple[str, int, int]
"""A word, where it starts, and where it ends."""
Reading = tuple[int | None, int, int]
"""Year, month and day; without a year if the text leaves it out."""
_MONTHS, _LONGEST_MONTH, _SHORT_YEAR, _FULL_YEAR = 12, 31, 2, 4
_YEARS = range(1000, 10000)
_PIVOT = 68
"""The last short year of this century, as ``strptime`` reads it."""
_SURE_LETTERS = 3
_CLOCK_OF_LOG = re.compile(r"(?<=\d )\d\d:\d\d:\d\d(?= )")
"""Stands between the day and the year of a log: "Oct 27 10:00:00 UTC 2025"."""
_JOINED_DATE = re.compile(r"(\d{1,2})([^\W\d_]{3,})(\d{4}|\d\d)")
_RANGE_MARKS = frozenset(("-", "/", *language_words.words("numbers", "to")))  # between the first and the last day of several
_REACH = 4
"""Words between a month's name and its day or year."""
_MAX_GAP_CHARACTERS = 24


@dataclass(frozen=True)
class DatePlace:
    """A date in a text."""

    readings: tuple[Reading, ...]
    """More than one if the text does not decide the order of day and month."""
    start: int
    end: int


def dates_in(searched: ValueText, locale: str | None = None) -> list[DatePlace]:
    """Return the dates of a text, in order."""
    matches = list(_NUMERIC.finditer(searched.text))
    order = _order_of(locale) if locale else None
    orders = {} if order else _orders(matches)
    if order is None and _HANGUL.search(searched.text):
        orders["."] = "ymd"
    places = (_numeric_date(match, order or orders.get(match["sep"] or match["psep"], "")) for match in matches)
    return [place for place in places if place]


def _orders(matches: Iterable[re.Match[str]]) -> dict[str, str]:
    """Return per separator whether the day or the month comes first, where one date of the text shows it."""
    shown: dict[str, set[str]] = {}
    for match in matches:
        first, second = match["a"] or match["p"], match["b"] or match["q"]
        if first and int(first) > _MONTHS >= int(second):
            shown.setdefault(match["sep"] or match["psep"], set()).add("dm")
        elif first and int(second) > _MONTHS >= int(first):
            shown.setdefault(match["sep"] or match["psep"], set()).add("md")
    return {".": "dm", **{separator: orders.pop() for separator, orders in shown.items() if len(orders) == 1}}


@cache
def _order_of(locale: str) -> str:
    with extra_needed("documents", "a mark with locale= on a date"):
        from babel import Locale  # noqa: PLC0415 - an extra

    pattern = str(Locale.parse(locale.replace("-", "_")).date_formats["short"].pattern).lower()
    return "md" if pattern.find("m") < pattern.find("d") else "dm"


def _numeric_date(match: re.Match[str], order: str) -> DatePlace | None:
    part = match.groupdict()
    readings: list[Reading] = []
    if part["psep"] == "." and not match.string.startswith(".", match.end()):
        return None  # a decimal number
    if part["a"] or part["p"]:
        readings = _readings_of_numbers(part, order)
    elif part["compact"]:
        digits = part["compact"]
        readings = [(int(digits[:4]), int(digits[4:6]), int(digits[6:]))]
    elif part["week"]:
        with suppress(ValueError):
            day = date.fromisoformat(part["week"])
            readings = [(day.year, day.month, day.day)]
    elif part["year"]:
        readings = [(int(part["year"]), int(part["m"]), int(part["d"]))]
    elif part["ey"]:
        readings = [(_year_of_era(part["era"], part["ey"]), counted(part["em"]), counted(part["ed"]))]
    else:
        readings = [(None, counted(part["cm"]), counted(part["cd"]))]
    return _date_place(readings, *match.span())


def _readings_of_numbers(part: Mapping[str, str], order: str) -> list[Reading]:
    year = _full_year(part["y"]) if part["y"] else None
    first, second = int(part["a"] or part["p"]), int(part["b"] or part["q"])
    both: dict[str, list[Reading]] = {"md": [(year, first, second)], "dm": [(year, second, first)]}
    if order == "ymd" and part["y"] and len(part["y"]) == _SHORT_YEAR:
        return [(_full_year(part["a"]), second, int(part["y"]))]
    if ordered := both.get("dm" if order == "ymd" else order):
        return ordered
    # With hyphens and a short year, the year may come first.
    is_yearless = part["sep"] != "-" or len(part["y"]) != _SHORT_YEAR
    return [*both["md"], *both["dm"], *([] if is_yearless else [(_full_year(part["a"]), second, int(part["y"]))])]


def _date_place(readings: Iterable[Reading], start: int, end: int) -> DatePlace | None:
    valid: dict[Reading, None] = {}
    for given, month, day in readings:
        year = given - 543 if given is not None and given in _BUDDHIST_YEARS else given
        is_month = (year is None or year in _YEARS) and 1 <= month <= _MONTHS
        if is_month and 1 <= day <= monthrange(year or 2000, month)[1]:
            valid[year, month, day] = None
    return DatePlace(tuple(valid), start, end) if valid else None


def _full_year(digits: str) -> int:
    if len(digits) == _FULL_YEAR:
        return int(digits)
    return int(digits) + (1900 if int(digits) > _PIVOT else 2000)


def _year_of_era(era: str | None, digits: str) -> int:
    count = 1 if digits == "元" else counted(digits)
    return count if era is None or len(digits) == _FULL_YEAR else _ERAS[era] + count


def worded_dates_in(searched: ValueText) -> Iterator[DatePlace]:
    """Yield the dates with a month's name; they cost more to find."""
    text = _CLOCK_OF_LOG.sub(lambda match: " " * len(match.group()), searched.text)
    words = list(_words_in(text))
    named = list(_months_in(words))
    sure = {at for name in named if len(name.word) >= _SURE_LETTERS for at in (name.first, name.last)}
    for name in named:
        beside = [at for at in name.places_beside(len(words)) if at in sure or words[at][0][:1].isdigit()]
        # "October and 27 November" has no day in October; a shorter word may be a month in another language.
        others = [at for at in beside if at in sure]
        if others and len(name.word) < _SURE_LETTERS:
            continue
        around = [at for at in beside if words[at][0][:1].isdigit() and _is_near(text, words, name, at)]
        days = [at for at in around if _day(words[at][0]) and all(name.distance(at) <= abs(at - other) for other in others)]
        yield from _with_month(text, words, name, name.years_in(words, around, sure), days)


def _is_near(text: str, words: Sequence[Word], name: "_Name", at: int) -> bool:
    gap = text[words[min(at, name.last)][2] : words[max(at, name.first)][1]]
    return len(gap) <= _MAX_GAP_CHARACTERS and "\n\n" not in gap


class _Name(NamedTuple):
    """A month's name among the words of a text."""

    word: str
    first: int
    last: int
    months: tuple[int, ...]

    def distance(self, at: int) -> int:
        """Return how many words away another word is."""
        return max(self.first - at, at - self.last)

    def years_in(self, words: Sequence[Word], around: Sequence[int], sure: Set[int]) -> list[int]:
        """Return where its year may be; in two digits only behind it: of "27 de mayo y 28 de mayo", 28 is none."""
        behind = (at for at in around if at > self.last and sure.isdisjoint(range(self.last + 1, 2 * at - self.last + 1)))
        return [*(at for at in around if len(words[at][0]) == _FULL_YEAR), *behind]

    def places_beside(self, count: int) -> list[int]:
        """Return the places around it among so many words."""
        return [*range(max(self.first - _REACH, 0), self.first), *range(self.last + 1, min(self.last + _REACH + 1, count))]


def _months_in(words: Sequence[Word]) -> Iterator[_Name]:
    months, longest, done = month_names(), _longest_names(), 0
    for index in [index for index, (word, *_) in enumerate(words) if word in longest]:
        # Vietnamese names a month by its number, "tháng 10", and Catalan has "d'ag.".
        for count in range(longest[words[index][0]], 0, -1):
            name = " ".join(word for word, *_ in words[index : index + count])
            if index >= done and (numbers := months.get(name)):
                done = index + count
                yield _Name(name, index, min(done, len(words)) - 1, numbers)


@cache
def _longest_names() -> Mapping[str, int]:
    """Return by their first word how many words the names of months have at most."""
    names = sorted((name.split(" ") for name in month_names()), key=len)
    return {name[0]: len(name) for name in names}


def _words_in(text: str) -> Iterator[Word]:
    """Yield the words of a text; a date without spaces, ``27OCT2025``, is three."""
    for word in spoken_words(text):
        joined = _JOINED_DATE.fullmatch(word[0]) if word[0][0].isdigit() else None
        if joined and joined[2] in month_names():
            yield from ((joined[at], word[1] + joined.start(at), word[1] + joined.end(at)) for at in (1, 2, 3))
        else:
            yield word


def _with_month(text: str, words: Sequence[Word], name: _Name, years: list[int], days: list[int]) -> Iterator[DatePlace]:
    for day, joined in _days_of(text, words, name, days):
        low, high = min(day, name.first), max(day, name.last)
        if any(_YEAR.fullmatch(words[at][0]) and len(words[at][0]) == _FULL_YEAR for at in range(low + 1, high)):
            continue  # no language writes "March 2025, 5"
        # The year follows the day and the month, or stands before both; in full it is surely a year.
        outside = [at for at in years if _YEAR.fullmatch(words[at][0]) and not low <= at <= high and at not in joined]
        year = min(outside, key=lambda at: (len(words[at][0]) < _FULL_YEAR, at < name.first, name.distance(at)), default=None)
        number = None if year is None else _full_year(words[year][0])
        parts = [low, high, *([] if year is None else [year])]
        read = ((number, month, _day(words[day][0])) for month in name.months)
        place = _date_place(read, words[min(parts)][1], words[max(parts)][2])
        if place and not _is_common_word(words, name, parts):
            yield place


def _days_of(text: str, words: Sequence[Word], name: _Name, days: Sequence[int]) -> Iterator[tuple[int, set[int]]]:
    """Yield the days nearest to a month's name, and the others of a range or a list with one of them; each with all of those."""
    shortest = min(map(name.distance, days), default=0)
    rows: list[list[int]] = []
    for day in reversed(days):
        is_joined = rows and _stands_before(text, words, day, rows[-1])
        rows.append([day, *(rows.pop() if is_joined else ())])
    for row in rows:
        if shortest in map(name.distance, row):
            yield from ((day, {*row}) for day in row)


def _stands_before(text: str, words: Sequence[Word], day: int, row: Sequence[int]) -> bool:
    """Return whether a day stands before those of a row: ``27.-28.``, ``26, 27 and 28``; of "page 3, 5-7 May", 3 does not."""
    mark, *after = (text[words[one][2] : words[other][1]].strip(" .") for one, other in pairwise((day, *row[:2])))
    is_listed = mark in list_words() or (mark == "," and any(word == "," or word in list_words() for word in after))
    return (is_listed or mark in _RANGE_MARKS) and _day(words[day][0]) < _day(words[row[0]][0])


def _is_common_word(words: Sequence[Word], name: _Name, parts: Sequence[int]) -> bool:
    """Return whether a short name has a longer word between it and the other parts of a date: German "3 des Monats 2021"."""
    beside = (words[at][0] for at in (name.first - 1, name.last + 1) if min(parts) < at < max(parts))
    return len(name.word) <= _SURE_LETTERS and any(len(word) > _SURE_LETTERS and word.isalpha() for word in beside)


def _day(word: str) -> int:
    digits = re.match(r"\d{1,2}(?!\d)", word)
    return int(digits.group()) if digits and int(digits.group()) <= _LONGEST_MONTH else 0
