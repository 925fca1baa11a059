"""The rules of the triage policy: functions from a case to a conclusion or ``None``.

The first conclusion counts. Without one, the policy abstains and leaves the case to a person.
"""

import re
from collections.abc import Callable

from answergraph.graphs.add_ons.triage.offline import disagreement_rules as disagreements
from answergraph.graphs.add_ons.triage.offline import faulty_test_rules as faulty
from answergraph.graphs.add_ons.triage.offline import triage_signs as signs
from answergraph.graphs.add_ons.triage.offline.import_rules import missing_code
from answergraph.graphs.add_ons.triage.offline.triage_case_text import CaseText, Conclusion, cut

MAX_QUOTED_TRIES = 5
"""Failed tries quoted for a flaky test."""
_MANY_TIMEOUTS = 2
"""Further time-outs of the same test that rule out coincidence."""


def judge(case: CaseText) -> Conclusion | None:
    """Return the conclusion of the first matching rule for a failed case, or ``None``."""
    return next((conclusion for rule in RULES if (conclusion := rule(case)) is not None and all(conclusion.quotes)), None)


def judge_flaky(case: CaseText) -> Conclusion | None:
    """Return the conclusion for a test that failed and passed in one run; ``None`` without a quote."""
    texts = [case.sign] if case.sign else [text.split("\n", 1)[-1] for text in case.tries]
    times = f"{len(case.tries)} times" if len(case.tries) > 1 else "once"
    explanation = f"The test failed {times} and then passed, in one run: its result depends on more than the code."
    quotes = (*(cut(text.strip()) for text in texts[:MAX_QUOTED_TRIES]), *([] if case.sign else [case.written]))
    advice = "Find what it depends on; until then neither its passes nor its failures tell much."
    return Conclusion(True, 0.95, None, explanation, quotes, advice)


def judge_passed(case: CaseText) -> Conclusion | None:
    """Return whether a passed case should have failed; ``None`` if unknown."""
    for text in (case.output, case.log):
        if match := signs.UNNOTICED.search(text):
            explanation = "Something failed while the test ran, and the test did not notice it."
            advice = "Let the test fail when this happens, for instance by checking the result of the background work."
            return Conclusion(True, 0.75, "tool_bug", explanation, (cut(match[0].strip()),), advice)
    return None


_HYPOTHESIS_FLAKY = re.compile(r"hypothesis\.errors\.Flaky\w*|\bFlaky(?:Failure|ReplayFailure)?: ")
_LACKS = (
    (signs.DISK, 0.9, "The disk of the machine was full.", "Free disk space, and run the test again."),
    (signs.CONNECTION, 0.85, "A service could not be reached.", "See that the service runs, and run the test again."),
    (signs.HELD, 0.7, "The tests got no more memory, threads or open files.", "Give them more, or find the leak."),
    (signs.RESOURCES, 0.7, "The machine ran out of memory, processes or room.", "Give it more, or find the leak."),
    (signs.TIMEOUT, 0.65, "The test waited for something that did not come in time.", "Run the test again on a quiet machine."),
)
"""Per lack of the machine: its sign, the confidence, and the words."""


def _machine_lacks(case: CaseText) -> Conclusion | None:
    hangs_again = len(case.same_failures) + len(case.tries) >= _MANY_TIMEOUTS and not case.passes
    # The system's error is the exception's, or in the log if a check failed.
    lines = case.complaints.splitlines() if case.is_assertion else case.message_lines
    errors = lines if case.is_assertion else case.error_lines
    for sign, usual, explanation, advice in _LACKS if not signs.RAISES.search(case.details) else ():
        line = next((cut(line) for line in (errors if sign is signs.TIMEOUT else lines) if sign.search(line)), None)
        waits = sign is signs.TIMEOUT and (case.waited_in_vain or hangs_again or signs.TIME_LIMIT.search(case.failure))
        # Unless the test asked for it, the application may have, and more and more: a leak looks the same as a small machine.
        takes = sign is signs.HELD and (case.is_assertion or case.broke_in != "test") and not case.passes
        if line and not (waits or takes):
            confidence = 0.9 if case.passes else usual - 0.25 * case.is_assertion
            quotes = (line, *(other["written"] for other in case.passes[:1]))
            return Conclusion(True, confidence, "temporary_error", explanation, quotes, advice)
    return None


