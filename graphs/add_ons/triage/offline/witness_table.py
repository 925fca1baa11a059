"""What witnesses say, and the one table of verdicts that follow from it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from langchain_core.messages import BaseMessage, ToolMessage
from typing_extensions import TypedDict

WitnessName = Literal[
    "rerun_alone",
    "rerun_in_order",
    "rerun_in_another_order",
    "run_on_last_green",
    "run_old_tests",
    "run_on_old_code",
    "run_changed_lines",
]
WITNESSES: Mapping[WitnessName, str] = {
    "rerun_alone": "Run a failed case again, alone and several times, on the code as it stands.",
    "rerun_in_order": "Run a failed case after the cases that ran before it, on the code as it stands.",
    "rerun_in_another_order": "Run a failed case after the same cases as in its run, but in the opposite order.",
    "run_on_last_green": "Run a failed case on the commit whose tests passed last, with the tests of that commit.",
    "run_old_tests": "Run a failed case on the code as it stands, but with the tests of the commit that passed last.",
    "run_on_old_code": "Run a failed case on the code that passed last, but with the tests as they stand.",
    "run_changed_lines": "Run a failed case on the code as it stands, and see which of the changed lines it runs through.",
}
"""The witnesses, each a tool, in the order in which they are asked."""

Ending = Literal["passes", "fails", "fails otherwise", "varies", "absent", "not run"]
"""How a case ended: ``fails`` is the failure of the report, ``absent`` that there is no such test, ``not run`` says nothing."""


class WitnessResult(TypedDict):
    """What one witness saw."""

    witness: WitnessName
    ending: Ending
    runs: int
    failed: int
    seconds: float
    statement: str
    """What was done and how it ended, in a sentence."""
    output: str
    """The failure, or why the case was not run."""


@dataclass(frozen=True)
class WitnessRule:
    """A verdict, and what witnesses must have seen for it."""

    saw: Mapping[WitnessName, Sequence[Ending]]
    verdict: Literal["real", "not-real", "disagreement", "flaky"]
    cause: Literal["tool_bug", "spec_issue", "temporary_error"] | None
    confidence: float
    explanation: str
    next_step: str


_FAILS: Sequence[Ending] = ("fails",)
_FAILS_SOMEHOW: Sequence[Ending] = ("fails", "fails otherwise")
_PASSES: Sequence[Ending] = ("passes",)
_ANYHOW: Sequence[Ending] = get_args(Ending)
_BROKEN_SINCE: Mapping[WitnessName, Sequence[Ending]] = {"rerun_alone": _FAILS, "run_on_last_green": _PASSES}
_ALONE: Mapping[WitnessName, Sequence[Ending]] = {"rerun_alone": _PASSES}
_FIND_DEPENDENCE = "Find what it depends on besides the code: time, chance, threads, or the network."

TABLE: Sequence[WitnessRule] = (
    WitnessRule(
        {"rerun_alone": ("varies",)},
        "flaky",
        "tool_bug",
        0.95,
        "Run several times alone on the same code, it passes and fails.",
        _FIND_DEPENDENCE,
    ),
    WitnessRule(
        {**_ALONE, "rerun_in_order": _FAILS_SOMEHOW},
        "not-real",
        "tool_bug",
        0.9,
        "It passes alone and fails after the cases that ran before it: they leave something behind.",
        "Restore the shared state between the tests.",
    ),
    WitnessRule(
        {**_ALONE, "rerun_in_order": _PASSES, "rerun_in_another_order": _FAILS_SOMEHOW},
        "not-real",
        "tool_bug",
        0.85,
        "It passes alone and in its order, and fails in another order: it depends on what runs before.",
        "Restore the shared state between the tests.",
    ),
    WitnessRule(
        {**_ALONE, "rerun_in_order": ("passes", "absent", "not run")},
        "not-real",
        "temporary_error",
        0.75,
        "On the same code it passes here: the machine or the moment of the run made it fail.",
        "Compare the machine of the run with this one.",
    ),
    WitnessRule(
        {"rerun_alone": _FAILS, "run_on_last_green": _FAILS},
        "not-real",
        "tool_bug",
        0.85,
        "It fails in the same way on the code that passed last: the surroundings have changed, not the code.",
        "Compare this environment with the one in which it passed: packages, services, files, the date.",
    ),
    WitnessRule(
        {"rerun_alone": _FAILS, "run_on_last_green": ("varies",)},
        "flaky",
        "tool_bug",
        0.9,
        "Run several times on the code that passed last, it passes and fails.",
        _FIND_DEPENDENCE,
    ),
    WitnessRule(
        {**_BROKEN_SINCE, "run_old_tests": _FAILS_SOMEHOW, "run_changed_lines": _ANYHOW},
        "real",
        None,
        0.95,
        "The test that passed on the last green code fails on the code of today: a change outside the tests broke it.",
        "Mend the change, or say why the old test no longer holds.",
    ),
    WitnessRule(
        {**_BROKEN_SINCE, "run_old_tests": _PASSES, "run_on_old_code": _FAILS_SOMEHOW},
        "not-real",
        "spec_issue",
        0.9,
        "The old test passes on the code of today, and the new test fails on the old code too: the test was changed.",
        "Ask whether the change of the test is meant; if so, the application has yet to follow.",
    ),
    WitnessRule(
        {**_BROKEN_SINCE, "run_old_tests": _PASSES, "run_on_old_code": _PASSES},
        "disagreement",
        None,
        0.9,
        "Each of test and code passes with the other's old version: both were changed, and no longer fit.",
        "Read both changes together.",
    ),
)
"""The first rule counts of which every witness saw what it names."""


def heard_in(messages: Sequence[BaseMessage]) -> dict[WitnessName, Ending]:
    """Return how the case ended for each witness that a conversation has heard."""
    results = (message.artifact for message in messages if isinstance(message, ToolMessage) and message.name in WITNESSES)
    return {result["witness"]: result["ending"] for result in results if result is not None}


def rule_for(results: Mapping[WitnessName, Ending]) -> WitnessRule | None:
    """Return the first rule that witnesses do not contradict, if they have said all that it needs.

    >>> rule_for({"rerun_alone": "varies"}).verdict
    'flaky'
    """
    first = next(_possible(results), None)
    return first if first is not None and set(first.saw) <= set(results) else None


def next_witness(results: Mapping[WitnessName, Ending]) -> WitnessName | None:
    """Return the witness to ask next: the first that a rule still needs before any rule below it can count.

    >>> next_witness({}), next_witness({"rerun_alone": "passes"}), next_witness({"rerun_alone": "not run"})
    ('rerun_alone', 'rerun_in_order', None)
    """
    first = next(_possible(results), None)
    return next((name for name in first.saw if name not in results), None) if first else None


def _possible(results: Mapping[WitnessName, Ending]) -> Iterator[WitnessRule]:
    return (rule for rule in TABLE if all(results.get(name, wanted[0]) in wanted for name, wanted in rule.saw.items()))
