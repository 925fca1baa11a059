"""The rules about failed checks and errors of the application: text shows that test and application disagree, not who is wrong.

Only a tool that examined the application without the test, such as a compiler, proves in text that the application is wrong.
"""

import re
from dataclasses import dataclass

from answergraph.graphs.add_ons.triage.offline import triage_signs as signs
from answergraph.graphs.add_ons.triage.offline.stack_frames import Frame
from answergraph.graphs.add_ons.triage.offline.triage_case_text import MAX_QUOTE_CHARACTERS, CaseText, Conclusion
from answergraph.graphs.add_ons.triage.run_files.case_facts import different

_NEVER_RAN = re.compile(
    r"^failed on (?:setup|teardown)|^(?:collection|setup|teardown) (?:failure|error)|Test suite failed to run"
)
_OF_MACHINE = re.compile(r"AttributeError: module |\[Errno \d+\]|\bENOENT\b")
"""Signs of another version of a package, or of a refusal by the system."""
_VALUE = r"""('[^'\n]{0,200}'|"[^"\n]{0,200}"|<[^>\n]{0,200}>|\[[^\]\n]{0,200}\]|\([^()\n]{0,200}\)|[^\s,;]{1,200})"""
_ACTUAL_FIRST = (
    r"(?:\bassert|AssertionError:) VALUE (?:[!=<>]=|[<>]) VALUE",  # pytest, unittest
    r"^VALUE !==? VALUE$|^(?:.*Exception: )?VALUE did not equal VALUE",  # Node, Robot Framework, ScalaTest
    r"\b[Ll]eft: +VALUE\s+[Rr]ight: +VALUE",  # Rust, Elixir
    r"expected VALUE to (?:\w+ )?(?:equal|be) VALUE",  # Chai, Vitest
    r"Expecting(?: actual)?:\s+VALUE\s+to be equal to:\s+VALUE",  # AssertJ
    r"asserting that (?:actual size )?VALUE (?:matches expected(?: size)?|is(?: identical to)?) VALUE",  # PHPUnit
    r"Actual: VALUE\s+Expected: VALUE|(?:\bgot:?|=) VALUE[,;] want(?:ed)?:? VALUE",  # C++, Go
)
_EXPECTED_FIRST = (
    r"^[ \t]*expected: LINE$\s+^[ \t]*actual *: LINE$",  # testify
    r"[Ee]xpected:? ?VALUE (?:but (?:was|found|got):?) ?VALUE",  # TestNG, JUnit
    r"[Ee]xpected(?: length)? *:? *(?:is )?VALUE[.,]?\s+"  # Jest, NUnit, RSpec, Minitest
    r"(?:[Rr]eceived|[Aa]ctual|got|[Bb]ut)(?: length| was)? *:? *(?:was )?VALUE",
)
_ACTUAL_EXPECTED, _EXPECTED_ACTUAL = (
    re.compile("|".join(patterns).replace("VALUE", _VALUE).replace("LINE", r"(\S[^\n]{0,300})"), re.MULTILINE)
    for patterns in (_ACTUAL_FIRST, _EXPECTED_FIRST)
)
_CHECK_LINE = re.compile(r"^> +(\S.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Sides:
    """What a check expected and what came, and where both stand."""

    expected: str
    actual: str
    test_place: str
    application_place: str


def is_reported_broken(case: CaseText) -> Conclusion | None:
    """Judge a failure real if a linter, compiler, sanitizer or browser says that the code or the application is broken."""
    match = signs.BROKEN.search(case.details)
    explanation = "A tool that read the code, or watched the application, says that it is broken."
    return match and _real(0.75, explanation, case.line_around(match[0]))


def unreadable_source(case: CaseText) -> Conclusion | None:
    """Judge a failure real if a source file of the application cannot be parsed."""
    match = signs.UNREADABLE.search(case.failure)
    if match is None or signs.RAISES.search(case.details) or Frame(match["path"] or match["module"], "").is_test:
        return None
    explanation = "A source file of the application cannot be read: it holds a syntax error."
    return _real(0.8, explanation, case.line_around(match[0].split("\n")[0]))


def disagree(case: CaseText) -> Conclusion | None:
    """Say that test and application disagree: a check failed, or the application raised an error, and nothing shows why."""
    by_application = case.names_an_error and case.broke_in == "application"
    # A module that breaks while it is imported meets no check; a package of another version may be to blame.
    never_ran = case.breaks_at_import or _NEVER_RAN.search(f"{case.message}\n{case.details[:MAX_QUOTE_CHARACTERS]}")
    refused = signs.REFUSED.search(f"{case.output}\n{case.log}")
    # Missing code was not decided by its own rule.
    of_surroundings = any(sign.search(line) for sign in (signs.IMPORT, _OF_MACHINE) for line in case.error_lines)
    if not (case.is_assertion or by_application) or never_ran or case.passes or case.waited_in_vain:
        return None
    if case.is_suspicious or of_surroundings or refused:
        return None
    return disagreement(case, case.failing_lines())


def disagreement(case: CaseText, quote: str) -> Conclusion:
    """Return the conclusion that test and application disagree."""
    passed = [f" The test passes where {different(other)}." for other in case.elsewhere if other["status"] == "passed"]
    explanation = "".join(
        ["A check failed, or an error came; whether the application or the test is wrong, the text does not show.", *passed[:1]]
    )
    advice = "Run it on the code that passed last (--act --last-green COMMIT): if it fails there too, look at what is around it."
    return Conclusion(None, 0.9, None, explanation, (quote,), advice)


def sides_of(case: CaseText) -> Sides:
    """Return what a check expected and what came, as far as the text shows it."""
    own = case.own_frames
    test = next((frame for frame in own if frame.is_test), None)
    application = own[-1] if case.broke_in == "application" else None
    actual, expected = _compared(case)
    return Sides(expected, actual, _location(test), _location(application))


def _compared(case: CaseText) -> tuple[str, str]:
    if not case.is_assertion:
        return " ".join((case.error_lines or [case.message])[-1].split()), "no error"
    # pytest shows the check's source, too: only its marked lines have values.
    text = "\n".join(case.marked_lines) or case.failure
    if match := _EXPECTED_ACTUAL.search(text):
        expected, actual = (value for value in match.groups() if value)
        return actual, expected
    if match := _ACTUAL_EXPECTED.search(text):
        actual, expected = (value for value in match.groups() if value)
        return actual, expected
    check = _CHECK_LINE.findall(case.details)
    return " ".join(case.message.split())[:MAX_QUOTE_CHARACTERS], check[-1] if check else "what the check says"


def _location(frame: Frame | None) -> str:
    return f"{frame.path}:{frame.line}" if frame else ""


def _real(confidence: float, explanation: str, quote: str) -> Conclusion:
    return Conclusion(False, confidence, None, explanation, (quote,), "Treat it as a defect of the application.")
