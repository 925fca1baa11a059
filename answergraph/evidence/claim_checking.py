"""Checks the claims of an answer against the tool results of its run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from answergraph.evidence.claims import Claim
from answergraph.evidence.folding import fold
from answergraph.evidence.marks import Quote
from answergraph.evidence.numbers import missing_number, places_of_number
from answergraph.evidence.passages import nearest_passage
from answergraph.evidence.quotes import NOT_FOUND, Found, places_of_quote
from answergraph.evidence.searched_result import SearchedResult
from answergraph.state.outcome import EvidenceSpan
from answergraph.state.tool_results import ToolRun

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
    for claim in claims:
        found = _find(claim, results)
        if isinstance(found, Found):
            evidence[claim.path] = EvidenceSpan(found.result.run.tool_call_id, found.start, found.end)
        else:
            # Passages that are not shown are not searched for.
            near = results if len(problems) < _MAX_SHOWN_PROBLEMS else []
            problems[claim.path] = _problem(claim, found, near)
    return Checked({path: span for path, span in evidence.items() if path not in problems}, problems)


def places_of(claim: Claim, result: SearchedResult) -> Iterator[Found | str]:
    """Yield each place where a result supports a claim, and for other places the reason why it does not."""
    if claim.problem is not None:
        yield claim.problem
    elif isinstance(claim.mark, Quote):
        yield from places_of_quote(claim.value, result, claim.mark)
    else:
        yield from places_of_number(claim.value, result, claim.mark)


def _find(claim: Claim, results: Sequence[SearchedResult]) -> Found | str:
    problem = claim.problem or (NOT_FOUND if isinstance(claim.mark, Quote) else missing_number(claim.mark))
    for result in results:
        for place in places_of(claim, result):
            if isinstance(place, Found):
                return place
            problem = place
    return problem


def _problem(claim: Claim, problem: str, results: Sequence[SearchedResult]) -> str:
    if claim.value is None:
        return f"{problem}."
    shown = repr(claim.value)
    shown = shown if len(shown) <= _MAX_SHOWN_CHARACTERS else f"{shown[:_MAX_SHOWN_CHARACTERS]}…"
    said = f"{shown}: {problem}."
    is_checked_quote = claim.problem is None and isinstance(claim.mark, Quote)
    passage = nearest_passage(fold(claim.value), results) if is_checked_quote else None
    if passage is None:
        return said
    run = passage.result.run
    return f"{said} The nearest passage, in the result of {run.name} ({run.tool_call_id}): {passage.text!r}"
