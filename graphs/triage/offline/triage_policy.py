"""The triage policy: looks at one case of a test run with the tools that are offered, then says whether its result is right.

It reads the case, looks up the test's name and random seeds in the logs, and judges by ``triage_rules``. A quote is a piece
of a tool's result, cut out by the program; what no rule can tell it leaves open, and says what is missing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, ToolCall

from answergraph.graphs.triage.offline.triage_answer import abstention_values, verdict_values
from answergraph.graphs.triage.offline.triage_case_text import CaseText
from answergraph.graphs.triage.offline.triage_rules import Finding, judge, judge_passed
from answergraph.models.offline.arithmetic_turn import AnsweredCall, answered_calls
from answergraph.models.offline.offline_policy import OfferedSchema, OfflineRequest, decline

READ_CASE = "read_case"
SEARCH = "search"
READ_LINES = "read_lines"
SEED_PATTERN = r"\bseed\b.{0,20}\d"

_CASE = re.compile(r"[Cc]ase (?P<mark>[`'\"])(?P<id>[^\n]+?#\d+)(?P=mark)")
_MENTION = re.compile(r"^(?P<path>.+?):(?P<number>\d+): (?P<line>.*)$", re.MULTILINE)
_HEADING = re.compile(r"_{3,}|FAIL|ERROR")
_LINES_BEFORE, _LINES_READ = 2, 60


class TriagePolicy:
    """Judges one case of a test run with the tools read_case, search and read_lines."""

    ability = "judge whether the result of a test is right, with the tools read_case, search and read_lines"

    def reply(self, request: OfflineRequest) -> AIMessage | None:
        """Return the next call, the verdict, or what is missing for one.

        Args:
            request: The conversation and what is bound.

        Returns:
            The next message; ``None`` if no case is asked about, or it cannot be read.
        """
        case_id = next((found for message in reversed(request.messages) if (found := _case_in(message))), None)
        if case_id is None or READ_CASE not in request.tools:
            return None
        return _Investigation(request, case_id, answered_calls(request.messages)).reply()


@dataclass(frozen=True)
class _Investigation:
    """One case, and how far it has been looked into."""

    request: OfflineRequest
    case_id: str
    calls: Sequence[AnsweredCall]

    def reply(self) -> AIMessage:
        read = self._result_of(READ_CASE, {"case": self.case_id})
        if read is None:
            return self._call(READ_CASE, {"case": self.case_id})
        if read.answer.status == "error":
            return decline(f"I cannot judge {self.case_id!r}: {read.text}")
        case = CaseText.read(read.text)
        return self._next_step(case) or self._conclude(self._with_logs(read.text, case))

    def _next_step(self, case: CaseText) -> AIMessage | None:
        """Return the next look at the logs: for the test's name, what stands around it, and seeds."""
        for name, args in self._searches(case):
            if self._result_of(name, args) is None and self._may_call(name, args):
                return self._call(name, args)
        return None

    def _searches(self, case: CaseText) -> list[tuple[str, dict[str, Any]]]:
        under = _common_folder([self.case_id, *(other.path for other in case.others)])
        steps: list[tuple[str, dict[str, Any]]] = [(SEARCH, {"text": _test_name(case), "under": under})]
        mention = self._mention(steps[0][1])
        if mention:
            start = max(1, int(mention["number"]) - _LINES_BEFORE)
            steps.append((READ_LINES, {"path": mention["path"], "start": start, "count": _LINES_READ}))
        if case.passes:
            steps.append((SEARCH, {"text": SEED_PATTERN, "regex": True, "under": under}))
        return [step for step in steps if step[1].get("text", True)]

    def _mention(self, args: Mapping[str, Any]) -> re.Match[str] | None:
        """Return where a log tells of the test: a heading or a failure rather than a passing remark."""
        found = self._result_of(SEARCH, args)
        mentions = [match for match in _MENTION.finditer(found.text) if not match["path"].endswith(".xml")] if found else []
        headings = [match for match in mentions if _HEADING.search(match["line"])]
        return next(iter(sorted(headings, key=lambda match: "___" not in match["line"]) or mentions), None)

    def _with_logs(self, text: str, case: CaseText) -> CaseText:
        """Return the case with what the searches brought."""
        log, found = "", []
        for name, args in self._searches(case):
            result = self._result_of(name, args)
            if result is None or result.answer.status == "error":
                continue
            if name == READ_LINES:
                log = _own_part(result.text, _test_name(case))
            elif args.get("regex"):
                found = [match[0] for match in _MENTION.finditer(result.text)]
        return CaseText.read(text, log=log, found=found)

    def _conclude(self, case: CaseText) -> AIMessage:
        finding = judge_passed(case) if case.header.get("status") == "passed" else judge(case)
        formats = [self.request.answer_format] if self.request.answer_format else list(self.request.tools.values())
        for schema in formats:
            values = self._values(schema, finding, case)
            if values is not None and schema is self.request.answer_format:
                return AIMessage(json.dumps(values, ensure_ascii=False))
            if values is not None and self.request.tool_choice.allows(schema.name):
                return self._call(schema.name, values)
        return AIMessage(finding.explanation if finding else "What the folder holds does not tell whether the result is right.")

    def _values(self, schema: OfferedSchema, finding: Finding | None, case: CaseText) -> dict[str, Any] | None:
        """Return the values of an answer; of an abstention only if there is no finding, or nothing else is offered."""
        values = verdict_values(schema, finding, case) if finding else None
        if values is None and (finding is None or not self._offers_verdict()):
            values = abstention_values(schema, case, [_described(call) for call in self.calls])
        return values

    def _offers_verdict(self) -> bool:
        formats = [self.request.answer_format] if self.request.answer_format else list(self.request.tools.values())
        return any(field.name in {"is_false_negative", "is_false_positive"} for schema in formats for field in schema.fields)

    def _result_of(self, name: str, args: Mapping[str, Any]) -> AnsweredCall | None:
        return next((call for call in self.calls if call.name == name and dict(call.args) == dict(args)), None)

    def _may_call(self, name: str, args: Mapping[str, Any]) -> bool:
        tool = self.request.tools.get(name)
        return tool is not None and self.request.tool_choice.allows(name) and set(args) <= {field.name for field in tool.fields}

    def _call(self, name: str, args: dict[str, Any]) -> AIMessage:
        taken = {call["id"] for message in self.request.messages if isinstance(message, AIMessage) for call in message.tool_calls}
        number = len(taken) + 1
        while f"offline_{number}" in taken:
            number += 1
        return AIMessage("", tool_calls=[ToolCall(name=name, args=args, id=f"offline_{number}")])


def _case_in(message: Any) -> str | None:
    match = _CASE.search(message.text) if isinstance(message, HumanMessage) else None
    return match["id"] if match else None


def _common_folder(paths: Sequence[str]) -> str:
    """Return the innermost folder that holds all the files; empty for the whole."""
    folders = [path.split("/")[:-1] for path in paths]
    shared = []
    for parts in zip(*folders, strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return "/".join(shared)


def _test_name(case: CaseText) -> str:
    return case.header.get("test", "").rsplit("::", 1)[-1]


def _own_part(text: str, name: str) -> str:
    """Return the part of a log up to the heading of the next test."""
    lines = text.splitlines()
    for index, line in enumerate(lines):
        if index > _LINES_BEFORE + 1 and (line.startswith("____") or line.startswith("====")) and name not in line:
            return "\n".join(lines[:index])
    return text


def _described(call: AnsweredCall) -> str:
    return f"{call.name}({', '.join(str(value) for value in call.args.values())})"
