"""Re-checks a saved answer bundle from the bundle alone."""

import hmac
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import ToolMessage, messages_from_dict
from pydantic import TypeAdapter

from answergraph.evidence.answer_bundle import (
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
from answergraph.evidence.claims import claims_by_path
from answergraph.evidence.marks import FromTools, Mark, Quote, mark_from_json
from answergraph.json_text.strict_json import with_unique_keys
from answergraph.runtime.errors import BundleError
from answergraph.state.outcome import SHOWN
from answergraph.state.tool_results import RecordedResult, ToolRun, as_shown, call_id_of, run_of

_FORMATS = (None, "answergraph-bundle/1", BUNDLE_FORMAT)
_FIELDS = ("status", "schema", "answer", "marks", "evidence", "results", "messages", DIGEST)
"""The keys of a bundle in the current format."""
WHOLE = "bundle"  # the path of a verdict on the whole bundle
_RESULTS = TypeAdapter(list[RecordedResult])


@dataclass(frozen=True)
class ClaimVerdict:
    """Whether one claim of a bundle holds."""

    path: str
    """The field of the answer, ``"findings[0].quote"``."""
    holds: bool
    """Whether the named place supports it."""
    value: Any
    """The value of the field."""
    reason: str
    """The place that supports it, or the problem."""


def verify_bundle(bundle: Mapping[str, Any] | str | bytes, *, key: bytes | None = None) -> list[ClaimVerdict]:
    """Re-check each claim of an answer bundle.

    Args:
        bundle: A bundle of ``answer_bundle``, or its JSON, which may have been changed since. One written by hand needs
            ``answer``, ``evidence`` and ``messages``; without ``marks``, strings are checked as quotes and numbers as numbers.
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
        raise BundleError(f"This is not an answer bundle: {type(error).__name__}: {error}") from error
    return verdicts


def _verdicts(saved: Mapping[str, Any], key: bytes | None) -> Iterator[ClaimVerdict]:
    problems = list(_problems_of_seal(saved, key))
    if saved.get("format") == BUNDLES_FORMAT:
        for bundle in saved["bundles"]:
            # A case without a verdict claims nothing.
            verdicts = [*_verdicts_of_claims(bundle), *_without_claims(bundle, may_lack=bundle["status"] != "answered")]
            yield from (replace(verdict, path=f"{bundle['case']} {verdict.path}") for verdict in verdicts)
    else:
        yield from _verdicts_of_claims(saved)
        yield from _without_claims(saved)
    yield from (ClaimVerdict(WHOLE, False, None, problem) for problem in problems)


def _verdicts_of_claims(bundle: Mapping[str, Any]) -> Iterator[ClaimVerdict]:
    if bundle.get("format") not in _FORMATS:
        raise ValueError(f"its format is {bundle['format']!r}")
    if missing := [name for name in _FIELDS if bundle.get("format") == BUNDLE_FORMAT and name not in bundle]:
        raise KeyError(*missing)
    answer, evidence, marks = bundle["answer"], bundle["evidence"], _marks(bundle)
    values = {claim.path: claim.value for claim in claims_by_path(answer, marks)}
    checked = check_evidence(answer, _sources(bundle), marks=marks)
    for path in dict.fromkeys([*values, *evidence]):
        problem = checked.problems.get(path)
        if path not in evidence:
            problem = "it has no evidence"
        elif problem is None and _place(checked.evidence[path]) != _place(evidence[path]):
            problem = "it is at another place"
        yield ClaimVerdict(path, problem is None, values.get(path), problem or "{}, characters {} to {}".format(*evidence[path]))


def _without_claims(bundle: Mapping[str, Any], *, may_lack: bool = False) -> Iterator[ClaimVerdict]:
    if not (may_lack or bundle.get("marks") or bundle["evidence"]):
        yield ClaimVerdict(WHOLE, False, None, "nothing is claimed in it: no field was checked")


def _marks(bundle: Mapping[str, Any]) -> dict[str, Mark]:
    """Return the marks by path; by default strings are quotes, other values numbers."""
    given = {path: mark_from_json(mark) for path, mark in bundle.get("marks", {}).items()}
    plain: dict[str, Mark] = dict.fromkeys(bundle["evidence"].keys() - given.keys(), Quote())
    texts = {claim.path for claim in claims_by_path(bundle["answer"], plain) if claim.problem is None}
    return {**given, **{path: mark if path in texts else FromTools() for path, mark in plain.items()}}


def _sources(bundle: Mapping[str, Any]) -> list[ToolRun]:
    """Return the results; a result counts if the evidence names it and the conversation does not contradict it."""
    messages: list[Any] = messages_from_dict(bundle["messages"])
    recorded = bundle.get("results")
    results = results_in(messages, {str(bundle.get("schema"))}) if recorded is None else recorded
    runs = as_shown(map(run_of, _RESULTS.validate_python(results, strict=True)), messages)
    masked = {result["tool_call_id"] for result in results if result.get(MASKED)}
    named = {span[0] for span in bundle["evidence"].values()}
    shown_ids = {message.tool_call_id for message in messages if isinstance(message, ToolMessage)}
    changed = {run.tool_call_id for run in runs if run.shown is not None and call_id_of(run.tool_call_id) in shown_ids} - masked
    return [replace(run, counts=run.counts and run.tool_call_id in named - changed) for run in runs]


def _problems_of_seal(saved: Mapping[str, Any], key: bytes | None) -> Iterator[str]:
    seal = sealed(saved, key)
    if (DIGEST in saved or saved.get("format") in {BUNDLE_FORMAT, BUNDLES_FORMAT}) and saved[DIGEST] != seal[DIGEST]:
        yield "its digest does not match: it was changed after it was made"
    if key is not None and not hmac.compare_digest(str(saved.get(SIGNATURE)), seal[SIGNATURE]):
        yield "it is not signed with this key"


def _place(evidence: Any) -> list[Any]:
    return [part for part in evidence if part != SHOWN]
