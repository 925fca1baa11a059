"""Re-checks a saved answer bundle, with nothing but the bundle."""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from langchain_core.messages import AnyMessage, ToolMessage, messages_from_dict

from answergraph.evidence.answer_bundle import BUNDLE_FORMAT, DIGEST, MASKED, SIGNATURE, results_in, sealed
from answergraph.evidence.claim_checking import may_support, places_of, searched
from answergraph.evidence.claims import Claim, value_at
from answergraph.evidence.marks import FromTools, Mark, Quote, mark_from_json
from answergraph.evidence.quotes import Found
from answergraph.evidence.searched_result import SearchedResult
from answergraph.state.errors import BundleError
from answergraph.state.tool_results import ToolRun, as_shown, call_id_of, run_of, texts_of

_FORMATS = (None, "answergraph-bundle/1", BUNDLE_FORMAT)
_FIELDS = ("status", "schema", "answer", "marks", "evidence", "results", "messages", DIGEST)
"""What a bundle of today's format holds."""
WHOLE = "bundle"
"""The path of a verdict on the bundle as a whole."""
_INDEX = re.compile(r"\[\d+\]")
_MIN_EVIDENCE_ITEMS = 3
"""The call, and where the span starts and ends."""


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


def verify_bundle(bundle: Mapping[str, Any], *, key: bytes | None = None) -> list[ClaimVerdict]:
    """Re-check each claim of an answer bundle.

    Args:
        bundle: A bundle of ``answer_bundle``, which may have been changed since. One written by hand needs ``answer``,
            ``evidence`` and ``messages``; without ``marks`` texts are checked as quotes and numbers as numbers.
        key: The secret that the bundle was signed with; with it, a bundle that is not signed with it does not hold.

    Returns:
        One verdict per marked field and per field with evidence, and one for ``"bundle"`` if it was changed since it was made, or
        if it holds an answer and claims nothing.

    Raises:
        BundleError: If it cannot be read as a bundle.
    """
    try:
        parts = _Parts.of(bundle)
        problems = list(_problems_of_whole(bundle, parts, key))
        paths = dict.fromkeys([*parts.marks, *parts.evidence, *_unmarked(parts.answer, parts.marks)])
        verdicts = [parts.verdict(path) for path in paths]
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise BundleError(f"This is no answer bundle: {type(error).__name__}: {error}") from error
    return [*verdicts, *(ClaimVerdict(WHOLE, False, None, problem) for problem in problems)]


def _problems_of_whole(bundle: Mapping[str, Any], parts: _Parts, key: bytes | None) -> Iterator[str]:
    seal = sealed(bundle, key)
    if (DIGEST in bundle or bundle.get("format") == BUNDLE_FORMAT) and bundle[DIGEST] != seal[DIGEST]:
        yield "its digest is that of another content: it was changed since it was made"
    if key is not None and not hmac.compare_digest(str(bundle.get(SIGNATURE)), seal[SIGNATURE]):
        yield "it is not signed with this key"
    if bundle.get("status") == "answered" and not parts.marks and not parts.evidence:
        yield "it holds an answer that claims nothing: no field of it was checked"


def _unmarked(answer: Any, marks: Mapping[str, Mark]) -> Iterator[str]:
    """Yield the items of checked lists that no mark names."""
    lists = {_INDEX.sub("[*]", path) for path in marks if _INDEX.search(path)}
    for path in _leaves(answer, ""):
        if path not in marks and _INDEX.sub("[*]", path) in lists:
            yield path


