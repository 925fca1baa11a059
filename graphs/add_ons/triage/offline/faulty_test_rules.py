"""The rules about tests that are wrong themselves: in their preparation or their code."""

import re

from answergraph.graphs.add_ons.triage.offline import triage_signs as signs
from answergraph.graphs.add_ons.triage.offline.stack_frames import Frame
from answergraph.graphs.add_ons.triage.offline.triage_case_text import CaseText, Conclusion, cut

_MISTAKES = frozenset({"NameError", "ReferenceError", "UnboundLocalError", "SyntaxError", "IndentationError"})
_BY_TOOL = re.compile(r"strict mode violation|Mock |Double ")
"""The test tool's own words for a failed check."""
_TOOLS = re.compile(r"node_modules/(?:chai|sinon|expect)\b|site-packages/(?:_?pytest|mock|responses)\b")
_RAISED = re.compile(r"^> +raise\b|^ +raise\b.*\n+E ", re.MULTILINE)
"""A helper of the tests raised the error, whose cause may be the application."""


def broken_preparation(case: CaseText) -> Conclusion | None:
    """Find a failed preparation: the test itself did not run."""
    match = signs.SETUP.search(case.failure)
    if match is not None and case.broke_in != "application":
        explanation = "The test's preparation failed; the test itself did not run."
        return _tool_bug(case.line_around(match[0]), 0.85, explanation, _MEND_FIXTURE)
    broke = any(frame.is_support for frame in case.own_frames[-1:]) and not _RAISED.search(case.details)
    if not case.is_assertion and case.names_an_error and broke and not case.waited_in_vain:
        return _tool_bug(case.failing_lines(), 0.75, "Code that prepares or helps the tests failed.", _MEND_FIXTURE)
    return None


def mistake_in_test(case: CaseText) -> Conclusion | None:
    """Find an error in the test's own code."""
    lacks = re.search(r"AttributeError: (?:type object )?'(\w+)' (?:object )?has no attribute", "\n".join(case.error_lines))
    misused = signs.MISUSE.search(case.failure)
    if misused and (not case.is_assertion or case.error_type == "Failed" or _BY_TOOL.search(misused[0])):
        explanation = "The test uses its own tools wrongly, or they are not prepared."
        return _tool_bug(case.line_around(misused[0]), 0.75, explanation, "Mend the test.")
    unreadable = signs.UNREADABLE.search(case.failure)
    is_unreadable = unreadable is not None and Frame(unreadable["path"] or unreadable["module"], "").is_test
    its_own = is_unreadable or (lacks is not None and lacks[1] in re.split(r"\W+", case.test))
    if not its_own and not (case.broke_in == "test" and _is_mistaken(case)):
        return None
    return _tool_bug(case.failing_lines(), 0.8, "The code of the test itself is wrong.", "Mend the test.")


def _is_mistaken(case: CaseText) -> bool:
    """Return whether the error that ended the test is a mistake of the test's own code."""
    text = "\n".join(case.error_lines)
    in_tool = case.error_type == "TypeError" and _TOOLS.search(case.frames[-1].path)
    return bool(case.error_type in _MISTAKES or in_tool or (signs.OF_ITS_OWN.search(text) and not case.is_assertion))


_MEND_FIXTURE = "Mend the fixture that prepares the test."


def _tool_bug(quote: str, confidence: float, explanation: str, advice: str) -> Conclusion:
    return Conclusion(True, confidence, "tool_bug", explanation, (cut(quote),), advice)
