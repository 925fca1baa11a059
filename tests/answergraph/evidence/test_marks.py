"""Marks show the model what is checked, and survive being saved."""

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field, TypeAdapter

from answergraph import AgentSpecError, Quote
from answergraph.evidence import FromTools
from answergraph.evidence.marks import mark_from_json


@pytest.mark.parametrize(
    ("annotation", "least"),
    [
        (Annotated[list[str], Quote()], 1),
        (Annotated[list[str], Quote(min_items=3)], 3),
        (Annotated[list[str], Field(min_length=2), Quote()], 2),
        (Annotated[list[float], FromTools()], 1),
        (Annotated[list[str], Quote(min_items=0)], None),
    ],
    ids=["by default", "of the mark", "of the field", "of numbers", "none"],
)
def test_the_minimum_number_of_items_is_in_the_schema(annotation: Any, least: int | None) -> None:
    assert TypeAdapter(annotation).json_schema().get("minItems") == least


def test_the_minimum_number_of_items_is_in_the_alternative_that_is_a_list() -> None:
    shown = TypeAdapter(Annotated[list[str] | None, Quote()]).json_schema()
    assert [part.get("minItems") for part in shown["anyOf"]] == [1, None]


def test_your_own_description_stays() -> None:
    class Verdict(BaseModel):
        quote: Annotated[str, Quote()] = Field(description="Mine.")
        ms: Annotated[float, FromTools(units="ms", rounding=1)]

    shown = Verdict.model_json_schema()["properties"]
    assert shown["quote"]["description"] == "Mine."
    assert shown["ms"]["description"] == "A number of a tool result, in ms, rounded to 1 decimals at most."


@pytest.mark.parametrize("mark", [Quote(), Quote(min_items=0), FromTools(), FromTools(["ms", "msec"], 2, echoes=True)])
def test_a_mark_survives_being_saved(mark: Any) -> None:
    assert mark_from_json(mark.as_json()) == mark


@pytest.mark.parametrize("data", [{}, {"kind": "other"}, {"kind": "quote", "other": 1}])
def test_anything_but_a_mark_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="is not a mark"):
        mark_from_json(data)


@pytest.mark.parametrize(("mark", "name"), [(Quote, "min_items"), (Quote, "min_length"), (FromTools, "rounding")])
def test_negative_numbers_are_refused(mark: Any, name: str) -> None:
    with pytest.raises(AgentSpecError, match="at least 0"):
        mark(**{name: -1})
