"""What makes two items of a list the same one, read from a type."""

from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field
from pydantic.json_schema import SkipJsonSchema
from typing_extensions import TypeAliasType, TypedDict

from answergraph import AgentSpecError, Key
from answergraph.answers.schemas.item_keys import keys_of


class Line(BaseModel):
    sku: str = Field(serialization_alias="SKU")
    shift: int = 1


class Order(BaseModel):
    lines: Annotated[list[Line], Key("sku", "shift", may_delete=True)]


@dataclass
class Row:
    name: str


class Table(TypedDict):
    rows: Annotated[list[Row], Key("name")]


Lines = TypeAliasType("Lines", Annotated[list[Line], Key("sku")])


class Hidden(BaseModel):
    source: SkipJsonSchema[str] = ""


class Node(BaseModel):
    children: "Annotated[list[Node], Key('name')]" = []
    name: str = ""


def shown(declared: Any) -> dict[str, str]:
    return {path: repr(key) for path, key in keys_of(declared).items()}


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        (Order, {"lines": "Key('SKU', 'shift', may_delete=True)"}),
        (list[Order], {"[].lines": "Key('SKU', 'shift', may_delete=True)"}),
        (dict[str, Order] | None, {"[].lines": "Key('SKU', 'shift', may_delete=True)"}),
        (Table, {"rows": "Key('name')"}),
        (Lines, {"": "Key('SKU')"}),
        (Node, {"children": "Key('name')"}),
        (Line, {}),
        (Hidden, {}),
        (int, {}),
    ],
)
def test_keys_are_found_wherever_a_type_has_them_with_the_names_of_the_json(declared: Any, expected: Any) -> None:
    assert shown(declared) == expected


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        (Annotated[list[Line], Key("price")], r"Key\('price'\) names no field of its items; they have \['sku', 'shift'\]"),
        (Annotated[list[int], Key("sku")], "names no field of its items"),
        (Annotated[Line, Key("sku")], "is on what is no list; write Annotated"),
    ],
)
def test_a_key_that_names_nothing_is_refused_with_what_there_is(declared: Any, message: str) -> None:
    with pytest.raises(AgentSpecError, match=message):
        keys_of(declared)


@pytest.mark.parametrize(
    ("item", "name"), [({"a": 1, "b": "x"}, "1 x"), ({"a": 1}, None), ({"a": 1, "b": None}, None), (3, None)]
)
def test_an_item_is_named_by_all_fields_of_its_key_or_by_nothing(item: Any, name: str | None) -> None:
    assert Key("a", "b").of(item) == name
