"""Checks that a reason quotes the judged work word for word."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from answergraph import Quote, ToolRun
from answergraph.evidence.marks import MIN_QUOTE_COLUMNS
from answergraph.evidence.quotes import Found, places_of_quote
from answergraph.evidence.searched_result import SearchedResult
from answergraph.evidence.texts.folding import fold

_PAIRS = (('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"), ("「", "」"), ("『", "』"), ("‘", "’"), ("`", "`"))
_BETWEEN = "|".join(f"{re.escape(left)}([^{re.escape(left + right)}]+){re.escape(right)}" for left, right in _PAIRS)
_QUOTED = re.compile(rf"{_BETWEEN}|(?<!\w)'([^'\n]+)'(?!\w)")

WITHOUT_QUOTE = "The reason does not quote the work."


@dataclass(frozen=True)
class Grounding:
    """Whether a reason is grounded in the work."""

    spans: tuple[tuple[int, int], ...] = ()
    """The spans of its quotes in the work, in characters."""
    problem: str | None = None


def grounded_in(work: str, reason: str, conditions: Sequence[str]) -> Grounding:
    """Locate a reason's quotes; each must be in the work or a condition, and at least one in the work."""
    # A work shorter than the minimum can be quoted whole.
    mark = Quote(min_length=min(MIN_QUOTE_COLUMNS, len(work)))
    searched = SearchedResult(ToolRun("work", "work", {}, (work,)))
    named = [fold(condition) for condition in conditions]
    spans: list[tuple[int, int]] = []
    for match in _QUOTED.finditer(reason):
        quote = match[match.lastindex or 0]
        places = list(places_of_quote(quote, searched, mark))
        found = next((place for place in places if isinstance(place, Found)), None)
        if found is not None:
            spans.append((found.start, found.end))
        elif not any(fold(quote) in condition for condition in named):
            why = next((place for place in places if isinstance(place, str)), "it is not in the work word for word")
            return Grounding(problem=f"The reason quotes {quote!r}, but {why}.")
    return Grounding(tuple(spans)) if spans else Grounding(problem=WITHOUT_QUOTE)
