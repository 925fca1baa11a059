"""Where an answer's number stands in the tool results."""

from __future__ import annotations

from decimal import Decimal

from answergraph.nodes.evidence.marks import FromTools
from answergraph.nodes.evidence.numerals import Number, has_value, numerals, sizes_of
from answergraph.nodes.evidence.quotes import Found
from answergraph.nodes.evidence.searched_result import SearchedResult

NO_SUCH_NUMBER = "no tool result holds this number"
ONLY_ECHOED = "the number stands only where a tool repeats what it was called with"
NOT_FINITE = "it is no number that could stand in a text"


def find_number(wanted: Number, results: list[SearchedResult], mark: FromTools) -> Found | str:
    """Find a number in the results; the newest result that holds it counts.

    Args:
        wanted: The answer's number.
        results: What may support it, oldest first.
        mark: Says which units count and how far the answer may be rounded.

    Returns:
        Where it stands, its sign included, or why it does not count.
    """
    if not Decimal(wanted).is_finite():
        return NOT_FINITE
    problem = _missing(mark)
    for result in reversed(results):
        found = _found_in(result, wanted, mark)
        if isinstance(found, Found):
            return found
        problem = found or problem
    return problem


def _found_in(result: SearchedResult, wanted: Number, mark: FromTools) -> Found | str | None:
    problem = None
    for part, view in enumerate(result.said):
        for numeral in numerals(view.text, sizes_of(wanted, mark)):
            if not has_value(numeral, view.text, wanted, mark):
                continue
            if not result.echoes(part, numeral):
                start, end = view.span(numeral.start, numeral.end)
                return Found(result, result.offsets[part] + start, result.offsets[part] + end)
            problem = ONLY_ECHOED
    return problem


def _missing(mark: FromTools) -> str:
    units = ", ".join(unit for unit, _ in mark.units)
    return f"{NO_SUCH_NUMBER} with a unit of {units}" if units else NO_SUCH_NUMBER
