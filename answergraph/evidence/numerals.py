"""Reads the numbers in a text, and compares them with an answer's number."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from answergraph.evidence.folding import fold
from answergraph.evidence.marks import FromTools
from answergraph.evidence.quote_borders import CLINGING, CURRENCIES, HYPHENS

Number = int | float | Decimal

_RUN = re.compile(r"(?<![\w.])\.[0-9]+|[0-9][0-9.,_']*[0-9]|[0-9]")
"""Digits and the marks that may group them; a number only as a whole."""
# A group never begins with a nought: the comma of "0,250" is a decimal one.
_PLAIN = re.compile(r"[0-9]*\.[0-9]+|[0-9]+|[1-9][0-9]{0,2}(?:(?:,[0-9]{3})+|(?:_[0-9]{3})+)(?:\.[0-9]+)?")
_EXPONENT = re.compile(r"[eE][+-]?[0-9]{1,3}(?!\w|\.[0-9])")
_MAX_BEFORE_CHARACTERS = 3
_JOINED_BEFORE = re.compile(rf"(?:[\w.√٫٬·]|\S[{CLINGING}]|[0-9][,'/:]|\w[{HYPHENS}+]|[{HYPHENS}+±/][{HYPHENS}+±]|±)$")
_POWER_BEFORE = re.compile(r"(?:[\w)]\s?\*\*|\^)\s?$")
_MAX_POWER_CHARACTERS = 5
_JOINED_AFTER = re.compile(
    rf"[{HYPHENS}/:,.'٫٬·][0-9]|[\u00b2\u00b3\u00b9\u2070-\u2079\u00bc-\u00be{CLINGING}]"
    r"|\s?\^|\s?\*\*\s?[0-9(]|\*\*\w|!(?:[\w!]|\s?[=+*/^)-])"
    r"|\s(?:hundred|thousand|[mb]illion|trillion)s?\b",
    re.IGNORECASE,
)
_AMBIGUOUS_SIGN = re.compile(rf"(?:^|[^\w)\]\s])\s*[{HYPHENS}]\s+$|^\s*[{HYPHENS}]\s+$")
_NEGATIVE = re.compile(rf"[{HYPHENS}]$")
_MAX_UNIT_CHARACTERS = 24
"""Distance from a number within which a unit is looked for."""
_SLACK = 1e-9
_GLUED = frozenset(f"_%‰°{CURRENCIES}")
_KEY = re.compile(r"'([^']+)' ?: ?'?$")
_MAX_KEY_CHARACTERS = 80
_SEPARATOR = r"[\"']?\s?[:=]\s?[\"']?"


@dataclass(frozen=True)
class Numeral:
    """One number in a text."""

    value: Decimal
    start: int
    """In the text, with the sign."""
    end: int


def numerals(text: str, sizes: Sequence[tuple[float, float]] | None = None) -> Iterator[Numeral]:
    """Yield the numbers of a folded text, in order.

    Parts of words, dates, versions, addresses, ranges and powers are no numbers; ``1,234`` is 1234, ``1.234`` slightly more than
    one. With ``sizes``, pairs of bounds, only numbers within one of them are read.

    Example:
        >>> [str(n.value) for n in numerals("v1.2.3 took 1,234.5 ms, not -7, on 2026-11-20")]
        ['1234.5', '-7']
    """
    for run in _RUN.finditer(text):
        start, end = run.span()
        if sizes is not None and text[end : end + 1] not in {"e", "E"} and not _has_size(run.group(), sizes):
            continue
        numeral = _numeral_at(text, start, end)
        if numeral is not None:
            yield numeral


def _has_size(digits: str, sizes: Sequence[tuple[float, float]]) -> bool:
    try:
        size = float(digits.replace(",", ""))
    except ValueError:
        return False
    return any(low <= size <= high for low, high in sizes)


def _numeral_at(text: str, start: int, end: int) -> Numeral | None:
    before = text[max(start - _MAX_BEFORE_CHARACTERS, 0) : start]
    negative = _NEGATIVE.search(before) is not None
    if _PLAIN.fullmatch(text, start, end) is None or _JOINED_BEFORE.search(before) or _AMBIGUOUS_SIGN.search(before):
        return None
    if _POWER_BEFORE.search(text[max(start - _MAX_POWER_CHARACTERS, 0) : start]):
        return None
    exponent = _EXPONENT.match(text, end)
    end = exponent.end() if exponent else end
    if _JOINED_AFTER.match(text, end):
        return None
    digits = text[start:end].replace(",", "").replace("_", "")
    return Numeral(-Decimal(digits) if negative else Decimal(digits), start - negative, end)


def sizes_of(wanted: Number, mark: FromTools) -> list[tuple[float, float]]:
    """Return per unit the bounds, slightly wider than exact, of the numbers that may stand for a wanted one."""
    room = 0 if mark.rounding is None else 10.0**-mark.rounding
    try:
        size = abs(float(wanted))
    except OverflowError:
        size = math.inf
    factors = [abs(factor) for _, factor in mark.units if factor] or [1.0]
    return [((size - room) / factor * (1 - _SLACK), (size + room) / factor * (1 + _SLACK)) for factor in factors]


def has_value(numeral: Numeral, text: str, wanted: Number, mark: FromTools) -> bool:
    """Return whether a number in a folded text is the wanted one, in the units and with the rounding of the mark."""
    if not mark.units:
        glued = text[numeral.end : numeral.end + 1]
        before = text[numeral.start - 1 : numeral.start]
        is_bare = not (glued.isalnum() or glued in _GLUED or before in set(CURRENCIES))
        return is_bare and _equal(numeral.value, wanted, mark.rounding)
    factors = [factor for unit, factor in mark.units if _has_unit(numeral, text, unit)]
    return any(_equal(numeral.value * _exact(factor), wanted, mark.rounding) for factor in factors)


def key_before(numeral: Numeral, text: str) -> str | None:
    """Return the key right before a number in folded JSON, ``None`` if there is none."""
    match = _KEY.search(text[max(numeral.start - _MAX_KEY_CHARACTERS, 0) : numeral.start])
    return match and match.group(1)


def numbers_in(value: object, key: str | None = None) -> Iterator[tuple[str | None, Decimal]]:
    """Yield every number in a JSON value, also in its strings, with its key."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield key, _exact(value)
    elif isinstance(value, str):
        yield from ((key, numeral.value) for numeral in numerals(value))
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from numbers_in(name)
            yield from numbers_in(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from numbers_in(item, key)


def _equal(found: Decimal, wanted: Number, rounding: int | None) -> bool:
    exact = _exact(wanted)
    if found == exact or (isinstance(wanted, float) and float(found) == wanted):
        return True
    if rounding is None or not exact.is_finite():
        return False
    step = Decimal(1).scaleb(-rounding)
    try:
        # A tie may be rounded either way.
        return exact == exact.quantize(step) and abs(found - exact) * 2 <= step
    except InvalidOperation:
        return False


def _exact(number: Number) -> Decimal:
    return Decimal(repr(float(number))) if isinstance(number, float) else Decimal(number)


def _has_unit(numeral: Numeral, text: str, unit: str) -> bool:
    after = text[numeral.end : numeral.end + _MAX_UNIT_CHARACTERS]
    before = text[max(numeral.start - _MAX_UNIT_CHARACTERS, 0) : numeral.start]
    name = re.escape(fold(unit))
    if re.match(rf"\s?{name}(?![\w/^*²³·]|[{HYPHENS}][0-9])", after):
        return True
    # "$5" and "duration_ms": 12; a following unit of another name decides against the one before.
    follows_other = re.match(r"[^\W\d_]|[%‰°]", after)
    return not follows_other and re.search(rf"(?:^|[^\w]|_)({name}\s?|{name}{_SEPARATOR})$", before) is not None
