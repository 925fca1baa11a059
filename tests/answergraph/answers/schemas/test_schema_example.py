"""The example of an answer, which prompts show: as deep as its budget allows."""

import json
from typing import Any

import pytest
from pydantic import BaseModel, Field, create_model

from answergraph import PromptedStrategy
from answergraph.answers.schemas.schema_example import MAX_EXAMPLE_CHARACTERS, needs_schema


class Leaf(BaseModel):
    """A leaf."""

    name: str


def tree(width: int) -> type[BaseModel]:
    """Return a recursive type with optional children."""
    children: Any = {f"child_{at}": ("Tree | None", None) for at in range(width)}
    made: type[BaseModel] = create_model("Tree", name=(str, ...), **children)
    made.model_rebuild(_types_namespace={"Tree": made})
    return made


@pytest.mark.parametrize("width", [2, 8, 24])
def test_a_recursive_type_does_not_flood_the_example(width: int) -> None:
    text = PromptedStrategy(tree(width)).example()
    assert '"name": "<string>"' in text
    assert "..." in text
    assert len(text) <= max(MAX_EXAMPLE_CHARACTERS, 2 * len(json.dumps(tree(width).model_json_schema())))


def test_a_deep_type_that_is_not_shown_to_its_end_has_its_schema_shown_too() -> None:
    nested: Any = Leaf
    for at in range(8):
        nested = create_model(f"Level{at}", inner=(nested, ...))
    strategy = PromptedStrategy(nested)
    assert not strategy.whole_example().is_whole
    assert PromptedStrategy(Leaf).whole_example().is_whole


def test_a_large_type_may_have_a_long_example() -> None:
    fields: Any = {f"field_{at}": (str, ...) for at in range(1_000)}
    strategy = PromptedStrategy(create_model("Wide", **fields))
    assert strategy.whole_example().is_whole
    assert "field_999" in strategy.example()


def test_a_large_part_that_is_referred_to_often_is_not_shown_each_time() -> None:
    parts = {f"p{at}": {"$ref": "#/$defs/E"} for at in range(300)}
    large = {"enum": [f"{'x' * 100}{at}" for at in range(100)]}
    strategy = PromptedStrategy({"title": "L", "type": "object", "properties": parts, "$defs": {"E": large}})
    assert '"p299": "..."' in strategy.example()
    assert not strategy.whole_example().is_whole


def test_members_that_are_true_or_false_are_shown_as_anything() -> None:
    strategy = PromptedStrategy(
        {"title": "T", "type": "object", "properties": {"a": {"anyOf": [True]}, "b": {"anyOf": [True, {}]}}}
    )
    assert strategy.example() == '{"a": "<anything>", "b": "<anything or anything, or leave this out>"}'


def test_the_name_of_a_field_is_no_keyword_that_an_example_cannot_express() -> None:
    class Parcel(BaseModel):
        contains: list[str]

    assert not needs_schema(Parcel.model_json_schema())
    assert needs_schema({"type": "array", "contains": {"type": "string"}})


def test_a_map_and_a_list_keep_their_descriptions() -> None:
    class Report(BaseModel):
        checks: dict[str, Any] | None = Field(default=None, description="What the checks say.")
        counts: dict[str, int] = Field(description="How often.")
        names: list[str] = Field(description="Who did it.")
        bare: dict[str, Any]

    assert json.loads(PromptedStrategy(Report).example()) == {
        "checks": {"<key>": "<anything, or leave this out, What the checks say.>"},
        "counts": {"<key>": "<integer, How often.>"},
        "names": ["<string, Who did it.>", "..."],
        "bare": {},
    }
