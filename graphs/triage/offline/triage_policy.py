"""The triage policy: examines a case with the offered tools, then judges its result.

It reads the case, searches the logs for the test's name and random seeds, and applies ``triage_rules``. Quotes are parts of
tool results. Without a matching rule it abstains and says what is missing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from langchain_core.messages import AIMessage

from answergraph.evidence.marks import MIN_QUOTE_COLUMNS
from answergraph.evidence.quotes import counts_as_quote
from answergraph.evidence.texts.folding import fold
from answergraph.graphs.triage.offline.import_rules import missing_module
from answergraph.graphs.triage.offline.triage_case_text import CaseText
from answergraph.graphs.triage.offline.triage_finding import Finding
from answergraph.graphs.triage.offline.triage_rules import judge, judge_flaky, judge_passed
from answergraph.graphs.triage.run_files.case_facts import ATTACHED_CASE, different
from answergraph.models.offline.offline_policy import (
    AnsweredCall,
    OfferedSchema,
    OfflineRequest,
    answered_calls,
    decline,
    decline_all_but,
)

READ_CASE = "read_case"
SEARCH = "search"
READ_LINES = "read_lines"
MAX_SIGN_CHARACTERS = 500
"""Characters of a failure line used in a search."""
SEED_PATTERN = r"\bseed\b.{0,20}\d"

_ABILITY = "judge whether the result of a test is right, with the tools read_case, search and read_lines"
_MENTION = re.compile(r"^(?P<path>.+?):(?P<number>\d+): (?P<line>.*)$", re.MULTILINE)
_HEADING = re.compile(r"_{3,}|FAIL|ERROR")
_LINES_BEFORE, _LINES_READ = 2, 60
_VERDICTS = {"failed": "is_false_negative", "flaky": "is_flaky", "passed": "is_false_positive"}
"""Per kind of case, the verdict's field for a wrong result."""
_JUDGES = {"failed": judge, "flaky": judge_flaky, "passed": judge_passed}
_ANOTHER_RUN = "a second result of the same test: run again, alone and with the others"
_MORE_OUTPUT = "what the test and the application logged meanwhile"


def triage_case(request: OfflineRequest) -> AIMessage:
    """Judge one case: reply with the next tool call, the verdict, or an abstention."""
    case_id = request.attached(ATTACHED_CASE)
    if case_id is None or READ_CASE not in request.tools:
        return decline_all_but(_ABILITY)
    return _Investigation(request, case_id, answered_calls(request.messages)).reply()


