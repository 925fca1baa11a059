"""Finds what is written with several numbers and is one thing: a card, an account, a telephone, a code, an angle, a month."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import NamedTuple

from answergraph.evidence.texts.language_words import alternatives

_NUMBER = r"[0-9]+(?:[.,][0-9]+)*"
_SHAPES = re.compile(
    # A quick look first, because few characters begin one.
    r"(?=[0-9]|\+[0-9]|\([0-9]|[A-Z]{2}[0-9]{2} | [0-9]+!)(?:"
    # A ratio, an angle, feet and inches.
    r"(?<![\w.,:/-])[0-9]+:[0-9]+(?![\w:])"
    r"|(?<![0-9])[0-9]+ ?[°′'](?: ?[0-9]+(?:[.,][0-9]+)? ?[′″'\"]{1,2})+"
    # Telephones with the code of a country or in brackets.
    r"|\+[0-9]{1,3}(?: ?\([0-9]+\) ?[0-9]+|[ /.-][0-9]+)(?:[ /.-][0-9]{2,})+(?![.,]?[0-9])"
    r"|(?:[0-9] )?\([0-9]{2,5}\) ?[0-9]{2,}(?:-[0-9]{2,})+(?![0-9-])"
    # An IBAN in its groups.
    r"|(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,3})?(?![A-Za-z0-9])"
    # Factorials, beside another sign of mathematics: "only 5!" is none.
    r"|(?<![\w.,])[0-9]+!(?= ?[-=+*/^(·×!)]|[0-9])|(?<=[=+*/^(·×!])[ ]?[0-9]+!"
    # Tenths and hundredths of Japanese; a month, and the year of an era; a year itself is a number.
    r"|[0-9]+割[0-9]+分(?:[0-9]+厘)?"
    r"|(?<![0-9])[0-9]{1,2} ?[月월]|(?<=[和成正治國国])[0-9]{1,3} ?年"
    r"|(?<![\w.,/-])(?:0?[1-9]|1[0-2])(?=[-/](?:19|20)[0-9]{2}(?![\w/-]))"
    # A longer name: "2.0.0-beta.4", "AB-12-34", "FY2024/25"; of "27.X.2025" the year is a number. A word may be a unit: "5-day".
    r"|(?<![0-9])[0-9]+(?:(?:[.+-][^\W\d_]\w{0,31}){1,4}(?:(?=[.-](?:19|20)[0-9]{2}(?!\w))|[.+-][0-9]+(?!\w)))+"
    r"|(?<=[^\W\d_]-)[0-9]+(?:-[0-9]+)+(?!\w)"
    r"|(?<=[^\W\d_]\.)[0-9]+(?=\.[^\W\d_])|(?<=[A-Za-z])[0-9]+(?:/(?!(?:19|20)[0-9]{2}(?![0-9]))[0-9]+)+(?![\w/]))"
)
_TIGHT = re.compile(rf"(?<![A-Za-z0-9.,:]){_NUMBER}(?:([-/]){_NUMBER})+(?![0-9])")
"""Numbers joined by hyphens or slashes."""
_TIGHT_IN_CELLS = re.compile(_TIGHT.pattern.replace(".,", "."))
"""A comma is the border of a cell."""
_SPACED = re.compile(r"(?<![\w.,:/-])[0-9]+(?: [0-9]+)+(?![\w:/-])")
"""Numbers with one space between them."""
_PAIR_BEFORE = re.compile(r"[:=#] ?\Z")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_SEASON = re.compile(r"(?:19|20)[0-9]{2}[-/](?:[0-9]{2}|(?:19|20)[0-9]{2})")
_GROUPS = re.compile(r"[0-9]+([.,])[0-9]+\1")
"""In ``123.456.789-10`` no range ends, since it would be written alike."""
_ZERO_IN_FRONT = re.compile("0[0-9]+")
_CODE_GROUPS = 3
_MIN_CODE_GROUP, _MIN_CODE = 3, 7
"""Digits of a code, and of each part of one in two parts; fewer may be a range or two cells of a row."""
_CARD_GROUP, _MIN_CARD = 4, 12
_TELEPHONE = {3, 4}
"""Digits of the two parts of a telephone without the code of its town."""
_CLOSE = 0.1
"""The difference of a range, as a share of its first number, that two parts of a telephone seldom have: pages 998-1004."""
_CALLED, _LOOK = re.compile(rf"(?<![^\W\d_])(?:{alternatives('numbers', 'telephones')})(?![^\W\d_])[^\n\d]*\Z", re.IGNORECASE), 24
_GROUP = 3
"""Digits of a group of a large number."""
_ISBN = re.compile(r"97[89][0-9]{10}")


class Whole(NamedTuple):
    """A place that may hold several numbers and none of them alone."""

    start: int
    end: int
    is_sure: bool = True
    """False if it may as well be several numbers."""


class Places:
    """Spans of a text, which may overlap."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        spans = sorted(spans)
        self._starts = [start for start, _ in spans]
        self._furthest = list(accumulate((end for _, end in spans), max))

    def hold(self, start: int, end: int) -> bool:
        """Return whether a span lies within one of them."""
        at = bisect_right(self._starts, start)
        return at > 0 and self._furthest[at - 1] >= end


