"""A field of an answer is right, wrong, missing or extra."""

from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel, Field

from answergraph import AgentSpecError, AnswerRejected
from answergraph.testing import Case, JudgedBy, ScriptedChatModel, evaluate
from tests.answergraph.evaluation.scored_agent import INVOICE, ITEMS, Invoice, agent_of, score


def test_each_field_is_right_wrong_or_missing() -> None:
    reply = {**INVOICE, "number": "A-71", "note": None}
    assert score({**INVOICE, "note": "Paid."}, reply) == {
        "number": (0, 1, 0, 0),
        "total": (1, 0, 0, 0),
        "items[].sku": (2, 0, 0, 0),
        "items[].price": (2, 0, 0, 0),
        "note": (0, 0, 1, 0),
    }


def test_only_the_fields_that_a_case_names_count() -> None:
    assert score({"items": [{"sku": "b"}]}, {**INVOICE, "number": "?", "items": ITEMS[1:]}) == {"items[].sku": (1, 0, 0, 0)}


def test_the_expected_answer_may_be_a_value_of_the_declared_type() -> None:
    assert all(counts[1:] == (0, 0, 0) for counts in score(Invoice.model_validate(INVOICE), INVOICE).values())


@pytest.mark.parametrize(("expected", "value"), [("a  - 17", "A - 17"), ("A-17", "a-17 "), ("Ｎ", "n")])
def test_case_and_spacing_of_a_text_do_not_count(expected: str, value: str) -> None:
    assert score({"number": expected}, {**INVOICE, "number": value}) == {"number": (1, 0, 0, 0)}


@pytest.mark.parametrize(("expected", "value"), [("", None), (None, ""), (None, None)])
def test_an_empty_text_is_nothing(expected: str | None, value: str | None) -> None:
    assert score({"note": expected}, {**INVOICE, "note": value}) == {"note": (1, 0, 0, 0)}


def test_a_value_where_none_is_expected_is_extra() -> None:
    assert score({"note": None}, {**INVOICE, "note": "Paid."}) == {"note": (0, 0, 0, 1)}


def test_items_are_matched_in_any_order_and_rows_are_missing_or_extra() -> None:
    assert score({"items": ITEMS}, {**INVOICE, "items": ITEMS[::-1]}) == {
        "items[].sku": (2, 0, 0, 0),
        "items[].price": (2, 0, 0, 0),
    }
    more = [*ITEMS, {"sku": "c", "price": 9}]
    assert score({"items": ITEMS}, {**INVOICE, "items": more})["items[]"] == (0, 0, 0, 1)
    assert score({"items": more}, INVOICE) == {"items[].sku": (2, 0, 1, 0), "items[].price": (2, 0, 1, 0)}
    assert score({"items": []}, {**INVOICE, "items": ITEMS}) == {"items[]": (0, 0, 0, 2)}
    assert score({"items": []}, {**INVOICE, "items": []}) == {"items": (1, 0, 0, 0)}


def test_items_are_matched_by_a_key_if_one_is_named() -> None:
    reply = {**INVOICE, "items": [{"sku": "c", "price": 1.5}, {"sku": "a", "price": 2}]}
    assert score({"items": ITEMS}, reply)["items[].sku"] == (0, 2, 0, 0)
    keyed = {"items[].sku": (1, 0, 1, 0), "items[].price": (0, 1, 1, 0), "items[]": (0, 0, 0, 1)}
    assert score({"items": ITEMS}, reply, keys={"items": "sku"}) == keyed


def test_a_predicate_judges_the_whole_answer() -> None:
    cases = [Case("1", lambda answer: answer > 3), Case("2", lambda answer: answer > 3)]
    report = evaluate(agent_of(2, 4, response_format=int), cases, concurrency=1)
    assert (report.fields[""].right, report.fields[""].wrong) == (1, 1)
    assert report.accuracy == 0.5


def in_stock(sku: str) -> bool:
    if sku == "c":
        raise AnswerRejected("There is no c in stock.")
    return sku == "a"


