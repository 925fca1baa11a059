"""Whether a reason quotes the work: which quotation marks count."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answergraph.graphs.add_ons.judge.judging.grounding import WITHOUT_QUOTE, grounded_in

WORK = "Two tests fail: test_login and test_logout.\nThe linter is not happy."
CONDITIONS = ["needs fix", "approved"]


@pytest.mark.parametrize("quoted", ['"{}"', "“{}”", "„{}“", "«{}»", "「{}」", "'{}'", "`{}`"])
def test_each_kind_of_quotation_mark_counts(quoted: str) -> None:
    grounding = grounded_in(WORK, f"Because {quoted.format('Two tests fail')}, it needs a fix.", CONDITIONS)
    assert (grounding.problem, grounding.spans) == (None, ((0, 14),))


@pytest.mark.parametrize(
    ("reason", "problem"),
    [
        ("Two tests fail.", WITHOUT_QUOTE),
        ('It "needs fix".', WITHOUT_QUOTE),
        ('"Three tests fail"', "Three tests fail"),
        ('"Two tests fail" and "the build is green"', "the build is green"),
        ('"sts fail: te"', "middle of a word"),
        ('"happy."', "too short"),
        ("It doesn't, it isn't.", WITHOUT_QUOTE),
    ],
)
def test_a_quote_that_is_not_in_the_work_does_not_count(reason: str, problem: str) -> None:
    grounding = grounded_in(WORK, reason, CONDITIONS)
    assert grounding.spans == ()
    assert problem in (grounding.problem or "")


def test_a_condition_may_be_quoted_beside_the_work() -> None:
    assert grounded_in(WORK, '"needs fix", for "two" no: "Two tests fail"', ["needs fix", "two of them"]).spans == ((0, 14),)


def test_white_space_may_differ_and_a_short_work_is_quoted_whole() -> None:
    assert grounded_in(WORK, '"test_logout.\n   The  linter"', CONDITIONS).problem is None
    assert grounded_in("LGTM", 'It says "LGTM".', CONDITIONS).spans == ((0, 4),)


@given(st.text(max_size=40))
def test_no_reason_without_a_quote_of_the_work_counts(reason: str) -> None:
    for start, end in grounded_in(WORK, reason, CONDITIONS).spans:
        assert "".join(WORK[start:end].split()) in "".join(reason.split())
