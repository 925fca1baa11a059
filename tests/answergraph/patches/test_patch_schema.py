"""The schema of changes holds a model to the kinds of fields that an answer has."""

import json
from datetime import date
from typing import Any

import jsonschema_rs
import pytest
from pydantic import BaseModel

from answergraph.answers.schemas.schema_kinds import answer_schemas
from answergraph.patches.patch_schema import MAX_ALTERNATIVES, patch_schema


class Item(BaseModel):
    sku: str
    price: float


class Order(BaseModel):
    items: list[Item]
    due: date | None = None


def takes(declared: Any, *changes: dict[str, Any]) -> bool:
    schema = patch_schema(answer_schemas(declared)[0])
    return bool(jsonschema_rs.is_valid(dict(schema.value_schema), {"changes": list(changes)}))


@pytest.mark.parametrize("value", [3, "text", None, {"sku": "a", "price": 1}, [{"sku": "a", "price": 1}]])
def test_a_value_of_any_field_is_taken(value: Any) -> None:
    assert takes(Order, {"path": "items[0]", "value": value})


@pytest.mark.parametrize("change", [{"path": "due", "value": True}, {"path": "due"}, {"value": 3}, {"path": 3, "value": 3}])
def test_what_no_field_can_be_is_not_taken(change: dict[str, Any]) -> None:
    assert not takes(Order, change)


def test_it_has_the_name_of_the_answer_and_says_nothing_of_its_fields_again() -> None:
    schema = patch_schema(answer_schemas(Order)[0])
    assert schema.name == "Order"
    assert patch_schema(schema) is schema
    assert "title" not in json.dumps(schema.value_schema)


def test_a_type_that_has_changes_itself_is_asked_for_as_a_whole() -> None:
    class Log(BaseModel):
        changes: list[str]

    schema = answer_schemas(Log)[0]
    assert patch_schema(schema) is schema


def test_a_type_with_many_kinds_of_fields_takes_any_value() -> None:
    many: Any = {"title": "Many", "type": "object", "properties": {f"f{n}": {"const": n} for n in range(MAX_ALTERNATIVES + 1)}}
    assert takes(many, {"path": "f1", "value": ["anything"]})
