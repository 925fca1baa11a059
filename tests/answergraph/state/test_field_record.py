"""The record of one field, and the share of fields that something stands behind."""

from typing import Any

import pytest

from answergraph.state.field_record import (
    Evidence,
    cited_in,
    given_by_person,
    is_persons,
    passage_of,
    record_of,
    spans_of,
    support_of,
)


def fields(*statuses: Any) -> dict[str, Any]:
    return {str(number): record_of(status=status) for number, status in enumerate(statuses)}


@pytest.mark.parametrize(
    ("statuses", "support"),
    [
        ((), None),
        (("unchecked", "unchecked"), None),
        (("supported", "unchecked"), 0.5),
        (("supported", "derived", "judged", "given"), 1.0),
        (("not_found", "unsupported", "ambiguous", "disputed"), 0.0),
    ],
)
def test_support_is_the_share_of_the_fields_if_any_was_checked(statuses: tuple[Any, ...], support: float | None) -> None:
    assert support_of(fields(*statuses)) == support


def test_a_quote_that_is_given_twice_counts_once() -> None:
    repeated = {**fields("supported", "not_found"), "2": {**record_of(status="supported"), "repeats": "0"}}
    assert support_of(repeated) == 0.5


def test_evidence_says_where_its_marks_are_in_the_source() -> None:
    source: Any = {"kind": "tool", "id": "call_1", "name": "read"}
    evidence = Evidence(source=source, unit="total: 20.00 EUR", marks=[(0, 5), (7, 12)], place=(100, 116))
    assert (spans_of(evidence), passage_of(evidence)) == ([(100, 105), (107, 112)], "total … 20.00")
    assert cited_in({"total": given_by_person([evidence])}) == {"call_1"}


def test_what_a_person_set_is_known_as_theirs() -> None:
    assert [is_persons(record) for record in (given_by_person(), record_of(status="given"))] == [True, False]
