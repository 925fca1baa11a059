"""What the figures of values on documents count: what is kept, what is flagged, and why a value is neither."""

from typing import Any

import pytest

from tests.answergraph.evidence.measure_values import counts_of, line_of, reasons_of, records_of

TEXT = "Invoice A-17\nNet\t1,050.40\nDebit\t-141.58\nArticle B-20-30\nSeller: ACME Tools, Main Street"


def leaf(value: Any, *, right: bool = True, label: Any = None) -> dict[str, Any]:
    return {"path": "items.0.netTotal", "value": value, "label": value if right else label, "right": right}


def test_values_are_counted_by_what_is_said_of_them() -> None:
    leaves = [leaf(1050.4), leaf("A-17"), leaf(99), leaf("B-99", right=False), leaf("A-17", right=False), leaf(None)]
    assert line_of("all", counts_of(records_of({"text": TEXT, "leaves": leaves}))) == "| all | 3 | 66.7% | 2 | 50.0% | 0 and 0 |"


def test_a_value_whose_label_has_others_counts_as_kept_and_is_counted() -> None:
    accounts = [{**leaf(6547), "path": "account"}, {**leaf(7, right=False), "path": "account"}]
    counts = counts_of(records_of({"text": "Account: 6547\nAccount: 3216", "leaves": accounts}, labelled=True))
    assert line_of("all", counts) == "| all | 1 | 100.0% | 1 | 100.0% | 1 and 0 |"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (leaf(99), "its digits stand nowhere"),
        (leaf(141.58), "only the negative of it stands there"),
        (leaf(20), "stands as a part of something"),
        (leaf("Tools of ACME"), "a word of it stands nowhere"),
        (leaf("Main ACME"), "its words stand apart"),
        (leaf("ＡＣＭＥ", right=False, label="ACME"), "is the label in other characters, no lie"),
        (leaf("ACME", right=False, label="Bolt"), "stands there, as something else"),
    ],
    ids=str,
)
def test_each_value_that_is_judged_otherwise_than_it_is_has_a_reason(value: dict[str, Any], reason: str) -> None:
    assert reasons_of([{"text": TEXT, "leaves": [value]}]) == {(value["right"], reason): 1}
