"""The facts of a case as ``read_case`` returns them: a text that a model can quote, and the same as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from typing_extensions import TypedDict

from answergraph.graphs.triage.run_files.case_survey import Case, Survey
from answergraph.graphs.triage.run_files.junit_results import JUnitCase, Status

ATTACHED_CASE = "answergraph_case"
"""Where the prompt about a case carries the case's id."""

MAX_LISTED = 500
"""How many files, cases or results of a test one call of a tool lists."""
MAX_MESSAGE_CHARACTERS = 300
"""How much of another result's message is told."""
_NOT_SAID = "not said"


class OtherResult(TypedDict):
    """Another result of the same test."""

    file: str
    status: Status
    order: str
    """What it ran after: ``"the same cases"``, ``"no other"``, or others."""
    message: str
    line: str
    """The line of the text that tells of it."""


@dataclass(frozen=True)
class CaseFacts:
    """The facts of a case in the result files."""

    case: str
    test: str
    status: Status
    started: str
    seconds: str
    ran_after: str
    other_results: int
    """How many other results of the test there are; at most ``MAX_LISTED`` are listed."""
    others: list[OtherResult]
    reruns: list[str]
    """One line for each failed try of the same run."""
    message: str
    details: str
    output: str

    @property
    def text(self) -> str:
        head = [
            f"case: {self.case}",
            f"test: {self.test}",
            f"status: {self.status}",
            f"started: {self.started}",
            f"seconds: {self.seconds}",
            f"ran after: {self.ran_after}",
            f"other results of this test: {self.other_results or 'none'}",
            *(other["line"] for other in self.others),
            *self.reruns,
        ]
        parts = {"message": self.message, "details": self.details, "output": self.output}
        return "\n".join([*head, *(f"--- {name} ---\n{text}" for name, text in parts.items() if text)])


def facts_of(case: Case, survey: Survey) -> dict[str, Any]:
    """Return the arguments of a case's ``CaseFacts``, which are plain JSON."""
    result, before = case.result, survey.before(case.result)
    return {
        "case": result.id,
        "test": result.title,
        "status": result.status,
        "started": result.started or _NOT_SAID,
        "seconds": result.seconds or _NOT_SAID,
        "ran_after": f"{len(before)} others, the last of them {before[-1]}" if before else "no other",
        "other_results": len(case.others),
        "others": [_other(other, result, survey) for other in case.others[:MAX_LISTED]],
        "reruns": [f"failed try of the same run: {' '.join(rerun.split())}" for rerun in result.reruns],
        "message": _section(result.message),
        "details": _section(result.details),
        "output": _section(result.output),
    }


def _section(text: str) -> str:
    return text.rstrip("\n") if text.strip() else ""


def _other(other: JUnitCase, result: JUnitCase, survey: Survey) -> OtherResult:
    before = survey.before(other)
    order = "the same cases" if before == survey.before(result) else "others, or in another order" if before else "no other"
    message = " ".join(other.message.split())[:MAX_MESSAGE_CHARACTERS]
    line = f"{other.id} {other.status}, started {other.started or _NOT_SAID}, ran after {order}{message and f': {message}'}"
    return OtherResult(file=other.file, status=other.status, order=order, message=message, line=line)
