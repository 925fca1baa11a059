"""A label that has several values: in sources that disagree, and in one document."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from answergraph import Derived, Grounded, SupportedBy, check_evidence
from answergraph.evidence import ToolRun
from answergraph.state.field_record import FieldRecord


def record_of(value: Any, texts: list[Any], **mark: Any) -> FieldRecord:
    return check_evidence({"field": value}, texts, marks={"field": Grounded(**mark)}).fields["field"]


def words_of(places: list[Any]) -> list[str]:
    return [place["unit"][slice(*place["marks"][0])] for place in places]


DISAGREEING: list[tuple[Any, str, str, str, Any]] = [
    (Decimal("5"), "Total: 5.00", "Total: 7.00", "7.00", "total"),
    (Decimal("5"), "Total: 5.00", "The total is 7.00 EUR.", "7.00", "total"),
    (Decimal("5"), "id,total\n1,5.00", "id,total\n1,7.00", "7.00", "total"),
    (Decimal("5"), "| id | total |\n|---|---|\n| 1 | 5.00 |", "| id | total |\n|---|---|\n| 1 | 7.00 |", "7.00", "total"),
    (Decimal("5"), "Total: 5.00", '{"id": 3, "total": 7.00}', "7.00", "total"),
    (Decimal("-254"), "Result: (254)", "Result: 254", "254", "result"),
    (5, "5 failed, 12 passed", "7 failed, 12 passed", "7", "failed"),
    (5, "合計: 5円", "合計: 7円", "7", "合計"),
    (5, "总计：5 元", "总计：7 元", "7", "总计"),
    (5000, "합계: 5,000원", "합계: 7,000원", "7,000", "합계"),
    (Decimal("5"), "Итого: 5,00 руб.", "Итого: 7,00 руб.", "7,00", "Итого"),
    (Decimal("5"), "المجموع: ٥٫٠٠", "المجموع: ٧٫٠٠", "٧٫٠٠", "المجموع"),
    (Decimal("5"), "कुल: ५.००", "कुल: ७.००", "७.००", "कुल"),
    (Decimal("1250"), "Summe: 1.250,00 €", "Summe: 1.520,00 €", "1.520,00", "Summe"),
    (date(2025, 10, 27), "Date: 27 October 2025", "Datum: 28.10.2025", "28.10.2025", ["date", "Datum"]),
    (date(2025, 10, 27), "発行日: 令和7年10月27日", "発行日: 令和7年11月27日", "令和7年11月27日", "発行日"),
    ("Acme GmbH", "Supplier: Acme GmbH", "Supplier: Beta Ltd", "Beta Ltd", "supplier"),
    ("A-17", "Invoice no.   A-17", "Invoice no.   B-18", "B-18", "invoice no."),
    ("Acme", '{"supplier": "Acme", "n": 1}', '{"supplier": "Beta", "n": 1}', "Beta", "supplier"),
]


@pytest.mark.parametrize(("value", "one", "other", "words", "label"), DISAGREEING)
def test_sources_that_have_different_values_under_a_label_disagree(
    value: Any, one: str, other: str, words: str, label: Any
) -> None:
    record = record_of(value, [one, other], label=label)
    assert (record["status"], words_of(record["others"])) == ("ambiguous", [words])
    said = ", ".join(f"text_{number} says {text.splitlines()[-1]!r}" for number, text in enumerate((one, other)))
    assert f": the sources disagree: {said}." in str(record["problem"])
    (own,) = record["evidence"]
    assert (own["source"]["id"], record["others"][0]["source"]["id"]) == ("text_0", "text_1")


def test_a_word_that_means_something_else_disagrees() -> None:
    spelled = {"PAID": True, "open": False}
    record = record_of(True, ["Status: PAID", "Status: open"], label="status", spelled=spelled)
    assert (record["status"], words_of(record["others"])) == ("ambiguous", ["open"])
    assert record_of(True, ["Status: PAID", "Status: shipped"], label="status", spelled=spelled)["status"] == "supported"


AGREEING: list[tuple[Any, list[str], Any]] = [
    (Decimal("5"), ["Total: 5.00", "Total: 5"], {"label": "total"}),
    (Decimal("5"), ["Sub total: 4.00\nTotal: 5.00"], {"label": "total"}),
    (Decimal("5"), ["Total: 5.00", "Total (net): 4.20"], {"label": "total"}),
    (Decimal("12"), ["Total EUR 12.00\nTotal net 10.00\nTotal VAT 2.00"], {"label": "total"}),
    (Decimal("5"), ["Total: 5.00 (7 items)"], {"label": "total"}),
    (Decimal("120"), ["Subtotal: 100\nTotal: 120", "Balance: 120\nTotal: 120"], {"label": "total"}),
    (5, ["Zeit: 5 s", "Zeit: 5000 ms"], {"label": "Zeit", "units": {"s": 1, "ms": 0.001}}),
    (5, ["Total: 5", "Weight: 7"], {"label": "total"}),
    (5, ["Total: 5", "7 in all"], {"label": "total"}),
    (5, ["5", "7"], {}),
    (Decimal("3.10"), ["id,qty,price\nA1,12,9.25\nA2,7,3.10\n"], {"label": "price"}),
    ("Acme GmbH", ["Supplier: Acme GmbH", "Supplier: ACME GMBH, Berlin"], {"label": "supplier"}),
    (datetime(2025, 10, 27, 23, tzinfo=UTC), ["At 2025-10-27 23:00Z", "At 2025-10-28 01:00+02:00"], {"label": "at"}),
]


@pytest.mark.parametrize(("value", "texts", "mark"), AGREEING)
def test_sources_agree_where_the_value_or_another_thing_stands(value: Any, texts: list[str], mark: Any) -> None:
    assert record_of(value, texts, **mark)["status"] == "supported"


@pytest.mark.parametrize(
    ("value", "text", "others"),
    [
        (6547, "Account: 6547\nBalance 5\nAccount: 3216", ["3216"]),
        (Decimal("5"), "Page 1 Total: 5.00\nPage 2 Total: 7.00\nTotal: 12.00", ["7.00", "12.00"]),
    ],
)
def test_several_places_of_one_document_are_listed_and_nothing_is_wrong(value: Any, text: str, others: list[str]) -> None:
    record = record_of(value, [text], label=["account", "total"])
    assert (record["status"], record["problem"], words_of(record["others"])) == ("ambiguous", None, others)
    also = record_of(value, [text, text.replace(" Total", "\nTotal")], label=["account", "total"])
    assert also["problem"] is None


def test_the_items_of_a_list_share_a_label_and_differ() -> None:
    text = "Price: 5\nPrice: 7"
    report = check_evidence({"prices": [5, 7], "by": {"a": 5}}, text, marks={"prices": Grounded(label="price")})
    assert {report.fields[path]["status"] for path in ("prices[0]", "prices[1]")} == {"supported"}


def test_an_overruled_result_disagrees_with_nothing_but_is_disagreed_with() -> None:
    runs = [ToolRun(call, "read", {"id": 1}, (text,)) for call, text in (("1", "Total: 5"), ("2", "Total: 7"))]
    assert record_of(7, runs, label="total")["status"] == "supported"
    stale = record_of(5, runs, label="total")
    assert (stale["status"], stale["evidence"][0]["source"]["overruled_by"]) == ("ambiguous", "2")


def test_what_a_tool_repeats_of_the_models_words_disagrees_with_nothing() -> None:
    runs = [ToolRun("1", "read", {}, ("Total: 5",)), ToolRun("2", "note", {"total": 7}, ("total: 7",))]
    assert record_of(5, runs, label="total")["status"] == "supported"


class Order(BaseModel):
    """An order."""

    net: Annotated[Decimal, Grounded(label="net")]
    total: Annotated[Decimal, Derived("net + 1")]
    summary: Annotated[str, SupportedBy("net")]


def test_what_rests_on_a_value_of_sources_that_disagree_stands() -> None:
    report = check_evidence(Order(net=Decimal(5), total=Decimal(6), summary="net: 5"), ["Net: 5", "Net: 7"])
    statuses = {path: (record["status"], record["problem"] is None) for path, record in report.fields.items()}
    assert statuses == {"net": ("ambiguous", False), "total": ("derived", True), "summary": ("supported", True)}
    assert "Look at your answer again" in report.feedback


def both(net: Any, gross: Any, texts: list[str]) -> tuple[FieldRecord, FieldRecord]:
    marks = {"net": Grounded(label=["net", "amount"]), "gross": Grounded(label=["gross", "amount"])}
    fields = check_evidence({"net": net, "gross": gross}, texts, marks=marks).fields
    return fields["net"], fields["gross"]


@pytest.mark.parametrize("texts", [["Net: 5\nAmount: 7"], ["Net: 5", "Amount: 7"]])
def test_what_another_field_has_is_no_other_value(texts: list[str]) -> None:
    net, gross = both(5, 7, texts)
    assert (net["status"], gross["status"], "others" in net) == ("supported", "supported", False)
    assert both(5, 9, texts)[0]["status"] == "ambiguous"
    assert both(7, 5, texts)[1]["status"] == "unsupported"


@pytest.mark.parametrize(("net", "gross"), [(5, 7), (7, 5)])
def test_fields_that_may_be_turned_round_are_in_doubt_and_nothing_is_asked(net: int, gross: int) -> None:
    for record, other in zip(both(net, gross, ["Amount: 5", "Amount: 7"]), (gross, net), strict=True):
        assert (record["status"], record["problem"], words_of(record["others"])) == ("ambiguous", None, [str(other)])


@pytest.mark.parametrize("table", ["Buyer   Seller\nBob     Ada", "Buyer | Seller\nBob | Ada", "Buyer\tSeller\nBob\tAda"])
def test_the_next_head_of_a_table_is_no_value_of_a_label(table: str) -> None:
    assert record_of("Bob", [table], label="buyer")["status"] == "supported"
    assert record_of("Bob", ["Buyer | Bob\nBuyer | Ada"], label="buyer")["status"] == "ambiguous"


@pytest.mark.parametrize("text", ["Total ........ 5", "Total . . . . 5", "Total ... 5"])
def test_dots_lead_from_a_label_to_its_value(text: str) -> None:
    assert record_of(5, [text], label="total")["status"] == "supported"
    assert record_of(5, ["No total was named. 5 items"], label="total")["status"] == "unsupported"
