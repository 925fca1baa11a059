"""A derived value is recomputed from fields that stand in the sources."""

from decimal import Decimal
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage
from pydantic import BaseModel

from answergraph import AgentSpecError, Derived, Grounded, check_evidence, create_agent
from answergraph.evidence import answer_bundle, verify_bundle
from answergraph.middleware import GroundedAnswer, Input
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

DOCUMENT = "pens 2 x 1.50\npaper 3 x 4.00\nshipping 5.00\nVAT 0.19"


class Item(BaseModel):
    """One line."""

    count: Annotated[int, Grounded()]
    price: Annotated[Decimal, Grounded()]
    total: Annotated[Decimal | None, Derived("count * price")] = None


class Invoice(BaseModel):
    """An invoice."""

    items: list[Item]
    shipping: Annotated[Decimal, Grounded()] = Decimal(5)
    total: Annotated[Decimal, Derived("sum(items[].count * items[].price) + shipping", rounding=2)]


ITEMS: list[Any] = [{"count": 2, "price": "1.50"}, {"count": 3, "price": "4.00"}]


def fields_of(**changed: Any) -> Any:
    return check_evidence(Invoice(**{"items": ITEMS, "total": 20, **changed}), DOCUMENT).fields


def status_of(formula: str, value: Any, rounding: int | None = None, **fields: Any) -> str:
    marks: Any = {name: Grounded() for name in fields}
    marks["value"] = Derived(formula, rounding=rounding)
    return check_evidence({**fields, "value": value}, "1 2 3 4 8 and 1.25", marks=marks).fields["value"]["status"]


def test_a_total_that_adds_up_is_derived_and_shows_its_operands() -> None:
    fields = fields_of()
    assert (fields["total"]["status"], fields["total"]["problem"]) == ("derived", None)
    units = [place["unit"] for place in fields["total"]["evidence"]]
    assert (len(units), units[-1]) == (5, "shipping 5.00")


def test_a_total_that_does_not_add_up_is_unsupported_and_says_what_it_is() -> None:
    total = fields_of(total=21)["total"]
    assert (total["status"], total["evidence"]) == ("unsupported", [])
    assert total["problem"] == "21: sum(items[].count * items[].price) + shipping is 20.00."


def test_what_is_computed_from_a_made_up_value_is_unsupported() -> None:
    fields = fields_of(items=[*ITEMS, {"count": 2, "price": "7.77"}], total="35.54")
    assert fields["total"]["problem"] == "35.54: it is computed from items[2].price, and nothing stands behind that."


def test_a_formula_in_an_item_means_the_fields_beside_it() -> None:
    items = [{**item, "total": total} for item, total in zip(ITEMS, (3, 13), strict=True)]
    fields = fields_of(items=items)
    assert [fields[f"items[{number}].total"]["status"] for number in (0, 1)] == ["derived", "unsupported"]


@pytest.mark.parametrize(
    ("formula", "value", "rounding", "status"),
    [
        ("a / b", 0.5, None, "derived"),
        ("b / c", 0.67, 2, "derived"),
        ("b / c", 0.67, None, "unsupported"),
        ("b / c", 0.68, 2, "unsupported"),
        ("-a + 2 * b", 3, None, "derived"),
        ("round(d)", 1, None, "derived"),
        ("a / (b - 2)", 1, None, "unsupported"),
        ("a + missing", 1, None, "unsupported"),
        ("sum(a)", 1, None, "unsupported"),
        ("sum(none[].price)", 0, None, "derived"),
    ],
)
def test_a_formula_is_computed(formula: str, value: float, rounding: int | None, status: str) -> None:
    assert status_of(formula, value, rounding, a=1, b=2, c=3, d=1.25) == status


def test_lists_are_counted_and_compared() -> None:
    rows = [{"n": 2}, {"n": 4}, {"n": 8}]
    for formula, value in {
        "len(rows[].n)": 3,
        "min(rows[].n)": 2,
        "max(rows[].n)": 8,
        "sum(rows[].n) / len(rows[].n)": 4.67,
    }.items():
        marks: Any = {"rows[].n": Grounded(), "value": Derived(formula, rounding=2)}
        assert check_evidence({"rows": rows, "value": value}, "2, 4 and 8", marks=marks).fields["value"]["status"] == "derived"


def test_a_derived_value_may_be_an_operand() -> None:
    marks: Any = {"all": Derived("twice + a"), "twice": Derived("a * 2"), "a": Grounded()}
    fields = check_evidence({"all": 9, "twice": 6, "a": 3}, "a: 3", marks=marks).fields
    assert [fields[name]["status"] for name in ("all", "twice")] == ["derived", "derived"]
    turned: Any = {"a": Derived("b"), "b": Derived("a")}
    assert {one["status"] for one in check_evidence({"a": 3, "b": 3}, "3", marks=turned).fields.values()} == {"unsupported"}


@pytest.mark.parametrize(
    "formula", ["", "12", "a +", "a ** b", "open(a)", "a if b else c", "a.b()", "sum(a, b)", "'x' + a", "[a]"]
)
def test_a_formula_that_is_none_is_refused_while_building(formula: str) -> None:
    with pytest.raises(AgentSpecError, match="cannot be computed"):
        Derived(formula)


def test_the_model_is_told_and_the_bundle_holds(run: Run) -> None:
    def reply(total: str) -> AIMessage:
        args = {"items": ITEMS, "shipping": "5.00", "total": total}
        return AIMessage("", tool_calls=[{"name": "Invoice", "args": args, "id": total}])

    model = ScriptedChatModel(replies=[reply("21"), reply("20")])
    agent = create_agent(model, response_format=Invoice, middleware=[GroundedAnswer(sources=Input())])
    result = run(agent, {"messages": [DOCUMENT]})
    assert result["structured_response"].total == 20
    assert "is 20.00" in result["outcome"]["attempts"][0]["error"]
    verdicts = {verdict.path: verdict.holds for verdict in verify_bundle(answer_bundle(result))}
    assert verdicts["total"]
    assert all(verdicts.values())
