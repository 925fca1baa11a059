"""Re-checks a saved answer bundle from the bundle alone."""

import hmac
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import ToolMessage, messages_from_dict
from pydantic import TypeAdapter

from answergraph.evidence.bundles import (
    BUNDLE_FORMAT,
    BUNDLES_FORMAT,
    DIGEST,
    MASKED,
    SIGNATURE,
    refuse_empty,
    results_in,
    sealed,
)
from answergraph.evidence.claim_checking import check_evidence
from answergraph.evidence.claims import fields_by_path
from answergraph.evidence.marks import FromTools, Mark, Quote, mark_from_json
from answergraph.evidence.said_claims import NEEDS_JUDGE
from answergraph.evidence.units import is_unit_of
from answergraph.json_text.strict_json import with_unique_keys
from answergraph.runtime.errors import BundleError
from answergraph.state.delta_channels import RecordedResult
from answergraph.state.field_path import FieldPath
from answergraph.state.field_record import Evidence, Fields, cited_in, is_backed, record_of, spans_of
from answergraph.state.older_records import fields_of_today
from answergraph.state.tool_results import ToolRun, as_shown, call_id_of, results_in_replies, run_of

_BUNDLE_OF_0_1, _BUNDLES_OF_0_1 = "answergraph-bundle/2", "answergraph-bundles/2"
_FORMATS = (None, "answergraph-bundle/1", _BUNDLE_OF_0_1, BUNDLE_FORMAT)
_SEALED = (_BUNDLE_OF_0_1, _BUNDLES_OF_0_1, BUNDLE_FORMAT, BUNDLES_FORMAT)
_KEYS = ("status", "schema", "answer", "marks", "fields", "results", "messages", DIGEST)
"""The keys of a bundle in the current format; before it, ``evidence`` stood for ``fields``."""
WHOLE = "bundle"  # the path of a verdict on the whole bundle
_JUDGED = "; a judge said that it says so, which cannot be checked again"
_NOT_THERE = record_of("it is not in the answer")
_RESULTS = TypeAdapter(list[RecordedResult])


@dataclass(frozen=True)
class ClaimVerdict:
    """Whether one claim of a bundle holds."""

    path: str
    """The field of the answer, ``"findings[0].quote"``."""
    holds: bool
    """Whether the named place supports it."""
    value: object
    """The value of the field."""
    reason: str
    """The place that supports it, or the problem."""


def verify_bundle(bundle: Mapping[str, object] | str | bytes, *, key: bytes | None = None) -> list[ClaimVerdict]:
    """Re-check each claim of an answer bundle.

    Args:
        bundle: A bundle of ``answer_bundle``, or its JSON, which may have been changed since. One written by hand needs
            ``answer``, ``fields`` and ``messages``; without ``marks``, strings are checked as quotes and numbers as numbers.
        key: The secret that signed the bundle; a bundle that was not signed with it does not hold.

    Returns:
        One verdict per marked field and per field with evidence, and one for ``"bundle"`` if the bundle was changed after it was
        made or claims nothing.

    Raises:
        BundleError: If it is not a valid bundle.
        AgentSpecError: If the key is empty.
    """
    refuse_empty(key)
    try:
        # If a name is repeated, a reader may see one value while the program uses the other.
        saved = json.loads(bundle, object_pairs_hook=with_unique_keys) if isinstance(bundle, str | bytes) else bundle
        verdicts = list(_verdicts(saved, key))
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        what = str(error) if type(error) is ValueError else f"{type(error).__name__}: {error}"
        raise BundleError(f"This is not an answer bundle: {what}") from error
    return verdicts


def _verdicts(saved: Any, key: bytes | None) -> Iterator[ClaimVerdict]:
    if isinstance(saved, list):
        raise ValueError("it is a list; check each of its bundles by itself")
    if not isinstance(saved, Mapping) or not saved.keys() & {"answer", "bundles"}:
        raise ValueError("it has neither 'answer' nor 'bundles'; a bundle is the object that answer_bundle returns")
    problems = list(_problems_of_seal(saved, key))
    if saved.get("format") in {_BUNDLES_OF_0_1, BUNDLES_FORMAT}:
        for bundle in saved["bundles"]:
            # A case without a verdict claims nothing.
            verdicts = [*_verdicts_of_claims(bundle), *_without_claims(bundle, may_lack=bundle["status"] != "answered")]
            yield from (replace(verdict, path=f"{bundle['case']} {verdict.path}") for verdict in verdicts)
    else:
        yield from _verdicts_of_claims(saved)
        yield from _without_claims(saved)
    yield from (ClaimVerdict(WHOLE, False, None, problem) for problem in problems)


