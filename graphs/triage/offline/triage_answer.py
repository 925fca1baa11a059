"""How a finding of the triage policy is put into the fields of an answer schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from answergraph.graphs.triage.offline.triage_case_text import CaseText
from answergraph.graphs.triage.offline.triage_rules import Finding
from answergraph.models.offline.offline_policy import OfferedSchema

_FAILED, _PASSED = "is_false_negative", "is_false_positive"
VERDICTS = frozenset({_FAILED, _PASSED})
"""The field of a verdict that says whether the test's result is wrong."""
_ANOTHER_RUN = "a second result of the same test: run again, alone and with the others"
_MORE_OUTPUT = "what the test and the application logged meanwhile"


def verdict_values(schema: OfferedSchema, finding: Finding, case: CaseText) -> dict[str, Any] | None:
    """Return the values of a verdict; ``None`` if the schema is no verdict on such a case, or asks for what is not known."""
    verdict = _PASSED if case.status == "passed" else _FAILED
    if verdict not in schema.field_names:
        return None
    values: dict[str, Any] = {
        verdict: finding.misjudged,
        "confidence": finding.confidence,
        "evidence": list(dict.fromkeys(finding.quotes)),
        "expected_result_analysis": _expectation(case),
        "step_execution_analysis": _execution(case),
        "misclassification_cause": finding.cause,
        "cause_details": finding.explanation,
        "recommendations": [finding.advice],
    }
    unknown = [field.name for field in schema.fields if field.is_required and field.name not in values]
    return None if unknown else {name: value for name, value in values.items() if name in schema.field_names}


def abstention_values(schema: OfferedSchema, case: CaseText, tried: Sequence[str]) -> dict[str, Any] | None:
    """Return the values of an abstention; ``None`` if the schema is none."""
    if not {"missing", "tried"} <= schema.field_names:
        return None
    missing = [_MORE_OUTPUT] if case.other_runs else [_ANOTHER_RUN, _MORE_OUTPUT]
    return {"missing": missing, "tried": list(tried)}


def _expectation(case: CaseText) -> str:
    if case.status == "passed":
        return "Every check of the test passed."
    said = " ".join(case.message.split())
    return (
        f"A check failed: {said}" if case.is_assertion else f"No check was reached, or none decided; the run ended with: {said}"
    )


def _execution(case: CaseText) -> str:
    passed, failed = len(case.passes), len(case.other_runs) - len(case.passes)
    ended = f"The case ended as {case.status} and ran after {case.ran_after}."
    return f"{ended} Of its other results in the folder {passed} passed and {failed} failed."
