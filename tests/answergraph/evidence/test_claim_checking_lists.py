"""Lists of what has marks: empty ones, and items that repeat a quote."""

from decimal import Decimal
from typing import Annotated

from pydantic import BaseModel

from answergraph import Grounded, Quote, check_evidence


class Order(BaseModel):
    """Has quotes."""

    quotes: Annotated[list[str], Quote(min_items=2)] = ["the disk is full", "the disk is full"]


class Finding(BaseModel):
    """A quote of a list that may be empty, with places of its own that must not be."""

    quote: Annotated[str, Quote(min_items=0)]


class Section(BaseModel):
    """A tree: the last sections have no sections."""

    title: Annotated[str, Grounded()]
    sections: list["Section"] = []


class Line(BaseModel):
    """A line."""

    price: Annotated[Decimal, Grounded()]
    note: Annotated[str, Grounded(min_items=0)] = ""


class Bill(BaseModel):
    """Lists of records with marks."""

    lines: list[Line]
    findings: list[Finding] = []
    sections: list[Section] | None = None


def test_an_empty_list_of_items_with_marks_is_unsupported() -> None:
    fields = check_evidence(Bill(lines=[]), "nothing").fields
    problem = "it holds no item and needs at least one."
    assert {path: (record["status"], record["problem"]) for path, record in fields.items()} == {"lines": ("unsupported", problem)}
    assert check_evidence({"lines": []}, "nothing", marks={"lines[].price": Grounded()}).support == 0
    assert not check_evidence({"lines": []}, "nothing", marks={"lines[].price": Grounded(min_items=0)}).feedback


def test_the_last_nodes_of_a_tree_have_empty_lists() -> None:
    bill = Bill(lines=[Line(price=Decimal(5))], sections=[Section(title="Costs", sections=[Section(title="Pens")])])
    assert check_evidence(bill, "Costs\nPens 5").support == 1


def test_one_quote_given_five_times_supports_once() -> None:
    quotes = [*["the disk is full"] * 5, "the disk is fine"]
    marks = {"findings[].quote": Quote()}
    report = check_evidence({"findings": [{"quote": quote} for quote in quotes]}, "12:03 the disk is full", marks=marks)
    assert report.support == 0.5
    assert [record.get("repeats") for record in report.fields.values()] == [None, *["findings[0].quote"] * 4, None]


def test_one_quote_given_twice_supports_once() -> None:
    fields = check_evidence(Order(), "the disk is full").fields
    assert fields["quotes"]["problem"] == "it holds 1 different quotes and needs at least 2."
