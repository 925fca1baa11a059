"""The two verdicts of a triage on a case, and the report of a case."""

from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from answergraph import Quote
from answergraph.types import FieldRecord, Status

MisclassificationCause = Literal["tool_bug", "spec_issue", "app_behavior", "temporary_error"]
"""Why a result is wrong: the test or its tools, the specification, an intended change of the application, or a temporary
error."""


class _OnFailed(BaseModel):
    is_false_negative: bool = Field(description="Whether the failure is not real: the test should have passed.")


class _OnPassed(BaseModel):
    is_false_positive: bool = Field(description="Whether the test passed although what it tests failed.")


class _OnFlaky(BaseModel):
    is_flaky: bool = Field(description="Whether the test failed and passed in one run.")


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


# The last base gives the first field: the verdict comes before its reasons.
class FalseNegativeCheck(_Reasons, _OnFailed):
    """Whether a failed test should have passed."""


class FalsePositiveCheck(_Reasons, _OnPassed):
    """Whether a passed test should have failed."""


class FlakyCheck(_Reasons, _OnFlaky):
    """Whether a test that passed in the end had failed before, in the same run."""


class Disagreement(BaseModel):
    """Test and application disagree, and nothing shows which of them is wrong."""

    is_disagreement: bool = Field(
        description="Whether a check failed, and nothing shows if the application or the test is wrong."
    )
    confidence: float = Field(description="How sure it is that nothing else made the test fail, from 0.0 to 1.0.", ge=0.0, le=1.0)
    evidence: Annotated[list[str], Quote()] = Field(
        description="Quotes, word for word, of what the tools returned: what the check compared.", min_length=1
    )
    expected: str = Field(description="What the test expected.")
    actual: str = Field(description="What came instead.")
    test_place: str = Field(description="File and line of the check; empty if unknown.")
    application_place: str = Field(description="File and line of the application that it is about; empty if unknown.")
    cause_details: str | None = Field(default=None, description="What is known of the cause.")
    recommendations: list[str] = Field(description="What would show which of them is wrong.")


Verdict = Literal["real", "not-real", "disagreement", "flaky", "false-pass", "true-pass", "unknown"]
"""The verdict on a case: a real or false failure, test and application disagree, flaky, a false or real pass, or unknown."""

_VERDICTS: dict[str, tuple[Verdict, Verdict]] = {
    "is_false_negative": ("not-real", "real"),
    "is_flaky": ("flaky", "unknown"),
    "is_disagreement": ("disagreement", "unknown"),
    "is_false_positive": ("false-pass", "true-pass"),
}


def verdict_in(answer: object) -> Verdict:
    """Return the verdict of an answer; ``"unknown"`` for an abstention or no answer."""
    fields = answer.model_dump() if isinstance(answer, BaseModel) else {}
    return next((yes if fields[key] else no for key, (yes, no) in _VERDICTS.items() if key in fields), "unknown")


class CaseRef(TypedDict):
    """One case of a cluster."""

    case: str
    """The file of the result and its place in it: ``"results.xml#3"``."""
    test: str
    source: str
    """The file and line of the test's code, ``"tests/test_cart.py:12"``; empty if unknown."""
    environment: dict[str, str]
    """The suite, folder, host and properties of the result."""
    elsewhere: list[str]
    """Its results in other environments, a sentence each."""
    tries: list[str]
    """The messages of failed tries before."""


class Source(TypedDict):
    """A tool result that contains evidence."""

    tool: str
    args: dict[str, Any]
    text: str


class JudgedCause(TypedDict):
    """A cause: the case that is judged for it, and those that share its verdict."""

    case: str
    """The case that is judged."""
    test: str
    kind: Literal["failed", "flaky", "passed"]
    cause: str
    """The common text of its cases, without values: ``"KeyError: <text>"``."""
    cluster: str
    """A fingerprint of the cause, the same in another run."""
    cases: list[CaseRef]
    """All the cases of this cause, the judged one first."""


class CaseReport(JudgedCause):
    """The report of one cause; plain JSON."""

    verdict: Verdict
    judge: str
    """Who judged it: ``"rules"``, ``"witnesses"``, or the model's name; empty if nobody did."""
    remembered: str
    """When the verdict was found, if an earlier run found it (see ``history``); else empty."""
    status: Status | Literal["not_judged"]
    """As in an ``Outcome``: ``"answered"``, ``"abstained"``, or why there is no verdict; ``"not_judged"`` beyond the limit."""
    reason: str
    schema: str | None
    """Which schema ``answer`` fits."""
    answer: dict[str, Any] | None
    """A ``FalseNegativeCheck``, ``Disagreement``, ``FlakyCheck``, ``FalsePositiveCheck`` or ``Abstention``, as JSON."""
    fields: dict[str, FieldRecord]
    """As in an ``Outcome``: what stands behind each field of the answer; the places are in ``sources``."""
    sources: dict[str, Source]
    """The tool results that the evidence cites, by tool call."""


def report_on(task: JudgedCause, **values: object) -> CaseReport:
    """Return the report of a cause; fields without a value are empty."""
    defaults: Any = {"verdict": "unknown", "judge": "", "remembered": "", "schema": None, "answer": None}
    defaults |= {"fields": {}, "sources": {}}
    about = {name: value for name, value in task.items() if name in JudgedCause.__annotations__}
    return cast("CaseReport", {**defaults, **values, **about})
