"""The check of an answer's claims against the results of its run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from answergraph.nodes.evidence.claims import Claim
from answergraph.nodes.evidence.folding import fold
from answergraph.nodes.evidence.marks import Quote
from answergraph.nodes.evidence.numbers import find_number
from answergraph.nodes.evidence.passages import nearest_passage
from answergraph.nodes.evidence.quotes import Found, find_quote
from answergraph.nodes.evidence.searched_result import SearchedResult
from answergraph.nodes.evidence.tool_results import ToolRun
from answergraph.nodes.outcome import EvidenceSpan

_LONGEST_SHOWN = 200
_MOST_SHOWN = 10
_INTRODUCTION = "Your answer is not supported by what the tools of this run returned:"
_ADVICE = (
    "Copy quotes word for word from one place of one tool result, and take numbers from tool results as they are. Your own words "
    "and the user's are no evidence. Call further tools if need be, then answer again."
)


@dataclass(frozen=True)
class Checked:
    """What became of an answer's claims.

    Attributes:
        evidence: Per path of a supported claim, where it is supported.
        problems: Per path of another, what is wrong.
    """

    evidence: dict[str, EvidenceSpan] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)

    @property
    def feedback(self) -> str:
        """What is said to the model."""
        listed = [f"- {path}: {problem}" for path, problem in self.problems.items()]
        more = [f"- and {len(listed) - _MOST_SHOWN} more"] if len(listed) > _MOST_SHOWN else []
        return "\n".join([_INTRODUCTION, *listed[:_MOST_SHOWN], *more, _ADVICE])


def check_claims(claims: Iterable[Claim], runs: Sequence[ToolRun]) -> Checked:
    """Look for what supports each claim.

    Args:
        claims: The answer's claims.
        runs: The results that count as evidence, oldest first.

    Returns:
        What was found. Nothing is ever supported by likeness: a quote stands in one text of one result, or nowhere.
    """
    results = [SearchedResult(run) for run in runs]
    checked = Checked()
    for claim in claims:
        found = _find(claim, results)
        if isinstance(found, Found):
            checked.evidence[claim.path] = [found.result.run.tool_call_id, found.start, found.end]
        else:
            checked.problems[claim.path] = _problem(claim, found, results)
    return Checked({path: span for path, span in checked.evidence.items() if path not in checked.problems}, checked.problems)


def _find(claim: Claim, results: list[SearchedResult]) -> Found | str:
    if claim.problem is not None:
        return claim.problem
    if isinstance(claim.mark, Quote):
        return find_quote(fold(claim.value), results, claim.mark)
    return find_number(claim.value, results, claim.mark)


def _problem(claim: Claim, problem: str, results: list[SearchedResult]) -> str:
    if claim.value is None:
        return f"{problem}."
    shown = f"{claim.value!r}"
    shown = shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}…"
    said = f"{shown}: {problem}."
    if not isinstance(claim.mark, Quote) or not isinstance(claim.value, str):
        return said
    passage = nearest_passage(fold(claim.value), results)
    if passage is None:
        return said
    run = passage.result.run
    return f"{said} The nearest passage, in the result of {run.name} ({run.tool_call_id}): {passage.text!r}"
