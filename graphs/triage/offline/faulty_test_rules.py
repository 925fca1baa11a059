"""The rules about tests that are wrong themselves: in their preparation, their code, or what they compare."""

from __future__ import annotations

import ast
import re
from textwrap import dedent

from answergraph.graphs.triage.offline import triage_signs as signs
from answergraph.graphs.triage.offline.stack_frames import Frame
from answergraph.graphs.triage.offline.triage_case_text import CaseText, cut
from answergraph.graphs.triage.offline.triage_finding import Finding

_MISTAKES = frozenset({"NameError", "UnboundLocalError", "SyntaxError", "IndentationError"})
_TEST_HEAD = re.compile(r"^[ \t]*(?:async )?def test\w*\((?:self)?\).*:$", re.MULTILINE)
_FAILED_CHECK = re.compile(r"^\s*self\.assert(?:True|False|Equals?|IsNone|IsNotNone)\([^()]*\)$", re.MULTILINE)
_ON_PURPOSE = re.compile(
    r"always_?fail|built to fail|(?:on purpose|intentional(?:ly)?|deliberate(?:ly)?) fail|\bto fail the test\b"
    r"|fail\w* (?:on purpose|intentionally|deliberately)",
    re.IGNORECASE,
)
_CALCULATES = {kind.__name__ for kind in (len, int, str, float, bool, abs, sum, min, max, sorted, list, dict, set, tuple)}
_UNCLEAR = (ast.Import, ast.ImportFrom, ast.With, ast.Await, ast.Try, ast.Global)


def broken_preparation(case: CaseText) -> Finding | None:
    """Find that what prepares the test failed, so that the test itself did not run."""
    said = signs.SETUP.search(case.said)
    if said is not None and case.broke_in != "application":
        return _found(
            case.line_around(said[0]), 0.85, "The test's preparation failed; the test itself did not run.", _MEND_FIXTURE
        )
    broke = any(frame.is_support for frame in case.own_frames[-1:]) and not re.search(r"^> +raise\b", case.details, re.MULTILINE)
    if not case.is_assertion and case.names_an_error and broke and not case.waited_in_vain:
        return _found(case.failing_lines(), 0.75, "Code that prepares or helps the tests failed.", _MEND_FIXTURE)
    return None


def mistake_in_test(case: CaseText) -> Finding | None:
    """Find that the code of the test does not hold together."""
    lacks = re.search(r"AttributeError: (?:type object )?'(\w+)' (?:object )?has no attribute", "\n".join(case.error_lines))
    if not case.is_assertion and signs.MISUSE.search(case.said):
        return _found(case.failing_lines(), 0.75, "The test uses its own tools wrongly.", "Mend the test.")
    its_own = lacks is not None and lacks[1] in re.split(r"\W+", case.test)
    if not its_own and not (case.error_type in _MISTAKES and case.broke_in == "test"):
        return None
    return _found(case.failing_lines(), 0.8, "The code of the test itself is wrong.", "Mend the test.")


def fails_by_itself(case: CaseText) -> Finding | None:
    """Find that a test checks only values that it wrote down itself, or says that it fails on purpose."""
    if not case.is_assertion:
        return None
    shown = (_shown_test(case.details), *_FAILED_CHECK.findall(case.details)[:1])
    on_purpose = _ON_PURPOSE.search(f"{case.test}\n{case.message}")
    if not (any(map(_is_self_contained, shown)) or on_purpose):
        return None
    explanation = "The test checks only what it wrote down itself: no application takes part."
    return _found(case.failing_lines(), 0.8, explanation, "Let the test call what it is about, or remove it.")


def unreadable_source(case: CaseText) -> Finding | None:
    """Find a failure real where a source file of the application cannot be parsed."""
    match = signs.UNREADABLE.search(case.said)
    if match is None or signs.RAISES.search(case.details) or Frame(match["path"], "").is_test:
        return None
    explanation = "A source file of the application cannot be read: it holds a syntax error."
    return Finding(False, 0.8, None, explanation, (case.line_around(match[0].split("\n")[0]),), "Mend the file.")


def _shown_test(details: str) -> str:
    """Return the source of a test, as pytest shows it down to the line that failed; empty if it is not shown."""
    head = _TEST_HEAD.search(details)
    failed = re.search(r"^>.*$", details[head.start() :], re.MULTILINE) if head else None
    return details[head.start() : head.start() + failed.end()].replace("\n>", "\n ") if head and failed else ""


def _is_self_contained(source: str) -> bool:
    """Return whether code compares only what it wrote under its own names, or checks a constant."""
    try:
        tree = ast.parse(dedent(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    nodes = list(ast.walk(tree))
    own = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    of_self = {node.attr for node in nodes if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self"}
    if any(isinstance(node, _UNCLEAR) for node in nodes) or not all(name.startswith("assert") for name in of_self):
        return False
    is_constant = bool(tree.body) and not any(isinstance(node, ast.Compare) for node in nodes)
    return names <= own | _CALCULATES | {"self"} and (bool(own) or is_constant)


_MEND_FIXTURE = "Mend the fixture that prepares the test."


def _found(quote: str, confidence: float, explanation: str, advice: str) -> Finding:
    return Finding(True, confidence, "tool_bug", explanation, (cut(quote),), advice)
