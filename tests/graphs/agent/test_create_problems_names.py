"""A field that does not fit the schema is called by its one name, whatever JSON and Pydantic call it."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from langchain_core.messages import AIMessage
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from typing_extensions import TypedDict

from answergraph import ToolStrategy, UsageLimits, create_agent
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

QUESTION: Any = {"messages": ["Go."]}


class Camel(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class Cat(Camel):
    kind: Literal["cat"]
    lives_left: int


class Dog(BaseModel):
    kind: Literal["dog"]
    age: int


class Row(TypedDict):
    how_many: int


@dataclass
class Place:
    house_number: int


class Order(Camel):
    """An order."""

    unit_price: int = 1
    pet: Annotated[Cat | Dog, Field(discriminator="kind")] = Dog(kind="dog", age=1)
    either: int | list[int] = 0
    row_or_place: Row | Place | None = None
    many: dict[str, list[Cat | Dog]] = {}
    pair: tuple[int, Cat] | None = None


WRONG: dict[str, tuple[dict[str, Any], list[str]]] = {
    "an alias": ({"unitPrice": "dear"}, ["unit_price"]),
    "the tag of a union": ({"pet": {"kind": "dog", "age": "old"}}, ["pet.age"]),
    "an alias behind a tag": ({"pet": {"kind": "cat", "livesLeft": "many"}}, ["pet.lives_left"]),
    "a missing field behind a tag": ({"pet": {"kind": "cat"}}, ["pet.lives_left"]),
    "the names of alternatives": ({"either": "none"}, ["either"]),
    "an item of an alternative": ({"either": [1, "two"]}, ["either", "either[1]"]),
    "alternatives that are records": (
        {"rowOrPlace": {"how_many": "two"}},
        ["row_or_place.how_many", "row_or_place"],
    ),
    "a key of a mapping with a point": (
        {"many": {"a.b": [{"kind": "dog", "age": "old"}]}},
        ["many['a.b'][0].kind", "many['a.b'][0].lives_left", "many['a.b'][0].age"],
    ),
    "an item of a pair": ({"pair": [1, {"kind": "cat", "livesLeft": []}]}, ["pair[1].lives_left"]),
}


def order(call_id: str, **values: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": "Order", "args": values, "id": call_id}])


@pytest.mark.parametrize(("wrong", "names"), WRONG.values(), ids=WRONG)
def test_a_wrong_field_has_its_one_name_in_attempts_fields_and_reason(run: Run, wrong: dict[str, Any], names: list[str]) -> None:
    model = ScriptedChatModel(replies=[order("1", **wrong)])
    agent = create_agent(model, response_format=ToolStrategy(Order), limits=UsageLimits(answer_attempts=1))
    outcome = run(agent, QUESTION)["outcome"]
    assert set(outcome["attempts"][0]["fields"]) <= set(names)
    assert names[0] in outcome["attempts"][0]["fields"]
    assert outcome["fields"].keys() == outcome["attempts"][0]["fields"].keys()
    assert f"{names[0]}: " in outcome["reason"]


def test_what_each_alternative_says_stands_with_the_field() -> None:
    model = ScriptedChatModel(replies=[order("1", either="none")])
    agent = create_agent(model, response_format=ToolStrategy(Order), limits=UsageLimits(answer_attempts=1))
    (said,) = agent.invoke(QUESTION)["outcome"]["attempts"][0]["fields"].values()
    assert said is not None
    assert "valid integer" in said
    assert "; Input should be a valid list" in said


def test_a_wrong_field_with_an_alias_is_repaired_by_its_name_in_json(run: Run) -> None:
    patch = AIMessage("", tool_calls=[{"name": "Order", "args": {"changes": [{"path": "unitPrice", "value": 3}]}, "id": "2"}])
    model = ScriptedChatModel(replies=[order("1", unitPrice="dear", either=7), patch])
    result = run(create_agent(model, response_format=ToolStrategy(Order), repair="patch"), QUESTION)
    assert result["structured_response"] == Order(unit_price=3, either=7)
    assert "- unitPrice" in model.requests[1].messages[-1].text
    assert list(result["outcome"]["attempts"][0]["fields"]) == ["unit_price"]
