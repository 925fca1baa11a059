"""The table of `docs/moving-over.md`: a program that runs under both packages, or a test, shows each difference."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from tests.compat.suites import SUITES
from tests.graphs.agent.test_create_moving_over_differences import OURS

PAGE = Path(__file__).parents[1] / "docs" / "moving-over.md"

OWN_KEYS = "tests.graphs.agent.test_create_own_keys:"
DEFERRED = "tests.graphs.agent.test_create_deferred:"
WRITTEN = "tests.graphs.agent.test_create_written_calls:"
NEXT = "tests.graphs.agent.test_create_next_strategy:"
SHOWN = {
    "an answer beside tool calls": "an answer beside a tool call",
    "prose instead of a requested answer": "prose instead of an answer",
    "a provider that refuses": NEXT + "test_a_refused_request_is_made_on_the_next_rung_at_once_and_is_not_an_attempt",
    "an answer that stays invalid": "the same invalid answer forever",
    "calls of the model": "tests.test_outcomes_page:SEARCHES",
    "a JSON Schema `dict`": "a json schema that is not met",
    "a schema left out by middleware": "an answer left out by narrowing",
    "malformed tool arguments": "malformed tool arguments",
    "two equal answers in one message": "two equal answers",
    "an answer a person turns down": "an answer that a person turns down",
    "an answer that an `after_model` hook changes": "an email address in an answer",
    "a reply that a middleware wrote": "a text in the model's place, no answer",
    "an answer cut at the token limit": "an answer that was cut",
    "the call of an offered tool": WRITTEN + "test_a_call_of_a_tool_that_is_written_as_text_is_carried_out",
    "a tool call cut at the token limit": "tests.test_outcomes_page:CUT_SEARCH",
    "the caller's recursion limit": "tests.graphs.agent.test_create_streams:test_the_callers_recursion_limit_is_left_alone",
    "two middleware of one name": "tests.middleware.test_stack_hooks:test_two_middleware_of_one_name_are_refused",
    "an answer that a hook or a command": OWN_KEYS + "test_a_hook_that_writes_an_answer_is_told_what_to_do_instead",
    "`structured_response` in an update of a tool": OWN_KEYS + "test_a_tool_cannot_forge_an_answer_or_an_outcome",
    "a key `outcome`": OWN_KEYS + "TestAKeyOfTheUserNamedOutcome",
    "an input with none": "tests.test_outcomes_raised:test_an_input_that_the_agent_cannot_read_is_told_before_a_model_is_asked",
    "a call that a hook takes out": DEFERRED + "test_a_hook_that_takes_calls_of_our_own_tools_out_is_not_worked_around",
    "a `dict` in `tools`": DEFERRED + "test_a_run_ends_deferred_and_goes_on_with_the_result",
}
"""How each situation of the table begins, and what shows it: a program, or ``module:name`` of a test or its data."""


def situations() -> list[str]:
    rows = re.findall(r"^\| ([^|]+) \|", PAGE.read_text(), flags=re.MULTILINE)
    return [row for row in rows if row != "situation"]


def test_the_table_lists_what_is_shown_and_nothing_else() -> None:
    rows = situations()
    assert len(rows) == len(SHOWN)
    assert [row for row, beginning in zip(rows, SHOWN, strict=True) if not row.startswith(beginning)] == []


def test_every_reason_why_a_test_of_others_fails_is_on_the_page() -> None:
    listed = re.findall(r"^- ([a-z].*)$", PAGE.read_text(), flags=re.MULTILINE)
    assert sorted(listed) == sorted({reason for suite in SUITES for reason in suite.explained.values()})


def test_the_page_of_the_suites_lists_every_difference_with_its_reason() -> None:
    listed = [line for line in PAGE.with_name("compatibility.md").read_text().splitlines() if line.startswith("- ")]
    assert listed == [f"- {suite.package} `{end}`: {why}." for suite in SUITES for end, why in suite.explained.items()]


@pytest.mark.parametrize("shown", SHOWN.values())
def test_what_shows_a_difference_is_there(shown: str) -> None:
    module, _, name = shown.partition(":")
    assert hasattr(import_module(module), name) if name else shown in OURS
