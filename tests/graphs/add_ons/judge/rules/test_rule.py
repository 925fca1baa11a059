"""Rules as developers write them: the meaning of each kind, and the errors for malformed ones."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answergraph.graphs.add_ons.judge.rules.rule import Rules, parse_rule
from answergraph.runtime.errors import AgentSpecError, RuleEvaluationError, RuleSyntaxError
from tests.torture.growth import MAX_EXPONENT, growth


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("tests pass", "tests pass"),
        ("  tests \n pass ", "tests pass"),
        ("a && b", "a && b"),
        ("anyone (of us)", "anyone (of us)"),
    ],
)
def test_any_other_text_is_a_label(text: str, label: str) -> None:
    rule = parse_rule(text)
    assert (rule.label, rule.aggregate, rule.guard) == (label, None, None)


@pytest.mark.parametrize(
    ("rule", "children", "holds"),
    [
        ('all("ok")', ["ok", "ok"], True),
        ('all("ok")', ["ok", "bad"], False),
        ('all("ok")', [], False),
        ('all("ok", "bad")', ["ok", "bad"], True),
        ('all("ok", "bad")', ["bad", "ok"], False),
        ('all("ok", "bad")', ["ok", "bad", "ok"], False),
        ('any("bad", "error")', ["ok", "error"], True),
        ('any("bad")', ["ok"], False),
        ('any("bad")', [], False),
        ('all("ok")', ["ok && when(x)"], False),
        ("any('it\\'s \"bad\"')", ['it\'s "bad"'], True),
        ('all("ok") && when(n > 1)', ["ok"], True),
        ('all("ok") && when(n > 2)', ["ok"], False),
    ],
)
def test_an_aggregate_compares_the_labels_of_parallel_children(rule: str, children: list[str], holds: bool) -> None:
    assert parse_rule(rule).holds({"n": 2}, children, None) is holds


@pytest.mark.torture
@pytest.mark.parametrize("kind", ["all", "any"])
def test_many_rules_on_many_children_take_time_in_proportion_to_both(kind: str) -> None:
    def decision(size: int) -> tuple[Rules, list[str]]:
        return Rules([f'{kind}("label {number}")' for number in range(size)]), ["none of them"] * size

    assert growth(lambda given: given[0].match_without_judge({}, given[1]), decision, 16_000).exponent < MAX_EXPONENT


def test_all_rules_of_a_decision_share_one_limit() -> None:
    facts = {"items": [0] * 30_000}
    rules = Rules([f"when(exists(items, item == {number}))" for number in range(1, 5)])
    assert Rules(rules.texts[:3]).match_without_judge(facts, []) is None
    with pytest.raises(RuleEvaluationError, match="more than 100000"):
        rules.match_without_judge(facts, [])


@pytest.mark.parametrize(("chosen", "flag", "holds"), [("ok", True, True), ("ok", False, False), ("bad", True, False)])
def test_a_guarded_label_needs_both(chosen: str, flag: bool, holds: bool) -> None:
    assert parse_rule("ok && when(flag)").holds({"flag": flag}, [], chosen) is holds


@pytest.mark.parametrize(
    ("text", "position", "problem"),
    [
        ("", 0, "non-empty"),
        ("when(", 5, "a value is missing"),
        ("when(a ==)", 9, "a value is missing"),
        ("when(a == 1", 11, "')' is missing"),
        ("when(a == 1) && b", 13, "a rule ends"),
        ("when(a # 1)", 7, "not understood"),
        ("when(a = 1)", 7, "not understood"),
        ("when(eval(1))", 5, "no function 'eval'"),
        ("when(exists(1))", 12, "needs a name"),
        ("when(contains(a))", 15, "',' is missing"),
        (r'when(a == "\x")', 10, "not a JSON string"),
        ("when(01 == 1)", 5, "not understood"),
        ("all()", 4, "quoted string"),
        ("all(ok)", 4, "quoted string"),
        ('any("a" "b")', 8, "')' is missing"),
        ('any("a") or b', 9, "'&&' is missing"),
        ('any("a") && b', 12, "only when(...)"),
        ('ai("it is good")', 0, "no ai(...)"),
        ('ok && all("x")', 6, "must come first"),
        ("ok && fine && when(a)", 3, "at most two clauses"),
        ("ok && when(a) && when(b)", 14, "a rule ends"),
        ("&& when(a)", 0, "a label is missing"),
        ("ok when(a)", 3, "must be alone or after"),
        ("when(x && 1)", 10, "neither true nor false"),
        ("when(!'a')", 6, "neither true nor false"),
        ("when(count(a, item.x))", 5, "neither true nor false"),
        ("when(exists(a, 1))", 15, "neither true nor false"),
        ("when(a > count(b, item > 'c'))", 18, "compares numbers"),
        ("when(1 == 1)", 5, "two constants"),
        ("when(a == 1 && item.x == 1)", 15, "is a list item"),
        ("when(count(a))", 12, "',' is missing"),
        ("when(a[0]b)", 9, "')' is missing"),
        ("when(a[b] == 1)", 6, "not understood"),
        ("all('x', 'when(1)')", 5, "neither true nor false"),
        ("when(" + "(" * 50, 45, "at most 40 deep"),
        ("x" * 2001, 2000, "at most 2000"),
    ],
)
def test_a_malformed_rule_is_an_error_with_its_position(text: str, position: int, problem: str) -> None:
    with pytest.raises(RuleSyntaxError) as caught:
        parse_rule(text)
    assert (caught.value.position, isinstance(caught.value, AgentSpecError)) == (position, True)
    assert problem in caught.value.problem


@given(st.text(alphabet="whenalyxists(),.\"'&|!=<>0 1-\\\n", max_size=60))
def test_every_text_is_a_rule_or_a_syntax_error(text: str) -> None:
    with suppress(RuleSyntaxError):
        rule = parse_rule(text)
        assert rule.label or rule.aggregate or rule.guard


@pytest.mark.parametrize("text", [None, 5, ["ok"]])
def test_a_rule_is_a_text(text: Any) -> None:
    with pytest.raises(RuleSyntaxError):
        parse_rule(text)
