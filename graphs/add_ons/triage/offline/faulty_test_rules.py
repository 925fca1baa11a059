"""The rules about tests that are wrong themselves: in their preparation, their code, or what they compare."""

import re

from answergraph.graphs.add_ons.triage.offline import triage_signs as signs
from answergraph.graphs.add_ons.triage.offline.stack_frames import Frame
from answergraph.graphs.add_ons.triage.offline.triage_case_text import CaseText, Conclusion, cut

_MISTAKES = frozenset({"NameError", "ReferenceError", "UnboundLocalError", "SyntaxError", "IndentationError"})
_BY_TOOL = re.compile(r"strict mode violation|Mock |Double ")
"""The test tool's own words for a failed check."""
_TOOLS = re.compile(r"node_modules/(?:chai|sinon|expect)\b|site-packages/(?:_?pytest|mock|responses)\b")
_LITERAL = r"(?:-?[\d.]+|'[^'\n]*'|\"[^\"\n]*\"|\b(?:True|False|None)\b)"
_CONSTANTS = re.compile(
    rf"^ *def test\w*\((?:self)?\).*:\n(?P<given>(?: *(?:#.*|\"\"\".*|\w+ = {_LITERAL} *(?:#.*)?)?\n)*)"
    rf"> +assert (?P<check>(?:{_LITERAL}|[\w <>=!])+)(?:,.*)?$",
    re.MULTILINE,
)
"""A test that only names constants before its check, as pytest shows it."""
_RAISED = re.compile(r"^> +raise\b|^ +raise\b.*\n+E ", re.MULTILINE)
"""A helper of the tests raised the error, whose cause may be the application."""
_CONSTANT = re.compile(r"^[ \t]*self\.assert(?:True\(False|False\(True|Equals?\(\d+, \d+)\)", re.MULTILINE)
"""A failed check of unittest that names nothing."""


def broken_preparation(case: CaseText) -> Conclusion | None:
    """Find a failed preparation: the test itself did not run."""
    said = signs.SETUP.search(case.said)
    if said is not None and case.broke_in != "application":
        explanation = "The test's preparation failed; the test itself did not run."
        return _found(case.line_around(said[0]), 0.85, explanation, _MEND_FIXTURE)
    broke = any(frame.is_support for frame in case.own_frames[-1:]) and not _RAISED.search(case.details)
    if not case.is_assertion and case.names_an_error and broke and not case.waited_in_vain:
        return _found(case.failing_lines(), 0.75, "Code that prepares or helps the tests failed.", _MEND_FIXTURE)
    return None


def mistake_in_test(case: CaseText) -> Conclusion | None:
    """Find an error in the test's own code."""
    lacks = re.search(r"AttributeError: (?:type object )?'(\w+)' (?:object )?has no attribute", "\n".join(case.error_lines))
    misused = signs.MISUSE.search(case.said)
    if misused and (not case.is_assertion or case.error_type == "Failed" or _BY_TOOL.search(misused[0])):
        explanation = "The test uses its own tools wrongly, or they are not prepared."
        return _found(case.line_around(misused[0]), 0.75, explanation, "Mend the test.")
    unreadable = signs.UNREADABLE.search(case.said)
    is_unreadable = unreadable is not None and Frame(unreadable["path"] or unreadable["module"], "").is_test
    its_own = is_unreadable or (lacks is not None and lacks[1] in re.split(r"\W+", case.test))
    if not its_own and not (case.broke_in == "test" and _is_mistaken(case)):
        return None
    return _found(case.failing_lines(), 0.8, "The code of the test itself is wrong.", "Mend the test.")


def fails_by_itself(case: CaseText) -> Conclusion | None:
    """Judge a test faulty if it checks a constant, or says that it fails intentionally."""
    says_so = _CONSTANT.search(case.details) or signs.ON_PURPOSE.search(f"{case.test}\n{case.message}")
    if not case.is_assertion or not (says_so or _calls_nothing(case)):
        return None
    explanation = "The test checks a constant, or says that it fails on purpose: no application takes part."
    return _found(case.failing_lines(), 0.8, explanation, "Let the test call what it is about, or remove it.")


def _is_mistaken(case: CaseText) -> bool:
    """Return whether the error that ended the test is a mistake of the test's own code."""
    said = "\n".join(case.error_lines)
    in_tool = case.error_type == "TypeError" and _TOOLS.search(case.frames[-1].path)
    return bool(case.error_type in _MISTAKES or in_tool or (signs.OF_ITS_OWN.search(said) and not case.is_assertion))


def _calls_nothing(case: CaseText) -> bool:
    """Return whether a test compares constants alone."""
    shown = _CONSTANTS.search(case.details)
    given = {*re.findall(r"(\w+) =", shown["given"]), "and", "or", "not", "in", "is"} if shown else set()
    return shown is not None and {*re.findall(r"[A-Za-z_]\w*", re.sub(_LITERAL, "", shown["check"]))} <= given


_MEND_FIXTURE = "Mend the fixture that prepares the test."


def _found(quote: str, confidence: float, explanation: str, advice: str) -> Conclusion:
    return Conclusion(True, confidence, "tool_bug", explanation, (cut(quote),), advice)
