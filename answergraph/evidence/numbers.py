"""Finds an answer's number in the tool results."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from answergraph.evidence.marks import FromTools
from answergraph.evidence.numerals import Number, has_value, numerals, sizes_of
from answergraph.evidence.quotes import Found
from answergraph.evidence.searched_result import SearchedResult

NO_SUCH_NUMBER = "no tool result holds this number"
ONLY_ECHOED = "the number stands only where a tool repeats what it was called with"
NOT_FINITE = "it is no number that could stand in a text"


def places_of_number(wanted: Number, result: SearchedResult, mark: FromTools) -> Iterator[Found | str]:
    """Yield each place of a number in a result, sign included, or the reason why it does not count there."""
    if not Decimal(wanted).is_finite():
        yield NOT_FINITE
        return
    for part, view in enumerate(result.counted):
        for numeral in numerals(view.text, sizes_of(wanted, mark)):
            if not has_value(numeral, view.text, wanted, mark):
                continue
            if not mark.echoes and result.echoes(part, numeral):
                yield ONLY_ECHOED
                continue
            start, end = view.span(numeral.start, numeral.end)
            yield Found(result, result.offsets[part] + start, result.offsets[part] + end)


def missing_number(mark: FromTools) -> str:
    units = ", ".join(unit for unit, _ in mark.units)
    return f"{NO_SUCH_NUMBER} with a unit of {units}" if units else NO_SUCH_NUMBER
