"""The rules of the triage policy: functions from a case to a finding or ``None``.

The first finding counts. Without one, the policy abstains and leaves the case to a person.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from answergraph.graphs.triage.offline import triage_signs as signs
from answergraph.graphs.triage.offline.course_rules import fails_in_one_place
from answergraph.graphs.triage.offline.faulty_test_rules import (
    broken_preparation,
    fails_by_itself,
    mistake_in_test,
    unreadable_source,
)
from answergraph.graphs.triage.offline.import_rules import missing_code
from answergraph.graphs.triage.offline.triage_case_text import MAX_QUOTE_CHARACTERS, CaseText, cut
from answergraph.graphs.triage.offline.triage_finding import Finding, TriageRule

_RESEMBLE_BAD_DATA = frozenset({"TypeError", "KeyError", "AttributeError", "IndexError", "ValueError"})
"""Errors that application code raises for wrong data."""
_NEVER_RAN = re.compile(
    r"^failed on (?:setup|teardown)|^(?:collection|setup|teardown) (?:failure|error)|Test suite failed to run"
)
_COMPARED = re.compile(
    r"assert (\S+) [!=]= (\S+)|[Ee]xpected:? <?([^\s<>]+)>? (?:to (?:\w+ )?equal|to be|but was:?) <?([^\s<>]+)"
    r"|Expected: +(\S+)\s+Received: +(\S+)"
)
_STATUS = re.compile(r"[1-5]\d\d")
"""The status of an HTTP response."""
MAX_QUOTED_TRIES = 5
"""Failed tries quoted for a flaky test."""
_MANY_TIMEOUTS = 2
"""Further time-outs of the same test that rule out coincidence."""


def judge(case: CaseText) -> Finding | None:
    """Return the finding of the first matching rule for a failed case, or ``None``."""
    return next((finding for rule in RULES if (finding := rule(case)) is not None and all(finding.quotes)), None)


def judge_flaky(case: CaseText) -> Finding | None:
    """Return the finding for a test that failed and passed in one run; ``None`` without a quote."""
    said = [case.sign] if case.sign else [text.split("\n", 1)[-1] for text in case.tries]
    times = f"{len(case.tries)} times" if len(case.tries) > 1 else "once"
    explanation = f"The test failed {times} and then passed, in one run: its result depends on more than the code."
    quotes = (*(cut(text.strip()) for text in said[:MAX_QUOTED_TRIES]), *([] if case.sign else [case.written]))
    advice = "Find what it depends on; until then neither its passes nor its failures tell much."
    return Finding(True, 0.95, None, explanation, quotes, advice)


def judge_passed(case: CaseText) -> Finding | None:
    """Return whether a passed case should have failed; ``None`` if unknown."""
    for text in (case.output, case.log):
        match = signs.UNNOTICED.search(text)
        if match:
            explanation = "Something failed while the test ran, and the test was not told of it."
            advice = "Let the test fail when this happens, for instance by checking the result of the background work."
            return Finding(True, 0.75, "tool_bug", explanation, (cut(match[0].strip()),), advice)
    return None


def _full_disk(case: CaseText) -> Finding | None:
    line = _environment_line(case, signs.DISK)
    explanation = "The disk of the machine was full; the test could not do its work."
    advice = "Free disk space on the machine and run the test again."
    return Finding(True, 0.9, "temporary_error", explanation, (line,), advice) if line else None


def _unreachable(case: CaseText) -> Finding | None:
    line = _environment_line(case, signs.CONNECTION)
    explanation = "A service the test needs could not be reached."
    advice = "See that the service runs, and run the test again."
    confidence = 0.6 if case.is_assertion else 0.85
    return Finding(True, confidence, "temporary_error", explanation, (line,), advice) if line else None


def _timed_out(case: CaseText) -> Finding | None:
    line = _environment_line(case, signs.TIMEOUT)
    if not line or case.waited_in_vain or (len(case.same_failures) + len(case.tries) >= _MANY_TIMEOUTS and not case.passes):
        return None
    explanation = "The test waited for something that did not come in time."
    quotes = (line, *(other["written"] for other in case.passes[:1]))
    return Finding(
        True, 0.9 if case.passes else 0.65, "temporary_error", explanation, quotes, "Run the test again on a quiet machine."
    )


def _no_resources(case: CaseText) -> Finding | None:
    line = _environment_line(case, signs.RESOURCES)
    explanation = "The machine ran out of memory, processes or open files; the test could not do its work."
    advice = "Give the run more of what it lacked, and run the test again; if it fails alone too, look for a leak."
    return Finding(True, 0.7, "temporary_error", explanation, (line,), advice) if line else None


def _missing_environment(case: CaseText) -> Finding | None:
    sign = None if case.is_assertion or case.waited_in_vain else signs.ENVIRONMENT.search(case.said)
    said = case.line_around(sign[0]) if sign else None
    if said is None and case.error_type == "KeyError" and signs.ENVIRON.search(case.details):
        said = case.failing_lines()
    if said is None or case.broke_in == "application" or signs.RAISES.search(case.details):
        return None
    explanation = "What the test needs around it is not there: a variable of the environment, a program or a browser."
    return Finding(True, 0.75, "tool_bug", explanation, (cut(said),), "Prepare the machine of the run as the test expects it.")


def _passes_again(case: CaseText) -> Finding | None:
    if not case.passes:
        return None
    passed = case.passes[0]
    quotes = (case.failing_lines(), passed["written"])
    for applies, cause, explanation, advice in _VARYING:
        further = applies(case)
        if further is not None:
            return Finding(True, 0.85, cause, explanation, (*quotes, *further), advice)
    explanation = "The same test passed in another run of the folder; what differed between the runs cannot be told."
    return Finding(True, 0.7, None, explanation, quotes, "Run the test several times, alone and with the others.")


def _varies_with_chance(case: CaseText) -> Sequence[str] | None:
    return _different_seeds(case) if signs.RANDOM.search(case.details) else None


def _varies_with_seed(case: CaseText) -> Sequence[str] | None:
    # If the test order is random, too, a seed says nothing about the test.
    same_order = any(other["order"] in {"the same cases", "no other"} for other in case.passes)
    return _different_seeds(case) or None if same_order else None


def _different_seeds(case: CaseText) -> Sequence[str]:
    lines = [line for line in case.found if signs.SEED.search(line)]
    return next(((one, other) for one, other in pairwise(lines) if _seed(one) != _seed(other)), ())


def _varies_with_clock(case: CaseText) -> Sequence[str] | None:
    return () if signs.CLOCK_CALL.search(case.details) or signs.EXPIRED.search(case.message) else None


def _varies_with_order(case: CaseText) -> Sequence[str] | None:
    fails_again = [other for other in case.same_failures if other["order"] == "the same cases"]
    passes_otherwise = all(other["order"] != "the same cases" for other in case.passes)
    return (fails_again[0]["written"],) if fails_again and passes_otherwise else None


def _varies_with_timing(case: CaseText) -> Sequence[str] | None:
    return () if signs.TIMING.search(case.details) else None


_RANDOM_DATA = "The test fails with some random numbers and passes with others."
_FIX_THE_SEED = "Fix the seed, or expect only what holds for every draw."
_VARYING: tuple[tuple[Callable[[CaseText], Sequence[str] | None], str, str, str], ...] = (
    (_varies_with_chance, "tool_bug", _RANDOM_DATA, _FIX_THE_SEED),
    (
        _varies_with_order,
        "tool_bug",
        "The test fails after certain other tests and passes without them: it sees what they left behind.",
        "Restore the shared state between the tests.",
    ),
    (
        _varies_with_clock,
        "tool_bug",
        "The test reads the clock: it fails at one time and passes at another.",
        "Give the test a fixed time.",
    ),
    (
        _varies_with_timing,
        "temporary_error",
        "The test depends on timing: it failed in one run and passed in another under the same conditions.",
        "Wait for the event and not for a time.",
    ),
    (_varies_with_seed, "tool_bug", _RANDOM_DATA, _FIX_THE_SEED),
)


def _date_gone_by(case: CaseText) -> Finding | None:
    explanation = "The test compares the present date with one that is written down in it; with time it had to fail."
    advice = "Give the test a fixed time, or dates relative to the present."
    this_year = case.started[:4]
    for line in case.error_lines if not case.is_assertion else ():
        if signs.EXPIRED.search(line) and signs.YEAR.search(line):
            return Finding(True, 0.8, "tool_bug", explanation, (cut(line),), advice)
    lines = case.failing_lines()
    years = set(signs.YEAR.findall("\n".join(line for line in lines.splitlines() if line.startswith("E"))))
    if case.is_assertion and this_year in years and len(years) > 1:
        return Finding(True, 0.8, "tool_bug", explanation, (lines,), advice)
    return None


def _real(case: CaseText) -> Finding | None:
    """Find a failure real if the test is deterministic or fails again in the same way."""
    if _NEVER_RAN.search(f"{case.message}\n{case.details[:MAX_QUOTE_CHARACTERS]}") or case.passes or case.is_suspicious:
        return None
    if any(signs.IMPORT.search(line) for line in case.error_lines):
        return None  # not decided by the rule about missing code
    failed_again = bool(case.same_failures or case.tries)
    confidence = 0.85 if failed_again else 0.65
    advice = "Treat it as a defect of the application."
    is_plain = case.takes_fixtures is False or (case.takes_fixtures is None and (case.shows_both_sides or bool(case.own_frames)))
    if case.is_assertion and (failed_again or is_plain) and not _may_be_the_tests(case):
        explanation = "A check of the test failed, and nothing around it explains why: the application does something else."
        return Finding(False, confidence, None, explanation, (case.failing_lines(),), advice)
    handed_bad_data = case.takes_fixtures is not False and case.error_type in _RESEMBLE_BAD_DATA
    own_error = case.raises_its_own or (case.broke_in == "application" and not handed_bad_data)
    if not case.is_assertion and case.names_an_error and own_error:
        explanation = "The application raised an error of its own while it did what the test asked for."
        return Finding(False, confidence, None, explanation, (case.failing_lines(),), advice)
    return None


def _may_be_the_tests(case: CaseText) -> bool:
    """Return whether what a check compared may as well be wrong in the test: a response, a page, a form, or nothing."""
    match = _COMPARED.search(case.said)
    one, other = [value.strip("'\"`") for value in match.groups() if value] if match else ("", "-")
    only_form_differs = one == other or bool(_STATUS.fullmatch(one) and _STATUS.fullmatch(other))
    is_loose = any(sign.search(case.said) for sign in (signs.RESPONSE, signs.LOOSE))
    return only_form_differs or is_loose or not case.shows_both_sides


RULES: tuple[TriageRule, ...] = (
    _full_disk,
    _unreachable,
    _timed_out,
    _no_resources,
    unreadable_source,
    mistake_in_test,
    missing_code,
    _missing_environment,
    broken_preparation,
    _passes_again,
    _date_gone_by,
    fails_by_itself,
    fails_in_one_place,
    _real,
)
"""In order: problems of the machine, of the test, of the application."""


def _environment_line(case: CaseText, sign: re.Pattern[str]) -> str | None:
    """Return the system's error line: of the exception, or of the log if a check failed."""
    if signs.RAISES.search(case.details):
        return None
    if not case.is_assertion:
        return next((cut(line) for line in case.error_lines if sign.search(line)), None)
    return next((cut(line) for line in case.complaints.splitlines() if sign.search(line)), None)


def _seed(line: str) -> str:
    match = signs.SEED.search(line)
    return match[1] if match else ""
