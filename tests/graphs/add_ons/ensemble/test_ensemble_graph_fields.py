"""The fields of an ensemble's outcome: named as in an agent's, with what the readers' own checks say, whatever the type."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import BaseModel, ConfigDict, Field, RootModel
from pydantic.alias_generators import to_camel
from typing_extensions import TypedDict

from answergraph import ToolStrategy, create_agent
from answergraph.graphs import create_ensemble, create_extractor, merge_answers
from answergraph.kit import AnswerAccepted
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

DOCUMENT: dict[str, Any] = {"document": "Invoice A-17 of 2026: tea 12.50, pencils, dog, paid"}
ASKED: dict[str, Any] = {"messages": ["Read it."]}


def model(schema: Any, *values: Any) -> ScriptedChatModel:
    calls = [{"name": schema.__name__, "args": value, "id": str(number)} for number, value in enumerate(values)]
    return ScriptedChatModel(replies=[AIMessage("", tool_calls=[call]) for call in calls])


def reader(schema: Any, *values: Any) -> Any:
    return create_agent(model(schema, *values), response_format=ToolStrategy(schema))


class Camel(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class Line(Camel):
    unit_price: Decimal


class Bill(Camel):
    bill_number: str
    all_lines: list[Line] = []
    by_year: dict[int, Line] = {}
    by_name: dict[str, str] = {}


BILL = {
    "billNumber": "A-17",
    "allLines": [{"unitPrice": "12.50"}],
    "byYear": {"2026": {"unitPrice": "12.50"}},
    "byName": {"a note": "paid", "item": "pencils"},
}


class Rows(RootModel[list[Line]]):
    pass


@dataclass
class Point:
    name: Annotated[str, Field(alias="theName")]


class Entry(TypedDict):
    name: Annotated[str, Field(alias="theName")]


class Cat(Camel):
    kind: Literal["cat"]
    old_name: str


class Dog(Camel):
    kind: Literal["dog"]
    dog_name: str


class Owner(Camel):
    the_pet: Annotated[Cat | Dog, Field(discriminator="kind")] | None


def marks_of(record: Any) -> list[Any]:
    return [evidence["marks"] for evidence in record["evidence"]]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (Bill, BILL),
        (Rows, {"value": [{"unitPrice": "12.50"}]}),
        (Point, {"theName": "pencils"}),
        (Entry, {"theName": "pencils"}),
        (Owner, {"thePet": {"kind": "dog", "dogName": "paid"}}),
    ],
)
def test_fields_have_the_names_and_the_evidence_of_an_agents(run: Run, schema: Any, value: Any) -> None:
    alone = run(create_extractor(model(schema, value), schema), DOCUMENT)["outcome"]["fields"]
    ensemble = create_ensemble([create_extractor(model(schema, value), schema) for _ in range(2)])
    together = run(ensemble, DOCUMENT)["outcome"]["fields"]
    assert {path: (each["status"], marks_of(each)) for path, each in together.items()} == {
        path: (each["status"], marks_of(each)) for path, each in alone.items()
    }
    assert any(map(marks_of, alone.values()))


def test_a_field_with_an_alias_that_its_readers_check_doubts_does_not_count(run: Run) -> None:
    doubtful: Any = {"bill_number": {"status": "not_found", "evidence": [], "problem": "it is in no source"}}
    first = create_agent(
        model(Bill, {"billNumber": "B-99"}),
        response_format=ToolStrategy(Bill),
        check_answer=lambda answer, state, runtime: AnswerAccepted(fields=doubtful),
    )
    result = run(create_ensemble([first], then=[reader(Bill, {"changes": [{"path": "billNumber", "value": "A-17"}]})]), ASKED)
    assert result["structured_response"].bill_number == "A-17"
    assert result["outcome"]["fields"]["bill_number"]["accepted_by"] == "escalation"


def test_the_next_agent_is_asked_by_the_names_of_the_json(run: Run) -> None:
    judge = model(Bill, {"changes": [{"path": "allLines[0].unitPrice", "value": 12}]})
    others = [reader(Bill, {**BILL, "allLines": [{"unitPrice": price}]}) for price in (11, 12)]
    result = run(create_ensemble(others, then=[create_agent(judge, response_format=ToolStrategy(Bill))]), ASKED)
    assert result["structured_response"].all_lines[0].unit_price == 12
    assert "- allLines[0].unitPrice: reader_1 read" in "\n".join(message.text for message in judge.requests[0].messages)


def test_a_person_decides_by_the_python_name_even_if_the_readings_do_not_fit_together(run: Run) -> None:
    pets = [{"kind": "cat", "oldName": "Tom"}, {"kind": "dog", "dogName": "Rex"}]
    readers = [reader(Owner, {"thePet": pet}) for pet in pets]
    ensemble = create_ensemble(readers, on_doubt="review", checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    asked = run(ensemble, ASKED, config)["__interrupt__"][0].value
    assert set(asked["fields"]) == {"the_pet.kind", "the_pet.old_name", "the_pet.dog_name"}
    decisions = {
        "the_pet.kind": {"type": "edit", "value": "dog"},
        "the_pet.old_name": {"type": "approve"},
        "the_pet.dog_name": {"type": "edit", "value": "Rex"},
    }
    result = run(ensemble, Command(resume={"decisions": decisions}), config)
    assert result["structured_response"] == Owner(the_pet=Dog(kind="dog", dog_name="Rex"))


def test_decimals_are_compared_by_value(run: Run) -> None:
    prices = ["12.50", "12.5", 12.5]
    readers = [reader(Bill, {**BILL, "allLines": [{"unitPrice": price}]}) for price in prices]
    result = run(create_ensemble(readers, agree=3), ASKED)
    assert result["structured_response"].all_lines[0].unit_price == Decimal("12.5")
    assert result["outcome"]["fields"]["all_lines[0].unit_price"]["accepted_by"] == "agreement"


def test_texts_that_look_like_numbers_are_compared_as_texts(run: Run) -> None:
    result = run(create_ensemble([reader(Point, {"theName": name}) for name in ("1.10", "1.1")]), ASKED)
    assert result["outcome"]["fields"]["name"]["status"] == "disputed"


def test_merged_results_keep_the_evidence_of_fields_with_an_alias() -> None:
    results: list[Any] = [
        create_extractor(model(Bill, value), Bill).invoke({"document": DOCUMENT["document"]})
        for value in ({"billNumber": "A-17"}, {"billNumber": "A-17", "byName": {"item": "pencils"}})
    ]
    fields: Any = merge_answers(*results)["outcome"]["fields"]
    assert {path: each["status"] for path, each in fields.items()} == {"bill_number": "supported", "by_name['item']": "supported"}


class Item(BaseModel):
    name: str
    count: int


class Order(BaseModel):
    lines: list[Item] | None = None


A, B, C = ({"name": name, "count": count} for name, count in (("tea", 1), ("pens", 2), ("ink", 3)))


@pytest.mark.parametrize(
    ("readings", "then", "lines"),
    [
        ([{"lines": [A, B]}, {"lines": [A, B]}, {"lines": None}], None, [A, B]),
        ([{"lines": [A, B]}, {"lines": [A, B, C]}, {}], None, [A, B]),
        ([{"lines": [A, B]}, {"lines": [A, B, C]}], {"lines": None}, [A, B]),
        ([{"lines": [A, B]}, {"lines": [A, B, C]}], {"lines": [C]}, [A, B, C]),
        ([{"lines": [A]}, {"lines": None}], {"lines": None}, None),
    ],
)
def test_a_reader_that_lacks_a_list_takes_no_item_away_that_others_agree_on(
    run: Run, readings: list[Any], then: Any, lines: Any
) -> None:
    later = [] if then is None else [reader(Order, then)]
    ensemble = create_ensemble([reader(Order, each) for each in readings], then=later)
    result: dict[str, Any] = run(ensemble, ASKED)
    assert result["outcome"]["status"] == "answered"
    assert result["structured_response"] == Order.model_validate({"lines": lines})


def test_the_graphs_json_schema_shows_the_answer() -> None:
    agent = reader(Bill, BILL)
    properties = create_ensemble([agent] * 2).get_output_jsonschema()["properties"]
    assert properties["structured_response"] == agent.get_output_jsonschema()["properties"]["structured_response"]