_PROGRAM_CHECKED = re.compile(r"^E +(?:\+ +where \d+ = CompletedProcess\(|(?:\w+: )?assert 127 == 0$)", re.MULTILINE)
"""A check compared how a program ended; what the program wrote is shown."""
_CODEC_CHOSEN = re.compile(r"""^(?:>|    ).*["'](?:us-)?ascii["']""", re.MULTILINE)
"""The code itself asks for the character set, so that the surroundings are not to blame."""


def _missing_environment(case: CaseText) -> Conclusion | None:
    # A page is closed around a test that waits too long, too.
    is_unclear = case.is_assertion or case.waited_in_vain or "waiting for navigation" in case.details
    text = case.line_around(sign[0]) if (sign := signs.ENVIRONMENT.search(case.failure)) and not is_unclear else None
    if text is None and case.error_type == "KeyError" and signs.ENVIRON.search(case.details):
        text = case.failing_lines()
    by_application = case.broke_in == "application" and not case.breaks_at_import
    # A server that cannot begin ends the program, and says why before.
    program_ended = case.error_type in {"SystemExit", "CalledProcessError"} or _PROGRAM_CHECKED.search(case.details)
    ended = "\n".join([*case.error_lines, *([case.output, case.log, case.details] if program_ended else [])])
    is_meant = _CODEC_CHOSEN.search("\n".join((case.details, case.output, case.log))) or (case.is_assertion and not program_ended)
    if (refusal := signs.REFUSED.search(ended)) and not is_meant:
        text, by_application = next(line.strip() for line in ended.splitlines() if refusal[0] in line), False
    if text is None or by_application or signs.RAISES.search(case.details):
        return None
    explanation = "What the test needs around it is not there: a variable of the environment, a program or a browser."
    return Conclusion(True, 0.75, "tool_bug", explanation, (cut(text),), "Prepare the machine of the run as the test expects it.")


def _varies_by_itself(case: CaseText) -> Conclusion | None:
    match = _HYPOTHESIS_FLAKY.search(case.failure)
    explanation = "Hypothesis ran the test again with the same data, and it ended otherwise."
    advice = "Find what besides the data it depends on: time, order, or state that an example leaves behind."
    return match and Conclusion(True, 0.85, "tool_bug", explanation, (case.line_around(match[0]),), advice)


def _passes_again(case: CaseText) -> Conclusion | None:
    if not case.passes:
        return None
    quotes = (case.failing_lines(), case.passes[0]["written"])
    again = [other["written"] for other in case.same_failures if other["order"] == "the same cases"]
    if again and "the same cases" not in [other["order"] for other in case.passes]:
        explanation = "The test fails after certain other tests and passes without them: it sees what they left behind."
        return Conclusion(True, 0.85, "tool_bug", explanation, (*quotes, again[0]), "Restore the shared state between the tests.")
    explanation = "The same test passed in another run of the folder; what differed between the runs cannot be told."
    return Conclusion(True, 0.7, None, explanation, quotes, "Run the test several times, alone and with the others: --act does.")


def _date_gone_by(case: CaseText) -> Conclusion | None:
    explanation = "The test compares the present date with one that is written down in it; with time it had to fail."
    advice = "Give the test a fixed time, or dates relative to the present."
    for line in case.error_lines if not case.is_assertion else ():
        if signs.EXPIRED.search(line) and signs.YEAR.search(line):
            return Conclusion(True, 0.8, "tool_bug", explanation, (cut(line),), advice)
    lines = case.failing_lines()
    years = set(signs.YEAR.findall("\n".join(line for line in lines.splitlines() if line.startswith("E"))))
    if case.is_assertion and case.started[:4] in years and len(years) > 1:
        return Conclusion(True, 0.8, "tool_bug", explanation, (lines,), advice)
    return None


RULES: tuple[Callable[[CaseText], Conclusion | None], ...] = (
    _machine_lacks,
    disagreements.unreadable_source,
    _varies_by_itself,
    faulty.mistake_in_test,
    missing_code,
    disagreements.is_reported_broken,
    _missing_environment,
    faulty.broken_preparation,
    _passes_again,
    _date_gone_by,
    disagreements.disagree,
)
"""In order: problems of the machine and of the test; then what only shows that test and application disagree."""