def wholes_in(text: str, *, has_cells: bool = False) -> Iterator[Whole]:
    """Yield the places where numbers are parts of one thing; those of several patterns may overlap."""
    yield from (Whole(*match.span()) for match in _SHAPES.finditer(text))
    for match in (_TIGHT_IN_CELLS if has_cells else _TIGHT).finditer(text):
        if _is_code(match):
            # Of "2024/25" the year is a number.
            year = _YEAR.match(text, match.start()) if _SEASON.fullmatch(match.group()) else None
            yield Whole(year.end() if year else match.start(), match.end())
        elif _may_be_telephone(match):
            yield Whole(*match.span(), is_sure=False)
    for match in _SPACED.finditer(text):
        groups, end = match.group().split(" "), match.end()
        if re.match(r"[.,][0-9]", text[end : end + 2]):
            end -= len(groups.pop()) + 1  # the last one is a decimal number of its own
        if _has_zero_in_front(groups) or _ISBN.fullmatch("".join(groups)):
            yield Whole(match.start(), end)
        elif _may_be_code(groups, is_value=_PAIR_BEFORE.search(text, max(match.start() - 2, 0), match.start()) is not None):
            yield Whole(match.start(), end, is_sure=False)


def _is_code(match: re.Match[str]) -> bool:
    """Return whether joined numbers are one code: three, one of a version, or two that are no range."""
    groups = re.split("[-/]", match.group())
    if len(groups) >= _CODE_GROUPS or any(re.search(r"[.,][0-9]+[.,](?![0-9]{3}(?![0-9]))", group) for group in groups):
        return True
    first, second = groups
    has_zero = any(map(_ZERO_IN_FRONT.fullmatch, groups))
    if not (first.isdigit() and second.isdigit()):
        return has_zero or (_GROUPS.match(first) is not None and second.isdigit())
    is_long = min(len(first), len(second)) >= _MIN_CODE_GROUP
    is_season = _SEASON.fullmatch(match.group()) is not None and len(second) < len(first)
    return has_zero or is_season or match[1] == "/" or (is_long and int(second) < int(first))


def _may_be_telephone(match: re.Match[str]) -> bool:
    """Return whether two joined numbers may be one of a telephone, such as 555-1234; round or close ones are a range."""
    groups = match.group().split("-")
    lengths = {len(group) for group in groups if group.isdigit()}
    if lengths != _TELEPHONE or all(group.endswith("0") for group in groups):
        return False
    is_close = 0 < int(groups[1]) - int(groups[0]) <= int(groups[0]) * _CLOSE
    return not is_close or _CALLED.search(match.string, max(match.start() - _LOOK, 0), match.start()) is not None


def _has_zero_in_front(groups: list[str]) -> bool:
    """Return whether a part of a row begins with a zero, as no number does; three digits may go on with a number in groups."""
    zeros = [
        at
        for at, group in enumerate(groups)
        if group.startswith("0") and len(group) > 1 and (at == 0 or len(group) != _GROUP or len(groups[at - 1]) > _GROUP)
    ]
    is_long = len("".join(groups)) >= _MIN_CODE
    return bool(zeros) and is_long and (min(map(len, groups)) > 1 or len(groups) > _CARD_GROUP)


def _may_be_code(groups: list[str], *, is_value: bool) -> bool:
    """Return whether a row of numbers may be a card or an account: long parts, or the whole value of a pair in equal parts."""
    if all(map(_YEAR.fullmatch, groups)) or len(groups) < _CODE_GROUPS:
        return False
    lengths = {len(group) for group in groups}
    is_card = min(lengths) >= _CARD_GROUP and len("".join(groups)) >= _MIN_CARD
    is_grouped = len(groups[0]) <= _GROUP and {len(group) for group in groups[1:]} == {_GROUP}
    return is_card or (is_value and min(lengths) > 1 and not is_grouped)
