"""``locate`` says where a value stands in texts, by the marks that a declared type has."""

from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from answergraph import Quote
from answergraph.evidence import FromTools
from answergraph.kit import AnswerSchema, locate

LOG = "12:03 the disk is full\n12:04 7 of 9 jobs failed"


class Finding(BaseModel):
    quote: Annotated[str, Quote()]
    note: str = ""


class Report(BaseModel):
    findings: list[Finding]
    failed: Annotated[int, FromTools()]


def test_a_value_is_found_in_the_newest_text_that_has_it() -> None:
    record = locate("the disk is full", Quote(), [LOG, "nothing here", LOG])
    assert (record["status"], record["problem"]) == ("supported", None)
    (evidence,) = record["evidence"]
    assert evidence["source"] == {"kind": "text", "id": "2", "name": "text"}
    assert evidence["unit"] == "12:03 the disk is full"
    assert [list(mark) for mark in evidence["marks"]] == [[6, 22]]


@pytest.mark.parametrize(
    ("value", "mark", "status"),
    [
        ("the disk is empty", Quote(), "not_found"),
        ("disk is ful", Quote(), "unsupported"),
        ("", Quote(), "unsupported"),
        ([], Quote(), "unsupported"),
        (None, FromTools(), "unsupported"),
        (7, FromTools(), "supported"),
        (8, FromTools(), "not_found"),
        (["the disk is full", "jobs failed"], Quote(), "supported"),
        (["the disk is full", "jobs succeeded"], Quote(), "not_found"),
        ({"key": "the disk is full"}, Quote(), "supported"),
    ],
)
def test_only_what_is_there_is_supported(value: Any, mark: Quote | FromTools, status: str) -> None:
    record = locate(value, mark, [LOG])
    assert record["status"] == status
    assert bool(record["problem"]) is (status != "supported")


def test_a_schema_names_its_marks_by_path() -> None:
    assert AnswerSchema.of(Report).marks == {"findings[].quote": Quote(), "failed": FromTools()}
    assert AnswerSchema.of(int).marks == {}
    untyped: Any = {"title": "Any", "type": "object", "properties": {}}
    assert AnswerSchema.of(untyped).marks == {}
