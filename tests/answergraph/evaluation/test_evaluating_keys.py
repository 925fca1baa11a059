"""The ``Key`` of a list says which items are compared."""

from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from typing_extensions import TypeAliasType

from answergraph import AgentSpecError, Key, create_agent
from answergraph.testing import Case, ScriptedChatModel, evaluate, feedback_on
from tests.answergraph.evaluation.scored_agent import score
from tests.suite.colors import Run


class Line(BaseModel):
    sku: str
    price: float


class Order(BaseModel):
    lines: Annotated[list[Line], Key("sku")]


class AliasedLine(BaseModel):
    sku: str = Field(alias="article no")
    price: float


class AliasedOrder(BaseModel):
    lines: Annotated[list[AliasedLine], Key("sku")] = Field(alias="order lines")


class CamelLine(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)
    article_number: str
    price: float


class CamelOrder(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)
    order_lines: Annotated[list[CamelLine], Key("article_number")]


Lines = TypeAliasType("Lines", Annotated[list[Line], Key("sku")])


class NamedOrder(BaseModel):
    lines: Lines


def rows(name: str, *items: tuple[str, int]) -> list[dict[str, Any]]:
    return [{name: sku, "price": price} for sku, price in items]


EXPECTED, READ = [("a", 1), ("b", 2)], [("c", 1), ("a", 2)]


@pytest.mark.parametrize(
    ("schema", "place", "name"),
    [
        (Order, "lines", "sku"),
        (AliasedOrder, "order lines", "article no"),
        (CamelOrder, "orderLines", "articleNumber"),
        (NamedOrder, "lines", "sku"),
    ],
)
def test_items_are_matched_by_the_key_of_the_declared_type(schema: Any, place: str, name: str) -> None:
    expected, reply = {place: rows(name, *EXPECTED)}, {place: rows(name, *READ)}
    counts = score(expected, reply, response_format=schema)
    # The best match would pair the equal prices, and find both names wrong.
    assert list(counts.values()) == [(1, 0, 1, 0), (0, 1, 1, 0), (0, 0, 0, 1)]


def test_items_of_an_answer_that_is_a_list_are_matched_by_its_key() -> None:
    counts = score(rows("sku", *EXPECTED), rows("sku", *READ), response_format=Annotated[list[Line], Key("sku")])
    assert counts["[].sku"] == (1, 0, 1, 0)


def test_all_fields_of_a_key_name_an_item() -> None:
    class Stock(BaseModel):
        lines: Annotated[list[Line], Key("sku", "price")]

    counts = score({"lines": rows("sku", *EXPECTED)}, {"lines": rows("sku", ("a", 2), ("b", 2))}, response_format=Stock)
    assert counts["lines[].sku"] == (1, 0, 1, 0)


@pytest.mark.parametrize("item", [{"price": 2}, {"sku": lambda sku: sku == "a", "price": 2}], ids=["left out", "predicate"])
def test_a_case_without_a_name_for_an_item_is_compared_by_the_best_match(item: Any) -> None:
    counts = score({"lines": [item]}, {"lines": rows("sku", ("b", 1), ("a", 2))}, response_format=Order)
    assert all(right == 1 and not wrong and not missing for right, wrong, missing, _ in list(counts.values())[: len(item)])


def test_the_callers_own_key_comes_first() -> None:
    counts = score(
        {"lines": rows("sku", *EXPECTED)},
        {"lines": rows("sku", *READ)},
        response_format=Order,
        keys={"lines": "price"},
    )
    assert counts["lines[].price"] == (2, 0, 0, 0)


def test_feedback_for_an_optimizer_reads_the_key_from_the_class_of_the_answer(run: Run) -> None:
    reply = AliasedOrder.model_validate({"order lines": rows("article no", *READ)}).model_dump_json(by_alias=True)
    agent = create_agent(ScriptedChatModel(replies=[reply]), [], response_format=AliasedOrder)
    feedback = feedback_on(run(agent, {"messages": "Read it."}), {"order lines": rows("article no", *EXPECTED)})
    assert feedback.score == 1 / 5
    assert "lines[0].price: expected 1, got 2.0" in feedback.feedback


@pytest.mark.parametrize("path", ["linse", "linse[].parts", ""])
def test_the_key_of_a_list_that_no_answer_has_is_refused(path: str) -> None:
    agent = create_agent(ScriptedChatModel(replies=[]), response_format=Order)
    with pytest.raises(AgentSpecError, match=r"no answer has it; the fields of the answer are \['lines'\] in JSON"):
        evaluate(agent, [Case("?", {"lines": []})], keys={path: "sku"})


def test_the_key_of_a_list_whose_name_is_no_word_is_written_as_in_python() -> None:
    data = {"order lines": rows("article no", *EXPECTED)}
    keys = {"['order lines']": "price"}
    counts = score(data, {"order lines": rows("article no", *READ)}, response_format=AliasedOrder, keys=keys)
    assert counts["lines[].price"] == (2, 0, 0, 0)
