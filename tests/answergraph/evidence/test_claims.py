"""Every marked field of an answer is a claim with its path, at any depth."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Generic, NotRequired, TypeVar

import pytest
from pydantic import BaseModel, Field, RootModel
from typing_extensions import TypedDict

from answergraph import Quote
from answergraph.evidence import FromTools
from tests.answergraph.evidence.marked_claims import claims_of

Quoted = Annotated[str, Quote()]
ItemT = TypeVar("ItemT")


class Finding(BaseModel):
    """A finding."""

    title: str = "not marked"
    quote: Annotated[str, Quote()]


class Row(TypedDict):
    """A row."""

    count: Annotated[int, FromTools()]
    quote: NotRequired[Annotated[str, Quote()]]


@dataclass
class Place:
    """A place."""

    line: Annotated[int, FromTools()]
    text: Quoted | None = None


class Boxed(BaseModel, Generic[ItemT]):
    """A box."""

    item: ItemT


class Listed(RootModel[list[Finding]]):
    """Findings."""


class Everything(BaseModel):
    """All of it."""

    quotes: Annotated[list[str], Quote(), Field(description="given")] = ["q"]
    optional: Annotated[str | None, Quote(min_items=0)] = None
    findings: list[Finding] | None = None
    by_name: dict[str, Finding] = {}
    either: Finding | Row | str = "text"
    row: Row | None = None
    place: Place | None = None
    pair: tuple[Quoted, int, Annotated[float, FromTools()]] | None = None
    boxed: Boxed[Finding] | None = None
    bare: list = Field(default_factory=list)  # type: ignore[type-arg]  # that nothing is said is the case
    lines: list[Quoted] | None = None


def paths(answer: Any) -> dict[str, Any]:
    return {claim.path: claim.problem or claim.value for claim in claims_of(answer)}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, {"quotes[0]": "q"}),
        ({"quotes": []}, {"quotes": "it holds 0 items and needs at least 1"}),
        ({"quotes": [" "]}, {"quotes[0]": "it is empty"}),
        ({"optional": "o"}, {"optional": "o"}),
        ({"findings": [{"quote": "a"}, {"quote": "b"}]}, {"findings[0].quote": "a", "findings[1].quote": "b"}),
        ({"findings": []}, {"findings": "it holds no item and needs at least one"}),
        ({"by_name": {"x": {"quote": "a"}}}, {"by_name['x'].quote": "a"}),
        ({"either": {"quote": "a"}}, {"either.quote": "a"}),
        ({"either": Row(count=2)}, {"either.count": 2, "either.quote": "it is empty"}),
        ({"row": {"count": 1, "quote": "a"}}, {"row.count": 1, "row.quote": "a"}),
        ({"place": Place(1, "a")}, {"place.line": 1, "place.text": "a"}),
        ({"place": Place(1)}, {"place.line": 1, "place.text": "it is empty"}),
        ({"pair": ("a", 1, 2.5)}, {"pair[0]": "a", "pair[2]": 2.5}),
        ({"boxed": {"item": {"quote": "a"}}}, {"boxed.item.quote": "a"}),
        ({"bare": [Finding(quote="a")]}, {"bare[0].quote": "a"}),
        ({"lines": ["a", "b"]}, {"lines[0]": "a", "lines[1]": "b"}),
        ({"lines": []}, {"lines": "it holds 0 items and needs at least 1"}),
    ],
)
def test_a_marked_field_is_found_wherever_it_stands(fields: dict[str, Any], expected: dict[str, Any]) -> None:
    assert paths(Everything(**fields)) == {**({} if "quotes" in fields else {"quotes[0]": "q"}), **expected}


def test_a_root_model_adds_nothing_to_the_path() -> None:
    assert paths(Listed([Finding(quote="a")])) == {"[0].quote": "a"}


class Open(BaseModel, extra="allow"):
    """A model of any fields."""

    __pydantic_extra__: dict[str, Quoted]


class Untyped(BaseModel, extra="allow"):
    """A model of any fields of any kind."""


def test_the_fields_that_a_model_declares_together_are_claims() -> None:
    assert paths(Open.model_validate({"a": "x"})) == {"a": "x"}
    assert paths(Untyped.model_validate({"a": "x", "b": Finding(quote="y")})) == {"b.quote": "y"}


def test_what_is_checked_is_what_is_returned_not_what_was_sent() -> None:
    class Shouting(BaseModel):
        quote: Annotated[str, Quote()]

        def model_post_init(self, context: Any) -> None:
            self.quote = self.quote.upper()

    assert paths(Shouting(quote="a")) == {"quote": "A"}


@pytest.mark.parametrize(
    ("value", "problem"), [(True, "it is not a number"), ("5", "it is not a number"), (Decimal("1.5"), None)]
)
def test_a_marked_number_is_a_number(value: Any, problem: str | None) -> None:
    class Loose(BaseModel):
        number: Annotated[Any, FromTools()]

    assert [claim.problem for claim in claims_of(Loose(number=value))] == [problem]


def test_a_quote_mark_on_a_value_that_is_not_text_never_holds() -> None:
    class Odd(BaseModel):
        finding: Annotated[Finding, Quote()]

    assert paths(Odd(finding=Finding(quote="a"))) == {"finding": "it is not a string", "finding.quote": "a"}


def test_a_type_without_marks_claims_nothing() -> None:
    assert claims_of({"quote": "a"}) == []
