"""``when(...)`` on a state: values, comparisons, and errors if there is no value."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from answergraph.graphs.add_ons.judge.rules.rule import parse_rule
from answergraph.runtime.errors import RuleEvaluationError


class Result(BaseModel):
    failed: int
    approved: bool = False


@dataclass
class Finding:
    severity: str


FACTS: dict[str, Any] = {
    "n": 3,
    "ratio": 2.5,
    "name": "ada",
    "flag": True,
    "nothing": None,
    "tags": ["slow", 1, True],
    "result": Result(failed=2),
    "findings": [Finding("low"), Finding("high")],
    "steps": {"run-tests": {"exit": 0}, "length": 7},
    "none": [],
    "many": list(range(400)),
}


def holds(expression: str) -> bool:
    return parse_rule(f"when({expression})").holds(FACTS, [], None)


@pytest.mark.parametrize(
    "expression",
    [
        "n == 3",
        "n == 3.0",
        "n != '3'",
        "flag != 1",
        "flag",
        "!!flag",
        "not nothing == 1",
        "nothing == null",
        "ratio >= 2.5 && n < 4",
        "n > 100 or name == 'ada'",
        "false || true and true",
        "(n == 1 || flag) && flag",
        "exists(name)",
        "!exists(nothing)",
        "!exists(result.nope.deeper)",
        "!exists(absent)",
        "exists(findings, item.severity == 'high')",
        '!exists(findings, item.severity == "none" || n == 0)',
        "contains(tags, 'slow')",
        "contains(name, 'da')",
        "contains(tags, true)",
        "!contains(tags, 1.5)",
        "result.failed == 2 && !result.approved",
        "findings.1.severity == 'high'",
        "findings[1].severity == 'high' && findings.severity[0] == 'low'",
        "findings.length == 2 && findings.severity.length == 2",
        "count(findings, item.severity == 'high') == 1 && count(none, item == 1) < 1",
        "none.length == 0 && none.severity.length == 0",
        "exists(findings, exists(tags, item == 1))",
        "steps.length == 7",
        "steps.run-tests.exit == 0",
        "n == -3 || n == 3e0",
        'name == "\\u0061da"',
        "true || absent.x == 1",
        "!(false && absent)",
    ],
)
def test_it_holds(expression: str) -> None:
    assert holds(expression)
    assert not holds(f"!({expression})")


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("n", "neither true nor false"),
        ("name && flag", "neither true nor false"),
        ("!n", "neither true nor false"),
        ("name < 3", "compares numbers"),
        ("flag > 0", "compares numbers"),
        ("absent == 1", "exists(absent) asks"),
        ("result.model_dump == 1", "there is no"),
        ("name.upper == 1", "there is no"),
        ("findings.2.severity == 'x'", "there is no"),
        ("n.__class__ == 1", "there is no"),
        ("findings.length.x == 1", "there is no"),
        ("findings.nope.length == 1", "there is no"),
        ("tags.upper.length == 1", "there is no"),
        ("count(name, item == 'a') == 1", "needs a list"),
        ("exists(many, exists(many, exists(many, item < 0)))", "more than 100000"),
        ("contains(n, 3)", "in a list"),
        ("contains(name, 3)", "in a list"),
        ("exists(name, item == 'a')", "needs a list"),
        ("exists(absent, item == 'a')", "needs a list"),
        ("exists(tags, item)", "neither true nor false"),
    ],
)
def test_what_cannot_be_decided_is_a_typed_error(expression: str, problem: str) -> None:
    with pytest.raises(RuleEvaluationError, match="cannot be decided") as caught:
        holds(expression)
    assert problem in caught.value.problem


@given(left=st.integers(-99, 99) | st.floats(-9, 9).map(lambda x: round(x, 3)), right=st.integers(-99, 99))
def test_numbers_compare_as_numbers(left: float, right: int) -> None:
    rule = parse_rule(f"when(a < {right} || a == {right})")
    assert rule.holds({"a": left}, [], None) is (left <= right)


@given(st.text(max_size=20))
def test_any_text_can_be_written_as_json(text: str) -> None:
    assert parse_rule(f"when(a == {json.dumps(text)})").holds({"a": text}, [], None)
