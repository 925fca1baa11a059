"""Checks that a reason quotes the judged work word for word."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from answergraph import Quote
from answergraph.kit import locate

_PAIRS = (('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"), ("「", "」"), ("『", "』"), ("‘", "’"), ("`", "`"))
_BETWEEN = "|".join(f"{re.escape(left)}([^{re.escape(left + right)}]+){re.escape(right)}" for left, right in _PAIRS)
_QUOTED = re.compile(rf"{_BETWEEN}|(?<!\w)'([^'\n]+)'(?!\w)")

_STRAIGHT = str.maketrans("‘’“”", "''\"\"")
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
    mark = Quote(min_length=min(Quote().min_length, len(work)))
    spans: list[tuple[int, int]] = []
    for match in _QUOTED.finditer(reason):
        quote = match[match.lastindex or 0]
        record = locate(quote, mark, [work])
        if record["status"] == "supported":
            evidence = record["evidence"][0]
            spans.extend((evidence["place"][0] + start, evidence["place"][0] + end) for start, end in evidence["marks"][:1])
        elif not any(_plain(quote) in _plain(condition) for condition in conditions):
            missing = f"The reason quotes {quote!r}, but it is not in the work word for word."
            return Grounding(problem=missing if record["status"] == "not_found" else f"The reason's quote: {record['problem']}")
    return Grounding(tuple(spans)) if spans else Grounding(problem=WITHOUT_QUOTE)


def _plain(text: str) -> str:
    return " ".join(text.translate(_STRAIGHT).casefold().split())
