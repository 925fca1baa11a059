"""The rules that judge a failure real: each needs proof in the text that the application is wrong, not the test."""

import re
from math import isclose

from answergraph.graphs.add_ons.triage.offline import triage_signs as signs
from answergraph.graphs.add_ons.triage.offline.stack_frames import INSTALLED, Frame
from answergraph.graphs.add_ons.triage.offline.triage_case_text import MAX_QUOTE_CHARACTERS, CaseText, Conclusion
from answergraph.graphs.add_ons.triage.run_files.case_facts import different

_BROWSER = re.compile(r"chrom|webkit|firefox|safari|edge|mobile|desktop|iphone|ipad|pixel|opera", re.IGNORECASE)
_NEVER_RAN = re.compile(
    r"^failed on (?:setup|teardown)|^(?:collection|setup|teardown) (?:failure|error)|Test suite failed to run"
)
_OF_MACHINE = re.compile(r"for \|: 'type'|'type' object is not subscriptable|AttributeError: module |\[Errno \d+\]|\bENOENT\b")
"""Signs of another version of Python or of a package, or of a refusal by the system."""
_VALUE = r"""('[^'\n]{0,200}'|"[^"\n]{0,200}"|<[^>\n]{0,200}>|\[[^\]\n]{0,200}\]|\([^()\n]{0,200}\)|[^\s,;]{1,200})"""
_COMPARISONS = (
    r"^\s*expected: LINE$\s+^\s*actual *: LINE$",  # testify
    r"(?:\bassert|AssertionError:) VALUE (?:[!=<>]=|[<>]) VALUE",  # pytest, unittest
    r"^VALUE !==? VALUE$|^(?:.*Exception: )?VALUE did not equal VALUE",  # Node, Robot Framework, ScalaTest
    r"\b[Ll]eft: +VALUE\s+[Rr]ight: +VALUE",  # Rust, Elixir
    r"[Ee]xpected:? ?(?!values )VALUE (?:to (?:\w+ )?equal|to be|but (?:was|found|got):?) ?VALUE",  # Chai, Vitest, TestNG, JUnit
    r"[Ee]xpected(?: length)? *:? *(?:is )?VALUE[.,]?\s+"  # Jest, NUnit, RSpec, Minitest
    r"(?:[Rr]eceived|[Aa]ctual|got|[Bb]ut)(?: length| was)? *:? *(?:was )?VALUE",
    r"Expecting(?: actual)?:\s+VALUE\s+to be equal to:\s+VALUE",  # AssertJ
    r"asserting that (?:actual size )?VALUE (?:matches expected(?: size)?|is(?: identical to)?) VALUE",  # PHPUnit
    r"\w_(?:eq|ne)\(VALUE, VALUE\)|\(VALUE\) is not equal to \(VALUE\)",  # C, Swift
    r"of these values:\s+(?:.*\s+Which is: )?VALUE\s+(?:.*\s+Which is: )?VALUE$|expansion:\s+VALUE [!=]= VALUE",  # C++
    r"Actual: VALUE\s+Expected: VALUE",  # C++
    r"(?:\bgot:?|=) VALUE[,;] want(?:ed)?:? VALUE|should be\s+VALUE\s+but was\s+VALUE",  # Go, .NET
)
_COMPARED = re.compile("|".join(_COMPARISONS).replace("VALUE", _VALUE).replace("LINE", r"(\S[^\n]{0,300})"), re.MULTILINE)
_CHANGED = re.compile(
    r"^(?:E\s+)?([+-])(?: +|(?=['\d]))(?!\s|actual\b|[Ee]xpected\b|[Rr]eceived\b|where\b)(.{1,200})$", re.MULTILINE
)
_COLOUR = re.compile(r"[\x1b?]?\[\d{1,2}m")
_BUILT_IN = "(?:len|str|int|float|bool|sorted|list|set|type|isinstance|any|all)"
_CALLED = re.compile(rf"^E\s+\+\s+where (?!(?:True|False|None) )[^\n]{{1,300}} = (?!{_BUILT_IN}\()[\w.]+\(", re.MULTILINE)
"""pytest shows which call returned the value."""
_NUMBER = re.compile(r"-?\d{1,300}(?:\.\d+)?")
_MEASURED = re.compile(r"^(?:E| )\s+(?:\w+: )?assert (?=.*\d\.\d{3}).* [<>]=? ", re.MULTILINE)
"""A value with many decimals is above or below a limit: it was measured, or learnt."""
_STATUS = re.compile(r"[1-5]\d\d")
_MOMENT = re.compile(r"\d[-/]\d\d[-/T]|\d\d:\d\d|\bdatetime\b")
_WORDS = re.compile(r"(?!(?:null|None|nil|[Tt]rue|[Ff]alse)$)[^(\[{]*[A-Za-z][^(\[{]*")
_TRUTH = re.compile(r"[Tt]rue|[Ff]alse")


def fails_in_one_place(case: CaseText) -> Conclusion | None:
    """Judge a failure real if only one environment shows it and nothing in it is time-dependent."""
    passed = [other for other in case.elsewhere if other["status"] == "passed" and _is_other_environment(other["differs"])]
    if not passed or case.passes or case.is_suspicious or not (case.is_assertion or case.broke_in == "application"):
        return None
    explanation = f"The test fails here and passes where {different(passed[0])}: the failure belongs to that environment."
    quotes = (case.failing_lines(), passed[0]["written"])
    return Conclusion(False, 0.7, None, explanation, quotes, "Treat it as a defect that shows in this environment only.")