@dataclass(frozen=True)
class _Investigation:
    """A case and the state of its investigation."""

    request: OfflineRequest
    case_id: str
    calls: Sequence[AnsweredCall]

    def reply(self) -> AIMessage:
        read = self._result_of(READ_CASE, {"case": self.case_id})
        if read is None:
            return self.request.call(READ_CASE, {"case": self.case_id})
        if read.failed:
            return decline(f"I cannot judge {self.case_id!r}: {read.text}")
        case = CaseText(**read.answer.artifact)
        for name, args in self._searches(case):
            if self._result_of(name, args) is None and self._may_call(name, args):
                return self.request.call(name, args)
        return self._conclude(self._with_logs(case))

    def _searches(self, case: CaseText) -> list[tuple[str, dict[str, Any]]]:
        """Return the log searches: the test's name with context, and seeds."""
        under = _common_folder([self.case_id, *(other["file"] for other in case.other_runs)])
        steps: list[tuple[str, dict[str, Any]]] = [(SEARCH, {"text": _test_name(case), "under": under})]
        mention = self._mention(steps[0][1])
        if mention:
            start = max(1, int(mention["number"]) - _LINES_BEFORE)
            steps.append((READ_LINES, {"path": mention["path"], "start": start, "count": _LINES_READ}))
        if case.sign and case.sign not in case.output:
            steps.append((SEARCH, {"text": case.sign[:MAX_SIGN_CHARACTERS], "under": under}))
        module = missing_module(case)
        if module:
            steps.append((SEARCH, {"text": rf"(^|[\s/\"'(]){re.escape(module)}(/|\.py\b)", "regex": True, "under": ""}))
        if case.passes:
            steps.append((SEARCH, {"text": SEED_PATTERN, "regex": True, "under": under}))
        return [step for step in steps if step[1].get("text", True)]

    def _mention(self, args: Mapping[str, Any]) -> re.Match[str] | None:
        """Return the best mention of the test in the logs: a heading or a failure first."""
        found = self._result_of(SEARCH, args)
        mentions = [match for match in _MENTION.finditer(found.text) if not match["path"].endswith(".xml")] if found else []
        headings = [match for match in mentions if _HEADING.search(match["line"])]
        return next(iter(sorted(headings, key=lambda match: "___" not in match["line"]) or mentions), None)

    def _with_logs(self, case: CaseText) -> CaseText:
        """Return the case with the results of the searches."""
        for name, args in self._searches(case):
            result = self._result_of(name, args)
            if result is None or result.failed:
                continue
            if name == READ_LINES:
                case = replace(case, log=_own_part(result.text, _test_name(case)))
            elif args["text"] != SEED_PATTERN and args.get("regex"):
                case = replace(case, code_lines=[match["line"] for match in _MENTION.finditer(result.text)])
            elif args.get("regex"):
                case = replace(case, found=[match["line"] for match in _MENTION.finditer(result.text)])
        return case

    def _conclude(self, case: CaseText) -> AIMessage:
        # A rejected answer would be rejected again: the rules find nothing else.
        finding = None if self._was_sent_back() else _quotable(_JUDGES[case.kind](case), case)
        for schema in self.request.formats:
            values = self._values(schema, finding, case)
            if values is not None:
                return self.request.answer(schema, values)
        return AIMessage(finding.explanation if finding else "What the folder holds does not tell whether the result is right.")

    def _values(self, schema: OfferedSchema, finding: Finding | None, case: CaseText) -> dict[str, Any] | None:
        """Return the values of an answer; an abstention only without a finding or another schema."""
        values = _verdict_values(schema, finding, case) if finding else None
        offers_verdict = any(set(_VERDICTS.values()) & schema.field_names for schema in self.request.formats)
        if values is None and (finding is None or not offers_verdict):
            values = _abstention_values(schema, case, [_described(call) for call in self.calls])
        return values

    def _was_sent_back(self) -> bool:
        formats = {schema.name for schema in self.request.formats if set(_VERDICTS.values()) & schema.field_names}
        return any(
            call["name"] in formats
            for message in self.request.messages
            if isinstance(message, AIMessage)
            for call in message.tool_calls
        )

    def _result_of(self, name: str, args: Mapping[str, Any]) -> AnsweredCall | None:
        return next((call for call in self.calls if call.name == name and dict(call.args) == dict(args)), None)

    def _may_call(self, name: str, args: Mapping[str, Any]) -> bool:
        tool = self.request.tools.get(name)
        return tool is not None and self.request.tool_choice.allows(name) and set(args) <= tool.field_names


def _quotable(finding: Finding | None, case: CaseText) -> Finding | None:
    """Return a finding with sufficiently long quotes; others are replaced by the result's start tags."""
    if finding is None:
        return None
    tags = case.written.splitlines()[::-1]
    quotes = [next((text for text in (quote, *tags) if _counts(text)), None) for quote in finding.quotes]
    return None if None in quotes else replace(finding, quotes=tuple(filter(None, quotes)))


def _counts(text: str) -> bool:
    return counts_as_quote(fold(text), MIN_QUOTE_COLUMNS) is None


def _common_folder(paths: Sequence[str]) -> str:
    """Return the innermost common folder of the files; empty for the root."""
    folders = [path.split("/")[:-1] for path in paths]
    shared = takewhile(lambda parts: len(set(parts)) == 1, zip(*folders, strict=False))
    return "/".join(parts[0] for parts in shared)


def _test_name(case: CaseText) -> str:
    return case.test.rsplit("::", 1)[-1]


def _own_part(text: str, name: str) -> str:
    """Return a log up to the next test's heading."""
    lines = text.splitlines()
    for index, line in enumerate(lines):
        if index > _LINES_BEFORE + 1 and line.startswith(("____", "====")) and name not in line:
            return "\n".join(lines[:index])
    return text


def _described(call: AnsweredCall) -> str:
    return f"{call.name}({', '.join(str(value) for value in call.args.values())})"


def _verdict_values(schema: OfferedSchema, finding: Finding, case: CaseText) -> dict[str, Any] | None:
    """Return the values of a verdict; ``None`` if the schema does not match or needs unknown values."""
    verdict = _VERDICTS[case.kind]
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


def _abstention_values(schema: OfferedSchema, case: CaseText, tried: Sequence[str]) -> dict[str, Any] | None:
    """Return the values of an abstention; ``None`` for other schemas."""
    if not {"missing", "tried"} <= schema.field_names:
        return None
    missing = [_MORE_OUTPUT] if case.other_runs else [_ANOTHER_RUN, _MORE_OUTPUT]
    missing += [f"why it passed where {different(other)}" for other in case.elsewhere if other["status"] == "passed"][:1]
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
