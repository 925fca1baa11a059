"""The triage policy: examines a case with the offered tools, then judges its result.

It reads the case, searches the logs for the test's name, and applies ``triage_rules``. Quotes are parts of
tool results. Without a matching rule it abstains and says what is missing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from posixpath import commonpath, dirname
from typing import Any

from langchain_core.messages import AIMessage

from answergraph import Quote
from answergraph.graphs.add_ons.triage.offline.disagreement_rules import sides_of
from answergraph.graphs.add_ons.triage.offline.import_rules import missing_module
from answergraph.graphs.add_ons.triage.offline.triage_case_text import CaseText, Conclusion
from answergraph.graphs.add_ons.triage.offline.triage_rules import judge, judge_flaky, judge_passed
from answergraph.graphs.add_ons.triage.offline.witness_table import WITNESSES, heard_in, next_witness, rule_for
from answergraph.graphs.add_ons.triage.run_files.case_facts import ATTACHED_CASE, different
from answergraph.graphs.add_ons.triage.run_files.case_identity import HEADING, tests_named_in
from answergraph.kit import locate
from answergraph.offline.offline_policy import AnsweredCall, OfflineRequest, answered_calls, decline, decline_all_but

READ_CASE = "read_case"
SEARCH = "search"
READ_LINES = "read_lines"
MAX_SIGN_CHARACTERS = 500
"""Characters of a failure line used in a search."""

_ABILITY = "judge whether the result of a test is right, with the tools read_case, search and read_lines"
_MENTION = re.compile(r"^(?P<path>.+?):(?P<number>\d+): (?P<line>.*)$", re.MULTILINE)
_HEADING = re.compile(r"_{3,}|FAIL|ERROR")
_LINES_READ = 200
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


def nothing_read(request: OfflineRequest) -> AIMessage:
    """Abstain: nobody has looked at the case."""
    schema = next(each for each in request.formats if "missing" in each.field_names)
    return request.answer(schema, {"missing": ["what the test run says: nothing of it was read"]})


@dataclass(frozen=True)
class _Investigation:
    """A case and the state of its investigation."""

    request: OfflineRequest
    case_id: str
    calls: Sequence[AnsweredCall]

    def reply(self) -> AIMessage:
        case_result = self._result_of(READ_CASE, {"case": self.case_id})
        if case_result is None:
            return self.request.call(READ_CASE, {"case": self.case_id})
        if case_result.failed:
            return decline(f"I cannot judge {self.case_id!r}: {case_result.text}")
        case = CaseText(**case_result.answer.artifact)
        for what, name, args in self._searches(case):
            result = self._result_of(name, args)
            if result is None and self._may_call(name, args):
                return self.request.call(name, args)
            if what and result is not None and not result.failed:
                lines = [match["line"] for match in _MENTION.finditer(result.text)]
                fact: Any = _own_part(result.text, case) if what == "log" else lines
                case = replace(case, **{what: fact})
        conclusion = _quotable(_JUDGES[case.kind](case), case)
        witness = next_witness(heard_in(self.request.messages))
        if witness and self._is_open(case, conclusion) and self._may_call(witness, {"case": self.case_id}):
            return self.request.call(witness, {"case": self.case_id})
        if conclusion and conclusion.misjudged is False and set(WITNESSES) & set(self.request.tools):
            conclusion = replace(conclusion, misjudged=None)  # where witnesses can be asked, only they show that it is real
        return self._conclude(case, self._by_witnesses() or conclusion)

    def _is_open(self, case: CaseText, conclusion: Conclusion | None) -> bool:
        """Return whether witnesses are asked: a machine that lacked something when the case ran may have it again."""
        return case.kind == "failed" and (conclusion is None or conclusion.cause != "temporary_error")

    def _by_witnesses(self) -> Conclusion | None:
        rule = rule_for(heard_in(self.request.messages))
        if rule is None:
            return None
        statements = {call.name: call.text.splitlines()[0] for call in self.calls if call.name in rule.saw and not call.failed}
        quotes = tuple(statements[name] for name in rule.saw)
        misjudged = {"real": False, "disagreement": None}.get(rule.verdict, True)
        explanation = f"{rule.explanation} {statements.get('run_old_tests', '').partition('). ')[2]}".strip()
        return Conclusion(misjudged, rule.confidence, rule.cause, explanation, quotes, rule.next_step, rule.verdict == "flaky")

    def _searches(self, case: CaseText) -> Iterator[tuple[str, str, dict[str, object]]]:
        """Yield the searches of the logs, each with what it tells of the case: the test's name with context."""
        under = commonpath([dirname(path) for path in (self.case_id, *(other["file"] for other in case.other_runs))])
        if _test_name(case):
            yield "", SEARCH, {"text": _test_name(case), "under": under}
        if mention := self._mention({"text": _test_name(case), "under": under}, case):
            yield "log", READ_LINES, {"path": mention["path"], "start": int(mention["number"]), "count": _LINES_READ}
        if case.sign and case.sign not in case.output:
            yield "", SEARCH, {"text": case.sign[:MAX_SIGN_CHARACTERS], "under": under}
        if module := missing_module(case):
            yield "code_lines", SEARCH, {"text": rf"(^|[\s/\"'(]){re.escape(module)}(/|\.py\b)", "regex": True, "under": ""}

    def _mention(self, args: Mapping[str, object], case: CaseText) -> re.Match[str] | None:
        """Return the best mention of the test in the logs: a heading or a failure first."""
        result = self._result_of(SEARCH, args)
        lines = _MENTION.finditer(result.text) if result else ()
        mentions = [match for match in lines if not match["path"].endswith(".xml") and _is_meant(case, match["line"])]
        headings = [match for match in mentions if _HEADING.search(match["line"])]
        return next(iter(sorted(headings, key=lambda match: "___" not in match["line"]) or mentions), None)

    def _conclude(self, case: CaseText, conclusion: Conclusion | None) -> AIMessage:
        # A rejected answer would be rejected again: the rules find nothing else.
        conclusion = None if self._was_sent_back() else conclusion
        answers = {"missing": _abstention_values(case, self.calls)}
        if conclusion is not None:
            field = _VERDICTS["flaky" if conclusion.is_flaky else case.kind]
            field = "is_disagreement" if conclusion.misjudged is None else field
            answers = {field: {field: conclusion.misjudged is not False, **_values(conclusion, case)}, **answers}
        for field, values in answers.items():
            for schema in self.request.formats:
                if field in schema.field_names:
                    return self.request.answer(schema, values)
        return AIMessage(
            conclusion.explanation if conclusion else "What the folder holds does not tell whether the result is right."
        )

    def _was_sent_back(self) -> bool:
        verdicts = {*_VERDICTS.values(), "is_disagreement"}
        formats = {schema.name for schema in self.request.formats if verdicts & schema.field_names}
        return any(
            call["name"] in formats
            for message in self.request.messages
            if isinstance(message, AIMessage)
            for call in message.tool_calls
        )

    def _result_of(self, name: str, args: Mapping[str, object]) -> AnsweredCall | None:
        return next((call for call in self.calls if call.name == name and dict(call.args) == dict(args)), None)

    def _may_call(self, name: str, args: Mapping[str, object]) -> bool:
        tool = self.request.tools.get(name)
        return tool is not None and self.request.tool_choice.allows(name) and set(args) <= tool.field_names