def _verdicts_of_claims(bundle: Mapping[str, object]) -> Iterator[ClaimVerdict]:
    if bundle.get("format") not in _FORMATS:
        raise ValueError(f"its format is {bundle['format']!r}")
    if missing := [name for name in _KEYS if bundle.get("format") == BUNDLE_FORMAT and name not in bundle]:
        raise KeyError(*missing)
    answer, fields, marks = bundle["answer"], _fields(bundle), _marks(bundle)
    values = {claim.path: claim.value for claim in fields_by_path(answer, marks) if claim.mark is not None}
    runs = _sources(bundle)
    by_id = {run.tool_call_id: run for run in runs}
    checked = check_evidence(answer, runs, marks=marks).fields
    for path in dict.fromkeys([*values, *_claimed(fields)]):
        there = fields[path]["evidence"] if path in _claimed(fields) else []
        again = checked.get(path, _NOT_THERE)
        problem = None if is_backed(again) else again["problem"]
        is_judged = path in fields and fields[path]["status"] == "judged"
        if is_judged and problem is not None and NEEDS_JUDGE in problem:
            problem = None
        if not there:
            problem = "it has no evidence"
        elif problem is None and not _is_same(there, again["evidence"], by_id):
            problem = "it is at another place"
        elsewhere = f"; another value at {_place(again['others'][0])}" if again.get("others") else ""
        reason = problem or f"{_place(there[0])}{elsewhere}{_JUDGED if is_judged else ''}"
        yield ClaimVerdict(path, problem is None, values.get(FieldPath(path)), reason)


def _fields(bundle: Mapping[str, Any]) -> Fields:
    fields: Fields = bundle["fields"] if "fields" in bundle else fields_of_today(bundle["evidence"])
    return fields


def _claimed(fields: Fields) -> list[str]:
    """Return the paths of the fields that the bundle calls supported, or as good as that."""
    return [path for path, record in fields.items() if is_backed(record)]


def _without_claims(bundle: Mapping[str, object], *, may_lack: bool = False) -> Iterator[ClaimVerdict]:
    if not (may_lack or bundle.get("marks") or _claimed(_fields(bundle))):
        yield ClaimVerdict(WHOLE, False, None, "nothing is claimed in it: no field was checked")


def _marks(bundle: Mapping[str, Any]) -> dict[str, Mark]:
    """Return the marks by path; by default strings are quotes, other values numbers."""
    given = {path: mark_from_json(mark) for path, mark in bundle.get("marks", {}).items()}
    plain: dict[str, Mark] = {path: Quote() for path in _claimed(_fields(bundle)) if path not in given}
    texts = {str(claim.path) for claim in fields_by_path(bundle["answer"], plain) if claim.mark and claim.problem is None}
    return {**given, **{path: mark if path in texts else FromTools() for path, mark in plain.items()}}


def _sources(bundle: Mapping[str, Any]) -> list[ToolRun]:
    """Return the results; a result counts if the evidence names it and the conversation does not contradict it."""
    messages: list[Any] = messages_from_dict(bundle["messages"])
    recorded = bundle.get("results")
    results = results_in(messages, {str(bundle.get("schema"))}) if recorded is None else recorded
    runs = as_shown(map(run_of, _RESULTS.validate_python(results, strict=True)), messages)
    masked = {result["tool_call_id"] for result in results if result.get(MASKED)}
    named = cited_in(_fields(bundle))
    shown_ids = {message.tool_call_id if isinstance(message, ToolMessage) else message.id for message in messages}
    shown_ids |= {result["tool_call_id"] for result in results_in_replies(messages)}
    changed = {run.tool_call_id for run in runs if run.shown is not None and call_id_of(run.tool_call_id) in shown_ids} - masked
    return [replace(run, counts=run.counts and run.tool_call_id in named - changed) for run in runs]


def _problems_of_seal(saved: Mapping[str, object], key: bytes | None) -> Iterator[str]:
    seal = sealed(saved, key)
    if (DIGEST in saved or saved.get("format") in _SEALED) and saved[DIGEST] != seal[DIGEST]:
        yield "its digest does not match: it was changed after it was made"
    if key is not None and not hmac.compare_digest(str(saved.get(SIGNATURE)), seal[SIGNATURE]):
        yield "it is not signed with this key"


def _is_same(saved: Sequence[Evidence], checked: Sequence[Evidence], runs: Mapping[str, ToolRun]) -> bool:
    """Return whether saved evidence is what was found again, and shows what stands there."""
    if [_spans(one) for one in saved] != [_spans(one) for one in checked]:
        return False
    for one, again in zip(saved, checked, strict=True):
        run = runs[one["source"]["id"]]
        # Until units were stored, nothing was said of a source but its id.
        if one["unit"] and (one["source"] != again["source"] or one.get("page") != again.get("page")):
            return False
        if not any(is_unit_of(one, text) for text in (run.text, run.shown) if text is not None):
            return False
    return True


def _spans(evidence: Evidence) -> object:
    return evidence["source"]["id"], [[*span] for span in spans_of(evidence) or [evidence["place"]]]


def _place(evidence: Evidence) -> str:
    start, end = spans_of(evidence)[0]
    return f"{evidence['source']['id']}, characters {start} to {end}"
