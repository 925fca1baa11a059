"""The two verdicts of a triage on a case, and the report of a case."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from answergraph.evidence.marks import Quote
from answergraph.state.outcome import Status

MisclassificationCause = Literal["tool_bug", "spec_issue", "app_behavior", "temporary_error"]
"""Why a result is wrong: the test or its tools, the specification, an intended change of the application, or the moment."""

_CONFIDENCE = "How sure the verdict is, from 0.0 to 1.0."
_EVIDENCE = "What the verdict rests on: quotes, word for word, of what the tools returned."
_EXPECTATION = "The expected result compared with the actual one."
_EXECUTION = "How the steps of the test were carried out."
_SCREENSHOT = "What the screenshots show, if there are any."
_CAUSE = (
    "Why the result is wrong: tool_bug (the test or its tools), spec_issue, app_behavior, temporary_error; null if it is right, "
    "or if the cause is open."
)
_DETAILS = "The cause in detail."
_RECOMMENDATIONS = "What should be done."


class FalseNegativeCheck(BaseModel):
    """Whether a failed test should have passed."""

    is_false_negative: bool = Field(description="Whether the failure is not real: the test should have passed.")
    confidence: float = Field(description=_CONFIDENCE, ge=0.0, le=1.0)
    evidence: Annotated[list[str], Quote()] = Field(description=_EVIDENCE, min_length=1)
    expected_result_analysis: str = Field(description=_EXPECTATION)
    step_execution_analysis: str = Field(description=_EXECUTION)
    screenshot_analysis: str | None = Field(default=None, description=_SCREENSHOT)
    misclassification_cause: MisclassificationCause | None = Field(default=None, description=_CAUSE)
    cause_details: str | None = Field(default=None, description=_DETAILS)
    recommendations: list[str] = Field(description=_RECOMMENDATIONS)


class FalsePositiveCheck(BaseModel):
    """Whether a passed test should have failed."""

    is_false_positive: bool = Field(description="Whether the test passed although what it tests failed.")
    confidence: float = Field(description=_CONFIDENCE, ge=0.0, le=1.0)
    evidence: Annotated[list[str], Quote()] = Field(description=_EVIDENCE, min_length=1)
    expected_result_analysis: str = Field(description=_EXPECTATION)
    step_execution_analysis: str = Field(description=_EXECUTION)
    screenshot_analysis: str | None = Field(default=None, description=_SCREENSHOT)
    misclassification_cause: MisclassificationCause | None = Field(default=None, description=_CAUSE)
    cause_details: str | None = Field(default=None, description=_DETAILS)
    recommendations: list[str] = Field(description=_RECOMMENDATIONS)


class Source(TypedDict):
    """A tool's result that evidence is cut out of."""

    tool: str
    args: dict[str, Any]
    text: str


class CaseReport(TypedDict):
    """The report of one case; plain JSON."""

    case: str
    """The file of the result and its place in it: ``"results.xml#3"``."""
    test: str
    kind: Literal["failed", "passed"]
    status: Status
    """As in an ``Outcome``: ``"answered"``, ``"abstained"``, or why there is no verdict."""
    reason: str
    schema: str | None
    """Which schema ``answer`` fits."""
    answer: dict[str, Any] | None
    """A ``FalseNegativeCheck``, a ``FalsePositiveCheck`` or an ``Abstention``, as JSON."""
    evidence: dict[str, list[Any]]
    """Per quote of the answer (``"evidence[0]"``): ``[tool_call_id, start, end]`` in ``sources``."""
    sources: dict[str, Source]
    """The tool results that the evidence cites, by tool call."""