def test_a_predicate_judges_a_field_and_says_why_it_does_not_hold() -> None:
    def expected(number: str) -> dict[str, Any]:
        return {"number": lambda text: text == number, "note": in_stock, "items": [{"sku": in_stock, "price": 1.5}]}

    reply = {**INVOICE, "items": [{"sku": "c", "price": 1.5}]}
    report = evaluate(agent_of(reply, reply), [Case("Read it.", expected("A-17")), Case("Read it.", expected("B"))])
    first, second = ({each["field"]: (each["mark"], each["problem"]) for each in run["fields"]} for run in report.runs)
    assert first["number"] == ("right", None)
    assert second["number"] == ("wrong", "the case does not accept 'A-17'")
    assert first["note"] == ("missing", "there is no answer")
    assert first["items[0].sku"] == ("wrong", "There is no c in stock.")
    assert first["items[0].price"] == ("right", None)


def test_another_model_judges_what_no_rule_can_compare() -> None:
    replies = ['{"reason": "It is rude.", "is_met": false}', '{"reason": "It is polite.", "is_met": true}', *["Hm."] * 9]
    judge = ScriptedChatModel(replies=replies)
    case = Case("Write to Ada.", {"note": JudgedBy(judge, "Is polite.")})
    report = evaluate(agent_of(*[{**INVOICE, "note": "Dear Ada,"}] * 3), [case], repeats=3)
    problems = [run["fields"][0]["problem"] for run in report.runs]
    assert problems[:2].count(None) == 1
    assert "The judge says: It is rude." in problems
    assert str(problems[2]).startswith("The judge gave no verdict: ")
    assert "Is polite." in judge.requests[0].messages[0].text
    assert judge.requests[0].messages[-1].text == 'The value:\n"Dear Ada,"'
    with pytest.raises(AgentSpecError, match="say in a sentence"):
        JudgedBy(judge, " ")


def test_which_texts_mean_the_same_can_be_said() -> None:
    reply = {**INVOICE, "number": "a 17", "items": [{"sku": "b.", "price": 2}, {"sku": "a", "price": 1.5}]}
    without_punctuation = {"normalize": lambda text: "".join(filter(str.isalnum, text)).lower()}
    assert score({"number": "A-17"}, reply)["number"] == (0, 1, 0, 0)
    assert score({"number": "A-17"}, reply, **without_punctuation)["number"] == (1, 0, 0, 0)
    assert score({"items": ITEMS}, reply, **without_punctuation)["items[].sku"] == (2, 0, 0, 0)
    assert score({"items": ITEMS}, reply, keys={"items": "sku"}, **without_punctuation)["items[].sku"] == (2, 0, 0, 0)


def test_items_that_share_nothing_are_missing_and_extra_and_the_nearest_of_equals_is_taken() -> None:
    unlike = {**INVOICE, "items": [{"sku": "x", "price": 9}]}
    assert score({"items": ITEMS[:1]}, unlike) == {
        "items[].sku": (0, 0, 1, 0),
        "items[].price": (0, 0, 1, 0),
        "items[]": (0, 0, 0, 1),
    }
    twice = [{"sku": "a", "price": 1}, {"sku": "a", "price": 2}]
    wrong = {**INVOICE, "items": [{"sku": "a", "price": 3}, {"sku": "a", "price": 2}]}
    assert score({"items": twice}, wrong)["items[].price"] == (1, 1, 0, 0)


class Line(BaseModel):
    price: Decimal = Field(alias="unit price")


class Order(BaseModel):
    lines: list[Line] = Field(alias="order lines")
    taxes: dict[str, Decimal] = {}
    sent: str | None = Field(default=None, alias="sent on")


def test_fields_have_the_names_of_the_outcome_and_not_those_of_the_json() -> None:
    reply = {"order lines": [{"unit price": 1}, {"unit price": 2}], "taxes": {"VAT 7%": 1}, "sent on": "Monday"}
    agent = agent_of(reply, {**reply, "sent on": "Friday"}, response_format=Order)
    earlier, now = (evaluate(agent, [Case("Read it.", reply)]) for _ in range(2))
    assert [each["field"] for each in now.runs[0]["fields"]] == ["lines[0].price", "lines[1].price", "taxes['VAT 7%']", "sent"]
    assert [*now.fields] == ["lines[].price", "taxes['VAT 7%']", "sent"]
    assert [each.field for each in now.compare(earlier, max_p=1)] == [None, "sent"]
