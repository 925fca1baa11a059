"""The names that fields have in JSON, and in the declared type."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import AliasChoices, AliasPath, BaseModel, Field, RootModel
from typing_extensions import TypedDict

from answergraph.answers.schemas.json_names import aliased_fields, field_at
from answergraph.kit import FieldPath


class Line(BaseModel):
    unit_price: Decimal = Field(alias="unitPrice")


class Bill(BaseModel):
    lines: list[Line] = Field(alias="allLines")
    by_year: dict[int, Line] = {}
    by_name: dict[str, int] = {}
    pair: tuple[int, Line] | None = None


class Bills(RootModel[list[Bill]]):
    pass


@dataclass
class Box:
    bill: Bill


class Row(TypedDict):
    line: Annotated[Line, "a mark"]


@pytest.mark.parametrize(
    ("declared", "in_json", "in_python"),
    [
        (Bill, ("allLines", 0, "unitPrice"), "lines[0].unit_price"),
        (Bill, ("by_year", "2026", "unitPrice"), "by_year[2026].unit_price"),
        (Bill, ("by_name", "unitPrice"), "by_name['unitPrice']"),
        (Bill, ("pair", 1, "unitPrice"), "pair[1].unit_price"),
        (Bills, (0, "allLines"), "[0].lines"),
        (Box, ("bill", "allLines"), "bill.lines"),
        (Row, ("line", "unitPrice"), "line.unit_price"),
        (list[Bill | None], (2, "allLines"), "[2].lines"),
        ({"type": "object"}, ("allLines", 0), "allLines[0]"),
    ],
)
def test_a_field_of_json_has_its_name_in_the_type(declared: Any, in_json: tuple[Any, ...], in_python: str) -> None:
    assert str(field_at(declared, FieldPath.of(*in_json)).path) == in_python


def test_a_field_of_json_has_the_types_that_are_declared_for_it() -> None:
    assert field_at(Bill, FieldPath.of("allLines", 0, "unitPrice")).types == (Decimal,)
    assert field_at(Bill, FieldPath.of("pair")).types[0] == tuple[int, Line]
    assert field_at(Bill, FieldPath.of("unknown")).types == ()


class Odd(BaseModel):
    same: str = Field(alias="s")
    other: str = Field(validation_alias="in", serialization_alias="out")
    either: str = Field(validation_alias=AliasChoices("first", "either"), serialization_alias="either")
    inner: str = Field(validation_alias=AliasPath("box", 0), serialization_alias="inner")


def test_each_aliased_field_knows_whether_it_is_read_from_what_it_is_written_as() -> None:
    fields = {field.name: field for field in aliased_fields(Odd.__pydantic_core_schema__)}
    assert {name: field.is_read_as_written for name, field in fields.items()} == {
        "same": True,
        "other": False,
        "either": True,
        "inner": False,
    }
    assert (fields["either"].read_as, fields["inner"].read_as) == ({"first", "either"}, set())
