"""The two verdicts of a triage on a case, and the report of a case."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from answergraph.evidence.marks import Quote
from answergraph.state.outcome import Status

MisclassificationCause = Literal["tool_bug", "spec_issue", "app_behavior", "temporary_error"]
"""Why a result is wrong: the test or its tools, the specification, an intended change of the application, or the moment."""


class _OnFailed(BaseModel):
    is_false_negative: bool = Field(description="Whether the failure is not real: the test should have passed.")


class _OnPassed(BaseModel):
    is_false_positive: bool = Field(description="Whether the test passed although what it tests failed.")


class _Reasons(BaseModel):
    confidence: float = Field(description="How sure the verdict is, from 0.0 to 1.0.", ge=0.0, le=1.0)
    evidence: Annotated[list[str], Quote()] = Field(
        description="What the verdict rests on: quotes, word for word, of what the tools returned.", min_length=1
    )
    expected_result_analysis: str = Field(description="The expected result compared with the actual one.")
    step_execution_analysis: str = Field(description="How the steps of the test were carried out.")
    screenshot_analysis: str | None = Field(default=None, description="What the screenshots show, if there are any.")
    misclassification_cause: MisclassificationCause | None = Field(
        default=None,
        description="Why the result is wrong: tool_bug (the test or its tools), spec_issue, app_behavior, temporary_error; null "
        "if it is right, or if the cause is open.",
    )
    cause_details: str | None = Field(default=None, description="The cause in detail.")
    recommendations: list[str] = Field(description="What should be done.")


# The last base gives the first field: a verdict stands above its reasons.
class FalseNegativeCheck(_Reasons, _OnFailed):
    """Whether a failed test should have passed."""


class FalsePositiveCheck(_Reasons, _OnPassed):
    """Whether a passed test should have failed."""


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
