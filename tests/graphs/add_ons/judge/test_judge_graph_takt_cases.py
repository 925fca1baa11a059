"""TAKT's judge and rules, case by case: the requirements of its own tests, as data."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from answergraph.errors import RuleEvaluationError, RuleSyntaxError
from answergraph.graphs import create_judge
from answergraph.graphs.add_ons.judge.rules.rule import parse_rule
from answergraph.kit import parse_structured_output
from answergraph.models import forget_refusals
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

CASES: dict[str, list[dict[str, Any]]] = tomllib.loads((Path(__file__).parent / "takt_cases.toml").read_text())
PAGE = Path(__file__).parents[4] / "docs" / "judge.md"

CONDITIONS = ["it passes", "it fails", "it hangs"]
FACTS: dict[str, Any] = {
    "pr": {"exists": False},
    "issue": {"exists": True},
    "result": {"action": "enqueue"},
    "effect": {"enqueue": {"success": True}, "second": {"success": False}},
    "queue": {"running": 1, "pending": 0, "items": [{"kind": "running", "pr": 42, "note": "a && b || c"}]},
    "prs": [
        {"number": 42, "draft": False, "author": "ada", "tags": ["slow"]},
        {"number": 41, "draft": True, "author": "bob", "tags": []},
    ],
    "note": "x == y && z",
    "quoted": 'say "hi" \\ there',
}


def cases(kind: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", CASES[kind], ids=str)


@cases("objects")
def test_the_object_in_a_text_is_found(case: dict[str, Any]) -> None:
    assert parse_structured_output(case["text"]) == case.get("object")


@cases("replies")
def test_what_a_model_says_names_a_rule_after_as_few_calls_as_it_can(run: Run, case: dict[str, Any]) -> None:
    forget_refusals()
    model = ScriptedChatModel(replies=list(case["said"]))
    judge = create_judge(model, case.get("rules", CONDITIONS))
    judgment = run(judge, {"report": "The run is over."})["judgment"]
    assert (judgment["step"], judgment["method"]) == (case.get("step"), case.get("method"))
    assert len(model.requests) == len(case["said"])


@cases("tags")
def test_a_tag_in_the_work_names_a_rule(run: Run, case: dict[str, Any]) -> None:
    judgment = run(create_judge(None, CONDITIONS), {"report": case["text"]})["judgment"]
    assert judgment["step"] == case.get("step")


@cases("aggregates")
def test_an_aggregate_holds_as_its_childrens_labels_say(case: dict[str, Any]) -> None:
    assert parse_rule(case["rule"]).holds({"n": 2}, case["children"], None) is case["holds"]


@cases("rules")
def test_a_rule_is_read_or_refused(case: dict[str, Any]) -> None:
    if case["readable"]:
        assert parse_rule(case["rule"]).text == case["rule"]
        return
    with pytest.raises(RuleSyntaxError) as caught:
        parse_rule(case["rule"])
    assert caught.value.problem
    assert 0 <= caught.value.position <= len(caught.value.rule)


@cases("conditions")
def test_a_condition_holds_or_cannot_be_decided(case: dict[str, Any]) -> None:
    rule = parse_rule(f"when({case['when']})")
    if "holds" in case:
        assert rule.holds(FACTS, [], None) is case["holds"]
    else:
        with pytest.raises(RuleEvaluationError):
            rule.holds(FACTS, [], None)


def test_there_are_enough_cases_and_the_page_lists_the_differences() -> None:
    every = [case for cases in CASES.values() for case in cases]
    page = PAGE.read_text()
    assert len(every) >= 135
    assert [case for case in every if "docs" in case and case["docs"] not in page] == []
