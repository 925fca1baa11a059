"""Re-checks a saved answer bundle, with nothing but the bundle."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from langchain_core.messages import AnyMessage, ToolMessage, messages_from_dict

from answergraph.evidence.answer_bundle import results_in
from answergraph.evidence.claim_checking import places_of
from answergraph.evidence.claims import Claim
from answergraph.evidence.marks import FromTools, Mark, Quote, mark_from_json
from answergraph.evidence.quotes import Found
from answergraph.evidence.searched_result import SearchedResult
from answergraph.state.errors import BundleError
from answergraph.state.outcome import EvidenceSpan
from answergraph.state.tool_results import RecordedResult, run_of, texts_of

_STEP = re.compile(r"""\.?(\w+)|\[(\d+)\]|\[(?:'([^']*)'|"([^"]*)")\]""")
_SPAN_LENGTH = len(EvidenceSpan._fields)


@dataclass(frozen=True)
class ClaimVerdict:
    """Whether one claim of a bundle holds."""

    path: str
    """The field of the answer, ``"findings[0].quote"``."""
    holds: bool
    """Whether the named result supports it at the named place."""
    value: Any
    """The value of the field."""
    reason: str
    """The place that supports it, or the problem."""


def verify_bundle(bundle: Mapping[str, Any]) -> list[ClaimVerdict]:
    """Re-check each claim of an answer bundle.

    Args:
        bundle: A bundle of ``answer_bundle``, which may have been changed since. It needs at least ``answer``, ``evidence`` and
            ``messages``; without ``marks`` texts are checked as quotes and numbers as numbers.

    Returns:
        One verdict per marked field and per field with evidence; none for an abstention.

    Raises:
        BundleError: If it cannot be read as a bundle.
    """
    try:
        parts = _Parts.of(bundle)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BundleError(f"This is no answer bundle: {type(error).__name__}: {error}") from error
    paths = dict.fromkeys([*parts.marks, *parts.evidence])
    return [parts.verdict(path) for path in paths]


@dataclass(frozen=True)
class _Parts:
    """A bundle, read."""

    answer: Any
    marks: Mapping[str, Mark]
    evidence: Mapping[str, Any]
    results: Sequence[RecordedResult]
    messages: Sequence[AnyMessage]

    @classmethod
    def of(cls, bundle: Mapping[str, Any]) -> _Parts:
        if not isinstance(bundle["messages"], list) or not isinstance(bundle["evidence"], dict):
            raise TypeError("its messages are a list and its evidence a mapping")
        messages: list[Any] = messages_from_dict(bundle["messages"])
        recorded = bundle.get("results")
        results = list(results_in(messages, {str(bundle.get("schema"))})) if recorded is None else recorded
        for run in map(run_of, results):
            if not isinstance(run.args, Mapping) or not all(isinstance(text, str) for text in run.texts):
                raise TypeError(f"the result {run.tool_call_id!r} has texts, and arguments by name")
        marks = {path: mark_from_json(mark) for path, mark in bundle.get("marks", {}).items()}
        return cls(bundle["answer"], marks, bundle["evidence"], results, messages)

    def verdict(self, path: str) -> ClaimVerdict:
        try:
            value = value_at(self.answer, path)
        except LookupError:
            return ClaimVerdict(path, False, None, "the answer has no such field")
        stored = self.evidence.get(path)
        if not isinstance(stored, list) or len(stored) != _SPAN_LENGTH:
            return ClaimVerdict(path, False, value, "no evidence is given for it")
        span = EvidenceSpan(*stored)
        problem = self._problem(path, value, span)
        return ClaimVerdict(
            path, problem is None, value, problem or f"{span.tool_call_id}, characters {span.start} to {span.end}"
        )

    def _problem(self, path: str, value: Any, span: EvidenceSpan) -> str | None:
        mark = self.marks.get(path) or (Quote() if isinstance(value, str) else FromTools())
        claim = Claim(path, mark, _number(value) if isinstance(mark, FromTools) else value)
        if not isinstance(claim.value, str if isinstance(mark, Quote) else int | float | Decimal):
            return "it is nothing that could be checked"
        named = [result for result in self.results if result["tool_call_id"] == span.tool_call_id]
        if not named:
            return f"no tool result is named {span.tool_call_id!r}"
        for result in named:
            problem = self._problem_with(result) or _problem_in(claim, result, span)
            if problem is None:
                return None
        return problem

    def _problem_with(self, result: RecordedResult) -> str | None:
        if not result["succeeded"]:
            return f"the call {result['tool_call_id']} failed"
        said = [m for m in self.messages if isinstance(m, ToolMessage) and m.tool_call_id == result["tool_call_id"]]
        if said and all("".join(texts_of(message)) != "".join(result["texts"]) for message in said):
            return f"the conversation holds another result of {result['tool_call_id']}"
        return None


def value_at(answer: Any, path: str) -> Any:
    """Return the value at a path such as ``"findings[0].quote"`` in an answer as JSON.

    Raises:
        LookupError: If the path leads nowhere.
    """
    value = answer
    for name, index, *keys in _STEP.findall(path):
        try:
            value = value[int(index)] if index and isinstance(value, list) else value[name or index or "".join(keys)]
        except (TypeError, KeyError, IndexError) as error:
            raise LookupError(path) from error
    return value


def _problem_in(claim: Claim, result: RecordedResult, span: EvidenceSpan) -> str | None:
    problem = f"{claim.value!r} does not stand there"
    for place in places_of(claim, SearchedResult(run_of(result))):
        if isinstance(place, Found) and (place.start, place.end) == (span.start, span.end):
            return None
        problem = "it stands at another place of the result" if isinstance(place, Found) else place
    return problem


def _number(value: Any) -> Any:
    """Return a number in comparable form; JSON writes a ``Decimal`` as a string."""
    if isinstance(value, bool) or not isinstance(value, str):
        return None if isinstance(value, bool) else value
    try:
        return Decimal(value)
    except InvalidOperation:
        return None
