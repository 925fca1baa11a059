"""How a finding of the triage policy is put into the fields of an answer schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from answergraph.graphs.triage.offline.triage_case_text import CaseText
from answergraph.graphs.triage.offline.triage_rules import Finding
from answergraph.models.offline.offline_policy import OfferedSchema

_FAILED, _PASSED = "is_false_negative", "is_false_positive"
_ANOTHER_RUN = "a second result of the same test: run again, alone and with the others"
_MORE_OUTPUT = "what the test and the application logged meanwhile"


def verdict_values(schema: OfferedSchema, finding: Finding, case: CaseText) -> dict[str, Any] | None:
    """Return the values of a verdict; ``None`` if the schema is no verdict on such a case, or asks for what is not known.

    Args:
        schema: What is offered.
        finding: What was found.
        case: The facts it was found from.
    """
    verdict = _PASSED if case.header.get("status") == "passed" else _FAILED
    names = {field.name for field in schema.fields}
    if verdict not in names:
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
    return None if unknown else {name: value for name, value in values.items() if name in names}


def abstention_values(schema: OfferedSchema, case: CaseText, tried: Sequence[str]) -> dict[str, Any] | None:
    """Return the values of an abstention; ``None`` if the schema is none.

    Args:
        schema: What is offered.
        case: The facts.
        tried: What was looked at.
    """
    if not {"missing", "tried"} <= {field.name for field in schema.fields}:
        return None
    missing = [_MORE_OUTPUT] if case.others else [_ANOTHER_RUN, _MORE_OUTPUT]
    return {"missing": missing, "tried": list(tried)}


def _expectation(case: CaseText) -> str:
    if case.header.get("status") == "passed":
        return "Every check of the test passed."
    said = " ".join(case.message.split())
    return (
        f"A check failed: {said}" if case.is_assertion else f"No check was reached, or none decided; the run ended with: {said}"
    )


def _execution(case: CaseText) -> str:
    ended = f"The case ended as {case.header.get('status', 'unknown')} and ran after {case.header.get('ran after', 'unknown')}."
    passed, failed = len(case.passes), len(case.others) - len(case.passes)
    return f"{ended} Of its other results in the folder {passed} passed and {failed} failed."
