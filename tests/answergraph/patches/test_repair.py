"""What is asked for when an answer is wrong in some fields, and what a reply to that comes to."""

from typing import Any

import pytest
from pydantic import BaseModel

from answergraph.answers.schemas.schema_kinds import answer_schemas
from answergraph.patches.repair import Completed, completed, growing, offer, repair_of


class Item(BaseModel):
    sku: str
    price: float


class Order(BaseModel):
    number: str
    items: list[Item]
    note: str = ""


SCHEMA = answer_schemas(Order)[0]
ORDER: dict[str, Any] = {
    "number": "A-17",
    "items": [{"sku": f"sku-{number}", "price": number} for number in range(30)],
    "note": "paid",
}
WRONG = {"items[1].price": "Input should be a valid number"}


def repair(problems: dict[str, str] | None = None, mode: Any = "auto", data: Any = None) -> Any:
    return repair_of("Order", ORDER if data is None else data, problems or WRONG, mode)


def test_a_patch_is_offered_where_it_is_shorter_than_the_answer() -> None:
    short = {"number": "A-17", "items": [{"sku": "a", "price": "x"}]}
    assert (repair()["offered"], repair(data=short, problems={"items[0].price": "no number"})["offered"]) == (True, False)
    assert repair(data=short, problems={"items[0].price": "no number"}, mode="patch")["offered"]


def test_a_mode_without_patches_remembers_nothing() -> None:
    assert repair(mode="whole") is None


def test_no_patch_is_offered_where_a_problem_names_no_place() -> None:
    assert not repair({"": "The answer is too long"})["offered"]
    assert not repair({**{f"items[{number}].price": "x" for number in range(30)}, "": "as a whole"}, mode="patch")["offered"]


@pytest.mark.parametrize(
    ("reply", "price", "changed"),
    [
        ({"changes": [{"path": "items[1].price", "value": 7}]}, 7, ("items[1].price",)),
        ({"changes": {"items[1].price": 7}}, 7, ("items[1].price",)),
        ({"changes": []}, 1, ()),
        ({"items": [{} if number != 1 else {"price": 7} for number in range(30)]}, 7, ("items[1].price",)),
    ],
)
def test_a_patch_or_a_part_is_merged_with_the_answer(reply: Any, price: float, changed: tuple[str, ...]) -> None:
    data, fields = completed(repair(), SCHEMA, reply)
    assert (data["items"][1]["price"], tuple(map(str, fields or ()))) == (price, changed)
    assert {**data, "items": ORDER["items"]} == ORDER
    assert [each for number, each in enumerate(data["items"]) if number != 1] == [
        each for number, each in enumerate(ORDER["items"]) if number != 1
    ]


def test_a_whole_answer_stands_alone() -> None:
    whole = {"number": "B-1", "items": []}
    assert completed(repair(), SCHEMA, whole) == Completed(whole, None)


def test_an_answer_of_another_schema_is_no_patch() -> None:
    reply: dict[str, Any] = {"changes": []}
    other: Any = {**repair(), "schema": "Refund"}
    assert completed(other, SCHEMA, reply) == Completed(reply, None)


def test_a_type_with_a_field_named_changes_is_never_patched() -> None:
    class Log(BaseModel):
        changes: list[str]
        author: str = ""

    before: Any = {"schema": "Log", "value": {"changes": ["a"], "author": "x"}, "fields": {"author": "no"}, "offered": True}
    assert completed(before, answer_schemas(Log)[0], {"changes": ["b"]}).data == {"changes": ["b"]}


def test_a_change_of_a_field_that_is_not_there_says_so() -> None:
    with pytest.raises(ValueError, match=r"there is no field items\[99\]\.price in your answer"):
        completed(repair(), SCHEMA, {"changes": [{"path": "items[99].price", "value": 1}]})


def test_while_a_patch_is_written_the_whole_answer_is_shown() -> None:
    assert growing(repair(), {}) == ORDER
    begun = growing(repair(), {"changes": [{"path": "note", "value": "un"}, {"path": "items[1].pr"}]})
    assert begun == {**ORDER, "note": "un"}
    assert growing(repair(), {"changes": [{"path": "items[99].x", "value": 1}]}) == ORDER


def test_an_offer_names_each_field_with_its_problem_and_what_stands_there() -> None:
    text = offer(repair(), shows_values=True)
    assert "- items[1].price (now 1): Input should be a valid number" in text
    assert '{"changes": [{"path": "items[1].price", "value": …}]}' in text
    assert "(now" not in offer(repair(), shows_values=False)