def is_reported_broken(case: CaseText) -> Conclusion | None:
    """Judge a failure real if a linter, compiler, sanitizer or browser says that the code or the application is broken."""
    match = signs.BROKEN.search(case.details)
    explanation = "A tool that read the code, or watched the application, says that it is broken."
    return match and _real(0.75, explanation, case.line_around(match[0]))


def unreadable_source(case: CaseText) -> Conclusion | None:
    """Judge a failure real if a source file of the application cannot be parsed."""
    match = signs.UNREADABLE.search(case.said)
    if match is None or signs.RAISES.search(case.details) or Frame(match["path"] or match["module"], "").is_test:
        return None
    explanation = "A source file of the application cannot be read: it holds a syntax error."
    return _real(0.8, explanation, case.line_around(match[0].split("\n")[0]))


def computes_wrongly(case: CaseText) -> Conclusion | None:
    """Judge a failure real if the check shows a value that the application computed, and nothing else explains it."""
    if not case.is_assertion or _is_explained(case) or (case.takes_fixtures and not _failed_again(case)):
        return None
    # Suites of Java classes that are not named as unit tests drive browsers and services.
    frames = [frame for frame in case.own_frames if frame.class_name]
    is_unit = not frames or any(frame.is_test for frame in frames)
    is_proved = not _MEASURED.search(case.details) and (
        _CALLED.search(case.details) or signs.STATED.search(case.said) or _differ(case)
    )
    if not is_proved or not is_unit or signs.THROUGH_INTERFACE.search(case.test) or signs.NOT_COMPUTED.search(case.said):
        return None
    explanation = "A check of the test failed, and nothing around it explains why: the application does something else."
    return _real(0.85 if _failed_again(case) else 0.65, explanation, case.failing_lines())


def is_unwritten(case: CaseText) -> Conclusion | None:
    """Judge a failure real if code outside the test's own file says that it is not written yet."""
    by_own_code = case.error_type in {"NotImplementedError", "NotImplementedException"} and case.frames == case.own_frames
    if case.passes or not by_own_code or len({frame.path for frame in case.own_frames}) == 1:
        return None
    return _real(0.75, "The code that the test asks for is not written yet.", case.failing_lines())


def breaks_itself(case: CaseText) -> Conclusion | None:
    """Judge a failure real if the application's own code raised an error that wrong data do not explain."""
    at_import = case.breaks_at_import and not INSTALLED.search(case.frames[-1].path)
    refuses = signs.RESEMBLES_BAD_DATA.search(case.error_type) or any(map(signs.REFUSAL.search, case.error_lines))
    handed_bad_data = case.takes_fixtures is not False and refuses and not at_import
    if case.is_assertion or not case.names_an_error or case.broke_in != "application" or handed_bad_data:
        return None
    if _is_explained(case, at_import=at_import) or any(map(_OF_MACHINE.search, case.error_lines)):
        return None
    explanation = "The application raised an error of its own while it did what the test asked for."
    return _real(0.85 if _failed_again(case) else 0.65, explanation, case.failing_lines())


def _real(confidence: float, explanation: str, quote: str) -> Conclusion:
    return Conclusion(False, confidence, None, explanation, (quote,), "Treat it as a defect of the application.")


def _failed_again(case: CaseText) -> bool:
    return bool(case.same_failures or case.tries)


def _is_explained(case: CaseText, *, at_import: bool = False) -> bool:
    """Return whether something else than the application may explain the failure."""
    never_ran = not at_import and _NEVER_RAN.search(f"{case.message}\n{case.details[:MAX_QUOTE_CHARACTERS]}")
    # Missing code was not decided by its own rule.
    return bool(never_ran or case.passes or case.is_suspicious or any(map(signs.IMPORT.search, case.error_lines)))


def _differ(case: CaseText) -> bool:
    """Return whether the compared values differ in more than wording, form or time; otherwise the test may be outdated."""
    said = _COLOUR.sub("", case.said)
    match = _COMPARED.search(said)
    if match:
        one, other = (value for value in match.groups() if value)
    else:
        changed = _CHANGED.findall(said)
        one, other = ("".join(text for mark, text in changed if mark == sign) for sign in "+-")
    one, other = (re.sub(r"[\s'\"`<>]", "", value).strip(".,") for value in (one, other))
    if one[:1] == other[:1] == "[":
        one, other = one.strip("[]"), other.strip("[]")
    if one.partition(":")[0] == other.partition(":")[0]:  # the values of one key
        one, other = (value.partition(":")[2] or value for value in (one, other))
    both = any(kind.fullmatch(one) and kind.fullmatch(other) for kind in (_STATUS, _WORDS))
    # In Java and C# tests that drive browsers are named like unit tests, and ask only whether something is shown.
    of_page = _TRUTH.fullmatch(one) and any(frame.path.endswith((".java", ".kt", ".cs")) for frame in case.own_frames)
    at_times = _MOMENT.search(one) and _MOMENT.search(other)
    alike = one == other or (
        all(map(_NUMBER.fullmatch, (one, other))) and isclose(float(one), float(other), rel_tol=1e-6 if "." in one else 0)
    )
    return bool(one and other) and not (alike or both or of_page or at_times)


def _is_other_environment(differs: dict[str, tuple[str, str]]) -> bool:
    """Return whether two results of one name are of one test in two environments."""
    if differs.keys() & {"suite", "file"}:
        return False
    return differs.keys() != {"hostname"} or any(_BROWSER.search(value) for value in differs["hostname"])
