"""Checks the claims of an answer against the tool results of its run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from difflib import SequenceMatcher
from itertools import accumulate
from operator import add, sub
from typing import NamedTuple

from answergraph.evidence.claims import Claim
from answergraph.evidence.folding import fold
from answergraph.evidence.marks import FromTools, Quote
from answergraph.evidence.numerals import Number, has_value, numerals, sizes_of
from answergraph.evidence.quotes import NOT_FOUND, Found, places_of_quote
from answergraph.evidence.searched_result import SearchedResult
from answergraph.state.outcome import EvidenceSpan
from answergraph.state.tool_results import ToolRun

_NO_SUCH_NUMBER = "no tool result holds this number"
_ONLY_ECHOED = "the number stands only where a tool repeats what it was called with"
_NOT_FINITE = "it is no number that could stand in a text"
_MAX_PASSAGE_CHARACTERS = 300
_MIN_LIKENESS = 0.5
"""Likeness of a passage that is worth showing, of 1."""
_MAX_SHOWN_CHARACTERS = 200
_MAX_SHOWN_PROBLEMS = 10
_INTRODUCTION = "Your answer is not supported by what the tools of this run returned:"
_ADVICE = (
    "Copy quotes word for word from one place of one tool result, and take numbers from tool results as they are. Your own words "
    "and the user's are no evidence. Call further tools if need be, then answer again."
)


@dataclass(frozen=True)
class Checked:
    """The result of checking an answer's claims, per path of the claim."""

    evidence: dict[str, EvidenceSpan] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    nearest: dict[str, EvidenceSpan] = field(default_factory=dict)
    """The passages that are most like what was not found."""

    @property
    def feedback(self) -> str:
        """The problems in words, for the model."""
        listed = [f"- {path}: {problem}" for path, problem in self.problems.items()]
        more = [f"- and {len(listed) - _MAX_SHOWN_PROBLEMS} more"] if len(listed) > _MAX_SHOWN_PROBLEMS else []
        return "\n".join([_INTRODUCTION, *listed[:_MAX_SHOWN_PROBLEMS], *more, _ADVICE])


def check_claims(claims: Iterable[Claim], runs: Sequence[ToolRun]) -> Checked:
    """Look for the support of each claim in the tool calls that count as evidence, oldest first.

    Nothing is ever supported by likeness: a quote stands in one text of one result, or nowhere.
    """
    # The newest result first: it is the one the model answers by.
    results = [SearchedResult(run) for run in reversed(runs)]
    evidence: dict[str, EvidenceSpan] = {}
    problems: dict[str, str] = {}
    nearest: dict[str, EvidenceSpan] = {}
    for claim in claims:
        found = _find(claim, results)
        if isinstance(found, Found):
            evidence[claim.path] = EvidenceSpan(found.result.run.tool_call_id, found.start, found.end)
        else:
            # Passages that are not shown are not searched for.
            near = results if len(problems) < _MAX_SHOWN_PROBLEMS else []
            problems[claim.path] = _problem(claim, found)
            if isinstance(claim.mark, Quote) and claim.problem is None and (passage := _nearest_passage(fold(claim.value), near)):
                nearest[claim.path] = passage.span
                problems[claim.path] += passage.sentence
    return Checked({path: span for path, span in evidence.items() if path not in problems}, problems, nearest)


def places_of(claim: Claim, result: SearchedResult) -> Iterator[Found | str]:
    """Yield each place where a result supports a claim, and for other places the reason why it does not."""
    if claim.problem is not None:
        yield claim.problem
    elif isinstance(claim.mark, Quote):
        yield from places_of_quote(claim.value, result, claim.mark)
    else:
        yield from _places_of_number(claim.value, result, claim.mark)


def _find(claim: Claim, results: Sequence[SearchedResult]) -> Found | str:
    problem = claim.problem or (NOT_FOUND if isinstance(claim.mark, Quote) else _missing_number(claim.mark))
    for result in results:
        for place in places_of(claim, result):
            if isinstance(place, Found):
                return place
            problem = place
    return problem


def _problem(claim: Claim, problem: str) -> str:
    if claim.value is None:
        return f"{problem}."
    shown = repr(claim.value)
    shown = shown if len(shown) <= _MAX_SHOWN_CHARACTERS else f"{shown[:_MAX_SHOWN_CHARACTERS]}…"
    return f"{shown}: {problem}."


def _places_of_number(wanted: Number, result: SearchedResult, mark: FromTools) -> Iterator[Found | str]:
    """Yield each place of a number in a result, sign included, or the reason why it does not count there."""
    if not Decimal(wanted).is_finite():
        yield _NOT_FINITE
        return
    for part, view in enumerate(result.counted):
        for numeral in numerals(view.text, sizes_of(wanted, mark)):
            if not has_value(numeral, view.text, wanted, mark):
                continue
            if not mark.echoes and result.echoes(part, numeral):
                yield _ONLY_ECHOED
                continue
            start, end = view.span(numeral.start, numeral.end)
            yield Found(result, result.offsets[part] + start, result.offsets[part] + end)


def _missing_number(mark: FromTools) -> str:
    units = ", ".join(unit for unit, _ in mark.units)
    return f"{_NO_SUCH_NUMBER} with a unit of {units}" if units else _NO_SUCH_NUMBER


class _Passage(NamedTuple):
    """A passage of a tool result."""

    sentence: str
    span: EvidenceSpan


def _nearest_passage(quote: str, results: Sequence[SearchedResult]) -> _Passage | None:
    """Return the passage most like a folded quote, in whole words; ``None`` if none is like it."""
    passage, best = None, _MIN_LIKENESS
    for result in results:
        for part, view in enumerate(result.said):
            start = _likeliest_start(quote, view.text)
            found = view.text[start : start + len(quote)]
            likeness = SequenceMatcher(None, quote, found, autojunk=False).ratio()
            if found and likeness > best:
                best, run = likeness, result.run
                low, high = view.span(*_whole_words(view.text, start, start + len(found)))
                text, offset = run.texts[part][low:high][:_MAX_PASSAGE_CHARACTERS], result.offsets[part] + low
                sentence = f" The nearest passage, in the result of {run.name} ({run.tool_call_id}): {text!r}"
                passage = _Passage(sentence, EvidenceSpan(run.tool_call_id, offset, offset + len(text)))
    return passage


def _likeliest_start(quote: str, text: str) -> int:
    """Return where a window of the quote's length has most pairs of characters in common with it; linear in the text."""
    pairs = set(map(add, quote, quote[1:]))
    shared = list(accumulate((pair in pairs for pair in map(add, text, text[1:])), initial=0))
    if len(shared) <= len(quote):
        return 0
    in_window = list(map(sub, shared[len(quote) - 1 :], shared))
    return in_window.index(max(in_window))


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    end = max(end, start + 1)
    start = text.rfind(" ", 0, start + 1) + 1 if not text[start].isspace() else start + 1
    following = text.find(" ", max(end - 1, start))
    return start, max(following if following >= 0 else len(text), start + 1)