def _leaves(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _leaves(item, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, f"{path}[{index}]")
    else:
        yield path


@dataclass(frozen=True)
class _Parts:
    """A bundle, read."""

    answer: Any
    marks: Mapping[str, Mark]
    evidence: Mapping[str, Any]
    results: Sequence[SearchedResult]
    masked: frozenset[str]
    """The ids of the results of which the bundle holds only what the evidence names."""
    messages: Sequence[AnyMessage]

    @classmethod
    def of(cls, bundle: Mapping[str, Any]) -> _Parts:
        if bundle.get("format") not in _FORMATS:
            raise ValueError(f"its format is {bundle['format']!r}")
        if missing := [name for name in _FIELDS if bundle.get("format") == BUNDLE_FORMAT and name not in bundle]:
            raise KeyError(*missing)
        if not isinstance(bundle["messages"], list) or not isinstance(bundle["evidence"], dict):
            raise TypeError("its messages are a list and its evidence a mapping")
        messages: list[Any] = messages_from_dict(bundle["messages"])
        recorded = bundle.get("results")
        results = list(results_in(messages, {str(bundle.get("schema"))})) if recorded is None else recorded
        runs = as_shown(map(_run, results), messages)
        marks = {path: mark_from_json(mark) for path, mark in bundle.get("marks", {}).items()}
        masked = frozenset(result["tool_call_id"] for result in results if result.get(MASKED))
        return cls(bundle["answer"], marks, bundle["evidence"], searched(runs), masked, messages)

    def verdict(self, path: str) -> ClaimVerdict:
        try:
            value = value_at(self.answer, path)
        except LookupError:
            return ClaimVerdict(path, False, None, "the answer has no such field")
        stored = self.evidence.get(path)
        if not isinstance(stored, list) or len(stored) < _MIN_EVIDENCE_ITEMS:
            return ClaimVerdict(path, False, value, "no evidence is given for it")
        problem = self._problem(path, value, stored)
        call_id, start, end, *_ = stored
        return ClaimVerdict(path, problem is None, value, problem or f"{call_id}, characters {start} to {end}")

    def _problem(self, path: str, value: Any, stored: list[Any]) -> str | None:
        mark = self.marks.get(path) or (Quote() if isinstance(value, str) else FromTools())
        claim = Claim(path, mark, _number(value) if isinstance(mark, FromTools) else value)
        if not isinstance(claim.value, str if isinstance(mark, Quote) else int | float | Decimal):
            return "it is nothing that could be checked"
        named = [result for result in self.results if result.run.tool_call_id == stored[0]]
        if not named:
            return f"no tool result is named {stored[0]!r}"
        return next((problem for result in named if (problem := self._problem_in(claim, result, stored))), None)

    def _problem_in(self, claim: Claim, result: SearchedResult, stored: list[Any]) -> str | None:
        run = result.run
        if not may_support(run):
            return f"the result of {run.tool_call_id} supports nothing"
        said = [m for m in self.messages if isinstance(m, ToolMessage) and m.tool_call_id == call_id_of(run.tool_call_id)]
        if said and run.tool_call_id not in self.masked and all("".join(texts_of(m)) != run.text for m in said):
            return f"the conversation holds another result of {run.tool_call_id}"
        problem = f"{claim.value!r} does not stand there"
        for place in places_of(claim, result):
            if isinstance(place, Found) and list(place.evidence) == stored:
                return None
            problem = "it stands at another place of the result" if isinstance(place, Found) else place
        return problem


def _run(result: Mapping[str, Any]) -> ToolRun:
    run = run_of({name: value for name, value in result.items() if name != MASKED})
    is_read = isinstance(run.tool_call_id, str) and isinstance(run.name, str) and isinstance(result["succeeded"], bool)
    if not is_read or not isinstance(run.args, Mapping) or not all(isinstance(text, str) for text in run.texts + run.written):
        raise TypeError(f"the result {run.tool_call_id!r} has a name, texts, and arguments by name")
    return run


def _number(value: Any) -> Any:
    """Return a number in comparable form; JSON writes a ``Decimal`` as a string."""
    if isinstance(value, bool) or not isinstance(value, str):
        return None if isinstance(value, bool) else value
    try:
        return Decimal(value)
    except InvalidOperation:
        return None
