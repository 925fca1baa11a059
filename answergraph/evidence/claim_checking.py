"""Checks the claims of an answer against the run's tool results."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from difflib import SequenceMatcher
from itertools import accumulate
from operator import add, sub
from typing import Any

from answergraph.evidence.claims import Claim, claims_by_path, claims_of
from answergraph.evidence.marks import FromTools, Mark, Quote
from answergraph.evidence.number_units import Number, has_value, sizes_of
from answergraph.evidence.numbers.numerals import Numeral, numerals
from answergraph.evidence.quotes import NOT_FOUND, Found, Span, places_of_quote, places_shown, says_nothing_around
from answergraph.evidence.searched_result import SearchedResult
from answergraph.evidence.texts.folding import fold
from answergraph.evidence.written_words import WrittenWords
from answergraph.state.tool_results import ToolRun

_NO_SUCH_NUMBER = "no tool result holds this number"
_ONLY_ECHOED = "the number occurs only where a tool repeats its arguments"
_NOT_FINITE = "it is not a finite number"
_MAX_PASSAGE_CHARACTERS = 300
_MIN_LIKENESS = 0.5
"""Minimum similarity, from 0 to 1, of a passage that is shown."""
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

    evidence: dict[str, Span] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    passages: dict[str, str] = field(default_factory=dict)
    """The passages of the results, for quotes marked with ``rewrite=True``."""
    nearest: dict[str, Span] = field(default_factory=dict)
    """The passages most similar to quotes that were not found."""

    @property
    def feedback(self) -> str:
        """The problems in words, for the model."""
        listed = [f"- {path}: {problem}" for path, problem in self.problems.items()]
        more = [f"- and {len(listed) - _MAX_SHOWN_PROBLEMS} more"] if len(listed) > _MAX_SHOWN_PROBLEMS else []
        return "\n".join([_INTRODUCTION, *listed[:_MAX_SHOWN_PROBLEMS], *more, _ADVICE])


def check_evidence(
    answer: Any, sources: Sequence[ToolRun], *, marks: Mapping[str, Mark] | None = None, declared: Any = None
) -> Checked:
    """Check an answer of any agent against the results of its tools, by the rules of ``GroundedAnswer``.

    Args:
        answer: A value whose type has marks (a Pydantic model, a dataclass), or a mapping with ``declared`` or ``marks``.
        sources: The calls of the run with their results, oldest first. The arguments of a call count as the model's
            own words from then on; a call with ``counts=False`` supports nothing.
        marks: The marks by the path of their field, ``{"findings[0].quote": Quote()}``, for a value that has none.
        declared: The type with the marks, for a value that does not carry them.

    Returns:
        The ``evidence`` and the ``problems`` by field path, and the problems as ``feedback`` for a model.

    Example:
        >>> from answergraph import Quote, ToolRun
        >>> run = ToolRun("call_1", "read_log", {"path": "app"}, ("12:03 the disk is full",))
        >>> check_evidence({"why": "the disk is full"}, [run], marks={"why": Quote()}).evidence
        {'why': EvidenceSpan(tool_call_id='call_1', start=6, end=22)}
    """
    return check_claims(claims_of(answer, declared) if marks is None else claims_by_path(answer, marks), sources)


def may_support(run: ToolRun) -> bool:
    return run.succeeded and run.counts and bool(run.text)


def check_claims(claims: Iterable[Claim], runs: Sequence[ToolRun]) -> Checked:
    """Search the tool calls of a run, oldest first, for support of each claim.

    Arguments that the model wrote support nothing. Similarity is not support: a quote that is not in one text of one result is
    unsupported.
    """
    written = WrittenWords(runs)
    # The newest result comes first: the model most likely answered from it.
    results = [SearchedResult(run, written, place) for place, run in enumerate(runs) if may_support(run)][::-1]
    kinds = dict.fromkeys(kind for run in runs for kind in run.unread)
    unread = f" There is also what holds no text to quote, and supports nothing: {', '.join(kinds)}." if kinds else ""
    checked = Checked()
    for claim in claims:
        found = _find(claim, results)
        if isinstance(found, Found):
            checked.evidence[claim.path] = found.evidence
            if isinstance(claim.mark, Quote) and claim.mark.rewrite:
                checked.passages[claim.path] = found.passage
        else:
            # Search only for passages that are shown.
            near = results if len(checked.problems) < _MAX_SHOWN_PROBLEMS else []
            checked.problems[claim.path] = _problem(claim, found) + unread
            if isinstance(claim.mark, Quote) and claim.problem is None and (passage := _nearest_passage(fold(claim.value), near)):
                checked.nearest[claim.path] = passage.evidence
                run = passage.result.run
                place = f" The nearest passage, in the result of {run.name} ({run.tool_call_id}): {passage.passage!r}"
                checked.problems[claim.path] += place
    return replace(checked, evidence={path: span for path, span in checked.evidence.items() if path not in checked.problems})


def _find(claim: Claim, results: Sequence[SearchedResult]) -> Found | str:
    if claim.problem is not None:
        return claim.problem
    problem = NOT_FOUND if isinstance(claim.mark, Quote) else _missing_number(claim.mark)
    for result in results:
        for place in _places(claim, result):
            if isinstance(place, Found):
                return place
            problem = place
    return problem


def _places(claim: Claim, result: SearchedResult) -> Iterator[Found | str]:
    """Yield each place that supports a claim, and for other places the reason against it."""
    if isinstance(claim.mark, Quote):
        yield from places_of_quote(claim.value, result, claim.mark)
        yield from places_shown(claim.value, result, claim.mark)
    else:
        yield from _places_of_number(claim.value, result, claim.mark)


def _problem(claim: Claim, problem: str) -> str:
    if claim.value is None:
        return f"{problem}."
    shown = repr(claim.value)
    shown = shown if len(shown) <= _MAX_SHOWN_CHARACTERS else f"{shown[:_MAX_SHOWN_CHARACTERS]}…"
    return f"{shown}: {problem}."


def _places_of_number(wanted: Number, result: SearchedResult, mark: FromTools) -> Iterator[Found | str]:
    """Yield each place of a number in a result, sign included, or the reason against it."""
    if not Decimal(wanted).is_finite():
        yield _NOT_FINITE
        return
    for part in range(len(result.run.texts)):
        view = result.counted(part, mark.locale)
        for numeral in numerals(view.text, sizes_of(wanted, mark), mark.locale):
            if not has_value(numeral, view.text, wanted, mark):
                continue
            if not mark.echoes and is_echoed(numeral, view.text, result):
                yield _ONLY_ECHOED
                continue
            start, end = view.span(numeral.start, numeral.end)
            yield Found(result, result.offsets[part] + start, result.offsets[part] + end)


_LOOK_CHARACTERS = 80
_KEY = re.compile(r"'([^'\n]+)' ?: ?'?\Z")


def is_echoed(numeral: Numeral, text: str, result: SearchedResult) -> bool:
    """Return whether a number only repeats the model's words: it is beside the same word, or nothing else is around it.

    Equal digits in an argument alone do not make a number an echo.
    """
    written, upto = result.written, result.upto
    number = abs(numeral.value)
    if written.numbers.get(number, upto + 1) > upto:
        return False
    before = text[max(numeral.start - _LOOK_CHARACTERS, 0) : numeral.start]
    after = text[numeral.end : numeral.end + _LOOK_CHARACTERS]
    if not (before.strip() or after.strip()):
        # The whole result is a number, perhaps of a calculation, whose result may equal an operand.
        return _repeats_its_argument(result, text.strip()) or written.repeats(text.strip(), upto)
    line_before, line_after = before.rpartition("\n")[2], after.partition("\n")[0]
    if written.names(line_before, number, line_after, upto):
        return True
    return _KEY.search(before) is None and says_nothing_around(f"{line_before} {line_after}")


def _repeats_its_argument(result: SearchedResult, text: str) -> bool:
    # A result that equals the only argument was not calculated from it.
    arguments = list(result.run.args.values())
    return len(arguments) == 1 and fold(str(arguments[0])) == text


def _missing_number(mark: FromTools) -> str:
    units = ", ".join(unit for unit, _ in mark.units)
    return f"{_NO_SUCH_NUMBER} with a unit of {units}" if units else _NO_SUCH_NUMBER


def _nearest_passage(quote: str, results: Sequence[SearchedResult]) -> Found | None:
    """Return the passage most similar to a folded quote, in whole words, or ``None``."""
    nearest, best = None, _MIN_LIKENESS
    quote = quote[:_MAX_PASSAGE_CHARACTERS]
    for result in map(SearchedResult.as_shown, results):
        for part in range(len(result.run.texts)):
            view = next(result.views(part)).folded
            start = _likeliest_start(quote, view.flat)
            found = view.flat[start : start + len(quote)]
            likeness = SequenceMatcher(None, quote, found, autojunk=False).ratio()
            if found and likeness > best:
                best = likeness
                low, high = view.span(*_whole_words(view.flat, start, start + len(found)))
                offset = result.offsets[part] + low
                nearest = Found(result, offset, offset + min(high - low, _MAX_PASSAGE_CHARACTERS))
    return nearest


def _likeliest_start(quote: str, text: str) -> int:
    """Return the start of the window that shares most character pairs with the quote, in linear time."""
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