def _quotable(conclusion: Conclusion | None, case: CaseText) -> Conclusion | None:
    """Return a conclusion with sufficiently long quotes; others are replaced by the result's start tags."""
    if conclusion is None:
        return None
    tags = case.written.splitlines()[::-1]
    short = {text for text in (*conclusion.quotes, *tags) if locate(text, Quote(), [text])["status"] != "supported"}
    quotes = [next((text for text in (quote, *tags) if text not in short), "") for quote in conclusion.quotes]
    return replace(conclusion, quotes=tuple(quotes)) if all(quotes) else None


def _test_name(case: CaseText) -> str:
    return case.test.rsplit("::", 1)[-1]


def _is_meant(case: CaseText, line: str) -> bool:
    """Return whether a line of a log names the case's test, and no other that it cannot be told from."""
    class_name, _, name = case.test.rpartition("::")
    return tests_named_in(line, [(class_name, name), *((of, its) for of, its in case.namesakes)]) == [(class_name, name)]


def _own_part(text: str, case: CaseText) -> str:
    """Return a log up to the next test's heading."""
    lines = text.splitlines()
    ends = (index for index, line in enumerate(lines) if index > 1 and HEADING.search(line) and not _is_meant(case, line))
    return "\n".join(lines[: next(ends, None)])


def _values(conclusion: Conclusion, case: CaseText) -> dict[str, object]:
    """Return what a verdict or a disagreement says of a conclusion, in the order of its schema."""
    analysis: dict[str, object] = {
        "expected_result_analysis": _expectation(case),
        "step_execution_analysis": _execution(case),
        "misclassification_cause": conclusion.cause,
    }
    return {
        "confidence": conclusion.confidence,
        "evidence": list(dict.fromkeys(conclusion.quotes)),
        **(asdict(sides_of(case)) if conclusion.misjudged is None else analysis),
        "cause_details": conclusion.explanation,
        "recommendations": [conclusion.advice],
    }


def _abstention_values(case: CaseText, calls: Sequence[AnsweredCall]) -> dict[str, object]:
    missing = [_MORE_OUTPUT] if case.other_runs else [_ANOTHER_RUN, _MORE_OUTPUT]
    missing += [f"why it passed where {different(other)}" for other in case.elsewhere if other["status"] == "passed"][:1]
    return {"missing": missing, "tried": [f"{call.name}({', '.join(map(str, call.args.values()))})" for call in calls]}


def _expectation(case: CaseText) -> str:
    if case.status == "passed":
        return "Every check of the test passed."
    text = " ".join(case.message.split())
    return (
        f"A check failed: {text}" if case.is_assertion else f"No check was reached, or none decided; the run ended with: {text}"
    )


def _execution(case: CaseText) -> str:
    passed, failed = len(case.passes), len(case.other_runs) - len(case.passes)
    ended = f"The case ended as {case.status} and ran after {case.ran_after}."
    return f"{ended} Of its other results in the folder {passed} passed and {failed} failed."
