"""The facts of a case for ``read_case``: as a quotable text and as data."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from typing_extensions import TypedDict

from answergraph.graphs.add_ons.triage.run_files.case_identity import TestName, differences
from answergraph.graphs.add_ons.triage.run_files.case_survey import Case, Survey
from answergraph.graphs.add_ons.triage.run_files.junit_results import JUnitCase, Status

ATTACHED_CASE = "answergraph_case"
"""The key of the case id in a prompt."""

MAX_LISTED = 500
"""Files or cases listed per tool call."""
MAX_RESULTS = 50
"""Other results and tries shown per test."""
MAX_MESSAGE_CHARACTERS = 300
"""Characters shown of another result's message."""
_NOT_SAID = "not said"

_HEADING = re.compile(r"^--- \w[\w ]* of .+#\d+ ---$", re.MULTILINE)
_LOCATION = re.compile(r"^.+?:\d+: ", re.MULTILINE)
_NOTE = re.compile(r"^\[.*\]$", re.MULTILINE)


class OtherResult(TypedDict):
    """Another result of the same test in the same environment."""

    file: str
    status: Status
    order: str
    """The cases before it: ``"the same cases"``, ``"no other"``, or others."""
    message: str
    written: str
    """Its start tag."""


class ElsewhereResult(TypedDict):
    """A result of the same name in another environment, perhaps of another test."""

    status: Status
    differs: dict[str, tuple[str, str]]
    """The differences of its environment: the case's value and its own."""
    written: str


@dataclass(frozen=True)
class CaseFacts:
    """The facts of a case in the result files."""

    case: str
    test: str
    kind: str
    status: Status
    started: str
    seconds: str
    ran_after: str
    other_results: int
    """The number of other results; at most ``MAX_RESULTS`` are shown."""
    others: list[OtherResult]
    elsewhere: list[ElsewhereResult]
    tries: list[str]
    """The failed tries of the same run."""
    written: str
    """The start tags of the case and its failure in the file."""
    sign: str
    message: str
    details: str
    output: str
    namesakes: Sequence[TestName] = ()
    """Other tests whose function has the same name, each a class and a name."""

    @property
    def text(self) -> str:
        """Our summary first, then the run's text word for word, under headings."""
        head = [
            f"case: {self.case}",
            f"test: {self.test}",
            f"status: {self.status}",
            f"started: {self.started}",
            f"seconds: {self.seconds}",
            f"ran after: {self.ran_after}",
            f"failed tries before: {len(self.tries)}",
            f"other results of this test in this environment: {self.other_results or 'none'}",
            *(f"{other['file']}: {other['status']}, ran after {other['order']}" for other in self.others),
            *(f"under the same name, {other['status']} where {different(other)}" for other in self.elsewhere),
            *(f"another test of that name: {'::'.join(test)}" for test in self.namesakes[:MAX_RESULTS]),
        ]
        parts = [("result", self.written), ("message", self.message), ("details", self.details), ("output", self.output)]
        parts += [("failed try", text) for text in self.tries]
        parts += [("other result", f"{other['written']}\n{other['message']}") for other in self.others]
        parts += [("result elsewhere", other["written"]) for other in self.elsewhere]
        return "\n".join([*head, *(f"--- {name} of {self.case} ---\n{text.rstrip()}" for name, text in parts if text.strip())])


def different(other: ElsewhereResult) -> str:
    """Describe the differences of another environment."""
    return ", ".join(f"{name} is {theirs!r} and not {ours!r}" for name, (ours, theirs) in other["differs"].items())


def left_by_run(tool: str, text: str) -> str:
    """Blank out a tool's own words in its result: the rest is text of the test run, at its position."""
    if tool == "read_case":
        first = _HEADING.search(text)
        start = first.start() if first else len(text)
        return _blank(text[:start]) + _HEADING.sub(lambda match: _blank(match[0]), text[start:])
    if tool == "read_lines":
        heading, newline, lines = text.partition("\n")
        return _blank(heading) + newline + lines
    return _NOTE.sub(lambda match: _blank(match[0]), _LOCATION.sub(lambda match: _blank(match[0]), text))


def facts_of(case: Case, survey: Survey) -> dict[str, Any]:
    """Return the arguments of a case's ``CaseFacts`` as plain JSON."""
    result, before = case.result, survey.before(case.result)
    return {
        "case": result.id,
        "test": result.title,
        "kind": case.kind,
        "status": result.status,
        "started": result.started or _NOT_SAID,
        "seconds": result.seconds or _NOT_SAID,
        "ran_after": f"{len(before)} others, the last of them {before[-1]}" if before else "no other",
        "other_results": len(case.others),
        "others": [_other(other, result, survey) for other in case.others[:MAX_RESULTS]],
        "elsewhere": [
            ElsewhereResult(status=other.status, differs=differences(result, other), written=other.written)
            for other in case.elsewhere[:MAX_RESULTS]
        ],
        "tries": ["\n".join(filter(str.strip, (one.written, one.message, one.details))) for one in result.tries[:MAX_RESULTS]],
        "written": result.written,
        "sign": case.sign,
        "message": _section(result.message),
        "details": _section(result.details),
        "output": _section(result.output),
        "namesakes": [list(test) for test in survey.namesakes(result)],
    }


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", "\0", text)


def _section(text: str) -> str:
    return text.rstrip("\n") if text.strip() else ""


def _other(other: JUnitCase, result: JUnitCase, survey: Survey) -> OtherResult:
    before = survey.before(other)
    others = "others, or in another order" if before else "no other"
    order = "the same cases" if before == survey.before(result) else others
    message = " ".join(other.message.split())[:MAX_MESSAGE_CHARACTERS]
    return OtherResult(file=other.file, status=other.status, order=order, message=message, written=other.written)
