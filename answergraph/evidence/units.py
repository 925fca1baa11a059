"""Shows a place in a source: the lines that it stands in, with the place marked."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from answergraph.evidence.numbers.number_words import BOUND_BEFORE
from answergraph.evidence.searched_result import SearchedResult
from answergraph.evidence.texts.line_breaks import lines_around
from answergraph.state.field_record import Evidence, Pair

MAX_CHARACTERS_AROUND = 300
"""Maximum characters of a unit beside its marks."""

MASK = "\ufffd"
"""Stands for each character that a middleware removed and no evidence names."""

_CUT = "…"
_NOWHERE: tuple[int, Mapping[str, Any]] = (0, {})
_MAX_BOUND_CHARACTERS = 32
_ADDRESSES, _TITLES = ("url", "uri", "source"), ("title", "filename")
"""Where providers and document loaders have the address and the title of a source."""


def evidence_at(result: SearchedResult, spans: Sequence[Pair]) -> Evidence:
    """Return the evidence for places in one text of a result; two places are the parts of a quote with an ellipsis."""
    run = result.run
    first, last = spans[0][0], spans[-1][1]
    if run.shown is not None and not result.is_shown:
        # A middleware removed words of this result, and evidence must not show them again.
        start, end = first, last
        unit = "".join(run.text[slice(*span)] + MASK * (spans[-1][0] - spans[0][1]) for span in spans)[: end - start]
    else:
        start, end, unit = _unit(result, first, last)
    at, about = next(((low, about) for low, high, about in run.sources if low <= first and spans[0][1] <= high), _NOWHERE)
    # Pairs are lists, as after a checkpoint.
    stale = {"overruled_by": run.overruled_by} if run.overruled_by else {}
    evidence: Any = {
        "source": {"kind": run.kind, "id": run.tool_call_id, "name": run.name, **_named(about), **stale},
        "unit": unit,
    }
    evidence |= {"marks": [[low - start, high - start] for low, high in spans], "place": [start, end]}
    page = about.get("page")
    # The document loaders of LangChain count from 0.
    evidence |= {"page": page + 1} if isinstance(page, int) else {}
    found: Evidence = evidence | _boxes(about.get("words", ()), [(low - at, high - at) for low, high in spans])
    return found


def _boxes(words: Sequence[Sequence[float]], spans: Sequence[Pair]) -> Any:
    """Return the box of the words in some spans of a page, and one per line where there are several."""
    lines: list[list[float]] = []
    for start, end, *edges in words:
        if not any(start < high and low < end for low, high in spans):
            continue
        box = list(edges)
        # Beside the word before it: on the same line.
        is_beside = lines and box[1] < lines[-1][3] and lines[-1][1] < box[3] and lines[-1][0] <= box[0]
        lines[-1:] = [_around([lines[-1], box])] if is_beside else [*lines[-1:], box]
    several = {"boxes": lines} if len(lines) > 1 else {}
    return {"box": _around(lines), **several} if lines else {}


def _around(boxes: Sequence[Sequence[float]]) -> list[float]:
    left, top, right, bottom = zip(*boxes, strict=True)
    return [min(left), min(top), max(right), max(bottom)]


def _unit(result: SearchedResult, first: int, last: int) -> tuple[int, int, str]:
    """Return the place and text of the sentence or row around a span, in whole lines; what is cut off a long line is ``…``."""
    text = result.run.text
    low, high = next(((low, high) for low, high in pairwise(result.offsets) if low <= first < high), (0, len(text)))
    # "less than" above a number makes it a bound.
    bound = BOUND_BEFORE.search(text, max(first - _MAX_BOUND_CHARACTERS, low), first) if text[first:last][:1].isdigit() else None
    line_start, line_end = lines_around(text, bound.start() if bound else first, last, low, high)
    before, after = first - line_start, line_end - last
    start = first - min(before, max(MAX_CHARACTERS_AROUND - after, MAX_CHARACTERS_AROUND // 2))
    end = last + min(after, max(MAX_CHARACTERS_AROUND - before, MAX_CHARACTERS_AROUND // 2))
    # One character for one, so that a place in the unit is a place in the text.
    head, tail = _CUT if start > line_start else text[start:first][:1], _CUT if end < line_end else text[last:end][-1:]
    return start, end, head + text[start + len(head) : end - len(tail)] + tail


def _named(about: Mapping[str, object]) -> dict[str, str]:
    names = {"title": _TITLES, "url": _ADDRESSES}
    return {name: next(str(about[key]) for key in keys if key in about) for name, keys in names.items() if about.keys() & {*keys}}


def is_unit_of(evidence: Evidence, text: str) -> bool:
    """Return whether a unit is what a text has at its place, but for what is cut off or removed."""
    unit, (start, end) = evidence["unit"], evidence["place"]
    there = text[start:end]
    cut = {number for number in (0, len(unit) - 1) if unit[number : number + 1] == _CUT}
    is_same = all(one in {other, MASK} or number in cut for number, (one, other) in enumerate(zip(unit, there, strict=False)))
    return not unit or (is_same and len(unit) == len(there))
