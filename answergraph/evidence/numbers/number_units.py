"""Compares numbers by value, with the units and rounding of a mark."""

import math
import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Protocol

from answergraph.evidence.numbers.numerals import LETTER, Numeral
from answergraph.evidence.texts.folding import fold
from answergraph.evidence.texts.language_words import alternatives
from answergraph.evidence.texts.quote_borders import CURRENCIES, HYPHENS

Number = int | float | Decimal


class NumberMark(Protocol):
    """What a mark says of a number."""

    @property
    def units(self) -> Sequence[tuple[str, float]] | None: ...
    @property
    def rounding(self) -> int | None: ...


_MAX_UNIT_CHARACTERS = 24  # maximum distance of a unit from its number
_MAX_TABLE_CHARACTERS = 4000
"""Maximum distance of a number from its table head or the rest of its JSON object."""
_SLACK = 1e-9
_GLUED = frozenset(f"_%‰°{CURRENCIES}")
_SIZE_OR_UNIT = re.compile(rf"\s?(?:[%‰]|(?:{alternatives('numbers', 'percent')})\b)| ?[mbt]\b", re.IGNORECASE)
_SEPARATOR = r"[\"']?\s?[:=]\s?[\"']?"
_RATE = rf"(?!{LETTER}|[/^*²³·⁻]|[{HYPHENS}][0-9]|\s?/|\sper\b|\s[a-zA-Z]{{1,3}}(?:[{HYPHENS}][0-9]|⁻))"
_CELLS = re.compile(r"[\t;|]|,(?! )|(?<=,) ")
_MIN_OF_A_KEY = "min"
"""As a key, "min" is a minimum, not a minute."""


def sizes_of(wanted: Number, mark: NumberMark) -> list[tuple[float, float]]:
    """Return per unit the bounds, slightly widened, of numbers that may equal the wanted one."""
    room = 0 if mark.rounding is None else 10.0**-mark.rounding
    try:
        size = abs(float(wanted))
    except OverflowError:
        size = math.inf
    factors = [abs(factor) for _, factor in mark.units or () if factor] or [1.0]
    return [((size - room) / factor * (1 - _SLACK), (size + room) / factor * (1 + _SLACK)) for factor in factors]


def has_value(numeral: Numeral, text: str, wanted: Number, mark: NumberMark) -> bool:
    """Return whether a number in a folded text equals the wanted one in the mark's units and rounding."""
    if not mark.units:
        return _is_bare(numeral, text) and is_equal(numeral.value, wanted, mark.rounding)
    factors = [factor for unit, factor in mark.units if _has_unit(numeral, text, unit)]
    return any(is_equal(numeral.value * _exact(factor), wanted, mark.rounding) for factor in factors)


def _is_bare(numeral: Numeral, text: str) -> bool:
    glued, before = text[numeral.end : numeral.end + 1], text[numeral.digits_start - 1 : numeral.digits_start]
    # A letter may be a multiplier or a unit.
    if _SIZE_OR_UNIT.match(text, numeral.end):
        return False
    return not (re.match(LETTER, glued) or glued in _GLUED or before in set(CURRENCIES))


def is_equal(found: Decimal, wanted: Number, rounding: int | None) -> bool:
    """Return whether a number equals the wanted one, or is rounded to it."""
    exact = _exact(wanted)
    if found == exact or (isinstance(wanted, float) and float(found) == wanted):
        return True
    if rounding is None or not exact.is_finite():
        return False
    step = Decimal(1).scaleb(-rounding)
    try:
        # Ties may be rounded either way.
        return exact == exact.quantize(step) and abs(found - exact) * 2 <= step
    except InvalidOperation:
        return False


def _exact(number: Number) -> Decimal:
    return Decimal(repr(float(number))) if isinstance(number, float) else Decimal(number)


def _has_unit(numeral: Numeral, text: str, unit: str) -> bool:
    # m2 is a common spelling of m².
    names = "|".join(re.escape(name) for name in dict.fromkeys((fold(unit), fold(f" {unit}".translate(_PLAIN_POWERS)))))
    after = text[numeral.end : numeral.end + _MAX_UNIT_CHARACTERS]
    if re.match(rf"\s?(?:{names}){_RATE}", after):
        return True
    # A different unit after the number overrides the one before it.
    if re.match(rf"{LETTER}|[%‰°]", after):
        return False
    return _stands_before(numeral, text, names) or _stands_at_head(numeral, text, names) or _stands_beside(numeral, text, names)


_PLAIN_POWERS = str.maketrans("²³", "23")


def _stands_before(numeral: Numeral, text: str, names: str) -> bool:
    """Return whether a unit precedes its number: ``$5``, ``US$5``, ``"duration_ms": 12``."""
    before = text[max(numeral.digits_start - _MAX_UNIT_CHARACTERS, 0) : numeral.digits_start]
    found = re.search(rf"(?:^|[^\w]|_|(?<!\w)US(?=\$))(?:({names})\s?|({names}){_SEPARATOR})[{HYPHENS}]?\Z", before)
    return found is not None and found.group(2) != _MIN_OF_A_KEY


def _stands_at_head(numeral: Numeral, text: str, names: str) -> bool:
    """Return whether the column head names the unit: ``time (ms)``, ``time_ms``, ``[ms]``."""
    low = text.rfind("\n", 0, numeral.start) + 1
    row = text[low : numeral.start]
    head = text[text.rfind("\n\n", 0, low) + 1 : low] if low - _MAX_TABLE_CHARACTERS <= 0 else ""
    first = head.strip("\n").split("\n", 1)[0]
    cells, column = _CELLS.split(first), len(_CELLS.findall(row))
    if not head or column >= len(cells) or len(cells) != len(_CELLS.split(text[low:].split("\n", 1)[0])):
        return False
    return re.search(rf"(?:[(\[]|_| in |, )(?:{names})[)\]]?\s?'?\Z", cells[column].strip(" ")) is not None


def _stands_beside(numeral: Numeral, text: str, names: str) -> bool:
    """Return whether the number's JSON object has the unit as a separate key."""
    low = text.rfind("{", max(numeral.start - _MAX_TABLE_CHARACTERS, 0), numeral.start)
    high = text.find("}", numeral.end, numeral.end + _MAX_TABLE_CHARACTERS)
    inside = text[low + 1 : high] if low >= 0 and high >= 0 else ""
    key = re.search(r"'(\w+)' ?: ?\Z", text[low + 1 : numeral.start]) if inside else None
    if key is None or key.group(1).lower() not in {"value", "amount", "quantity", "duration", "size", "measure"} or "{" in inside:
        return False
    return re.search(rf"'(?:units?|uom|currency)' ?: ?'(?:{names})'", inside) is not None
