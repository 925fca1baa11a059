"""What ``Grounded()`` says of a value in a text, through ``check_evidence``."""

from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any, Literal

import pytest

from answergraph import AgentSpecError, Grounded, check_evidence
from answergraph.evidence import ToolRun

CSV = "id,qty,price\nA1,12,9.25\nA2,7,3.10\n"
TABLE = "| qty | price |\n|---|---|\n| 7 | 9 |"
SLASHED = "03/04/2025 and 10/27/2025"


class Colour(Enum):
    RED = "red"
    SKY_BLUE = 7


def status_of(value: Any, text: str, mark: Grounded | None = None) -> str:
    run = ToolRun("call_1", "read", {}, (text,))
    return check_evidence({"field": value}, [run], marks={"field": mark or Grounded()}).fields["field"]["status"]


SUPPORTED: list[tuple[Any, str]] = [
    ("A-17", "Invoice A-17, 3 May"),
    ("M", "size M, blue"),
    ("TX", "Austin, TX 78701"),
    ("Ada Lovelace", "ADA\n  LOVELACE"),
    ("254H089SJ425", "No. 254 H089 SJ 425"),
    ("東京", "東京都"),
    ("C++", "C++ and C#"),
    ("🇩🇪 team", "The 🇩🇪 team won"),
    ("team 🇩🇪", "team 🇩🇪"),
    ("👩‍💻 Ada", "written by 👩‍💻 Ada"),
    ("👍🏽 done", "👍🏽 done"),
    ("2025-10-27", "dated 27.10.2025"),
    ("1250.00", "Total 1,250"),
    (12, CSV),
    (Decimal("9.25"), CSV),
    (Decimal("9.25"), "A1,12,9.25"),
    (Decimal("1496.28"), "Deposit $1,496.28\n07/23"),
    (Decimal("1250"), "1.250,00"),
    (1250, "Total 1,250"),
    (1250, "1,250\n2,300"),
    (Decimal("1250.00"), "Invoice A-17, 3.5.2026\nAmount due: 1,250.00 EUR"),
    (Decimal("1234567.5"), "1 234 567,50 €"),
    (Decimal("1234567.5"), "1'234'567.50 CHF"),
    (1234567, "12,34,567 Rs"),
    (-254, "(254)"),
    (Decimal("-254.75"), "Net loss (254.75)"),
    (Decimal("-5.5"), "(5.50) USD"),
    (Decimal("-5.5"), "▲5.5"),
    (Decimal("-5.5"), "total 5.50-"),
    (Decimal("-5.5"), "−5,50 €"),
    (-3200, "costs\t-3200\t-2950"),
    (530_000_000, "5億3000万円"),
    (35_000, "3万5千"),
    (1_500_000_000, "$1.5 billion"),
    (1_500_000, "€1.5m"),
    (5, "max. 5"),
    (5, "5 kg"),
    (Decimal("0.05"), "5%"),
    (5, "5%"),
    (2025, "on 10/27/2025"),
    (date(2025, 10, 27), "on 10/27/2025"),
    (date(2025, 10, 27), "27.10.25"),
    (date(2025, 10, 27), "20251027T1200"),
    (date(2025, 10, 27), "number,day\nA-17,2025-10-27,5.5"),
    (date(2025, 10, 27), "A-17,27.10.2025"),
    (date(2025, 10, 27), "令和7年10月27日"),
    (date(2025, 10, 27), "2025년 10월 27일"),
    (date(2025, 10, 27), "statement 2025\n10/27 deposit"),
    (date(2025, 3, 4), SLASHED),
    (datetime(2025, 10, 27, 14, 30), "27.10.2025 at 2:30 pm"),
    (time(14, 30), "14:30 Uhr"),
    (time(14, 30), "午後2時30分"),
    (Colour.RED, "a red car"),
    (Colour.SKY_BLUE, "a sky blue car"),
    (True, "paid: true"),
    (12, "12 sold in March 2025"),
    (12, "Mar 12\nApr 15"),
    (2025, "id 7, 2025-10-27"),
    (Decimal("0.99"), "99 %"),
]

NOT_FOUND: list[tuple[Any, str]] = [
    ("A-17", "Invoice A-170"),
    ("C", "C++ and C#"),
    ("🇩🇪 team", "The 🇫🇷 team won"),
    ("team 🇩🇪", "team 🇫🇷"),
    ("👩‍💻 Ada", "written by Ada"),
    ("👍🏽 done", "👍🏿 done"),
    ("12", "12.50"),
    ("3.5", "3 5"),
    ("3.5", "v3.5"),
    (5, "11月5日"),
    (30, "12時30分"),
    (27, "10/27/2025"),
    (Decimal("5.5"), "(5.50) USD"),
    (Decimal("5.5"), "▲5.5"),
    (254, "(254)"),
    (30_000_000, "5億3000万円"),
    (5_000, "3万5千"),
    (Decimal("1.5"), "€1.5m"),
    (10, "10²"),
    (17, "A-17"),
    (5, "5kg"),
    (1, "1/2"),
    (float("nan"), "nan"),
    (date(2025, 4, 3), SLASHED),
    (date(2025, 10, 28), "10/27/2025"),
    (date(2025, 10, 27), "10/27"),
    (date(2025, 10, 27), "1,2025-10-271"),
    (time(2, 30), "午後2時30分"),
    (Colour.RED, "a blue car"),
    (False, "paid: true"),
    (True, "paid: not true"),
    (Decimal("5.5"), "▼5.5"),
    (1234, "card 1234-5678-9012-3456"),
    (12, "ISBN 978-3-12-345678-9"),
]


@pytest.mark.parametrize(("value", "text"), SUPPORTED, ids=str)
def test_a_value_that_stands_in_the_text_is_supported(value: Any, text: str) -> None:
    assert status_of(value, text) == "supported"


@pytest.mark.parametrize(("value", "text"), NOT_FOUND, ids=str)
def test_what_only_looks_like_the_value_is_not_found(value: Any, text: str) -> None:
    assert status_of(value, text) == "not_found"


@pytest.mark.parametrize(
    "text",
    [
        "October 27th, 2025",
        "le 27 octobre 2025",
        "27. Okt. 2025",
        "27 de outubro de 2025",
        "27 октября 2025 г.",
        "2025. október 27.",
        "27 Ekim 2025",
        "27 अक्टूबर 2025",
        "ngày 27 tháng 10 năm 2025",
    ],
)
def test_a_date_is_found_by_value_in_many_languages(text: str) -> None:
    pytest.importorskip("babel", reason="the extra [documents]")
    assert status_of(date(2025, 10, 27), text) == "supported"
    assert status_of(date(2025, 11, 27), text) == "not_found"


@pytest.mark.parametrize(
    "text", ["on 27 October 2025", "October 27, 2025", "27. Oktober 2025", "27-Oct-25", "27 de outubro de 2025"]
)
def test_the_day_of_a_date_is_no_number(text: str) -> None:
    pytest.importorskip("babel", reason="the extra [documents]")
    assert status_of(27, text) == "not_found"


@pytest.mark.parametrize(
    ("value", "text", "locale", "settled"),
    [
        (date(2025, 3, 4), "03/04/2025", "en_US", "supported"),
        (date(2025, 4, 3), "03/04/2025", "en_US", "not_found"),
        (1250, "Total 1.250", "de", "supported"),
        (Decimal("1.25"), "Total 1.250", "de", "not_found"),
    ],
)
def test_two_readings_are_ambiguous_until_the_locale_is_known(value: Any, text: str, locale: str, settled: str) -> None:
    if isinstance(value, date):
        pytest.importorskip("babel", reason="the extra [documents]")
    assert status_of(value, text) == "ambiguous"
    assert status_of(value, text, Grounded(locale=locale)) == settled


@pytest.mark.parametrize(
    ("value", "text", "label", "status"),
    [
        (3, "passed 12, failed 3", "failed", "supported"),
        (12, "passed 12, failed 3", "failed", "unsupported"),
        (3, "12 passed, 3 failed", "failed", "supported"),
        (12, "12 passed, 3 failed", "failed", "unsupported"),
        (Decimal("99"), "Total:\n99.00", "total", "supported"),
        (7, TABLE, "qty", "supported"),
        (9, TABLE, "qty", "unsupported"),
        (Decimal("3.1"), CSV, "price", "supported"),
        (7, CSV, "price", "unsupported"),
        (6, '{"a": 5, "b": 6}', "b", "supported"),
        (6, '{"a": 5, "b": 6}', "a", "unsupported"),
        (Decimal("1250.00"), "The total amount due is 1,250.00 EUR", "total", "supported"),
        (8, "The total amount due is 1,250.00 EUR", "total", "not_found"),
    ],
)
def test_a_label_asks_for_the_value_of_that(value: Any, text: str, label: str, status: str) -> None:
    assert status_of(value, text, Grounded(label=label)) == status


def test_one_of_several_labels_is_enough() -> None:
    assert status_of(3, "Summe: 3", Grounded(label=["total", "Summe"])) == "supported"


def test_a_value_is_found_as_the_document_spells_it() -> None:
    mark = Grounded(spelled={"PAID": True, "offen": False})
    assert [status_of(value, "Status: PAID", mark) for value in (True, False)] == ["supported", "not_found"]
    assert status_of(True, "Status: not PAID", mark) == "not_found"


def test_a_unit_is_demanded_by_its_name() -> None:
    mark = Grounded(units={"s": 1, "ms": 0.001})
    assert [status_of(value, "took 250 ms", mark) for value in (0.25, 250)] == ["supported", "not_found"]


def test_a_number_may_be_rounded_where_the_mark_says_so() -> None:
    assert [status_of(3.14, "3.14159", mark) for mark in (Grounded(rounding=2), Grounded())] == ["supported", "not_found"]


@pytest.mark.parametrize(
    "options", [{"label": "…"}, {"spelled": {"": True}}, {"rounding": -1}, {"locale": "xx"}, {"min_sources": 0}]
)
def test_a_mark_that_cannot_hold_is_refused(options: Any) -> None:
    with pytest.raises(AgentSpecError):
        Grounded(**options)


def test_a_literal_is_found_by_its_own_words() -> None:
    kind: Literal["open", "closed"] = "closed"
    assert status_of(kind, "The ticket is closed.") == "supported"


def test_without_marks_every_field_is_reported() -> None:
    report = check_evidence({"number": "A-17", "buyer": {"name": "Ada"}, "rows": [{"n": 3}, {"n": 4}]}, ["Invoice A-17", "n: 3"])
    assert {path: record["status"] for path, record in report.fields.items()} == {
        "number": "supported",
        "buyer.name": "not_found",
        "rows[0].n": "supported",
        "rows[1].n": "not_found",
    }
    assert (report.made_up, report.support) == (["buyer.name", "rows[1].n"], 0.5)


@pytest.mark.parametrize(
    ("texts", "status"),
    [(["Total: 5", "5 in all"], "supported"), (["Total: 5", "Total: 5"], "unsupported"), (["Total: 5", "none"], "unsupported")],
)
def test_a_value_may_need_two_sources_that_differ(texts: list[str], status: str) -> None:
    record = check_evidence({"total": 5}, texts, marks={"total": Grounded(min_sources=2)}).fields["total"]
    assert (record["status"], len(record["evidence"])) == (status, 2 if status == "supported" else 0)
    if status == "unsupported":
        assert record["problem"] == "5: it stands in 1 of the 2 different sources that it needs."


def test_a_file_is_a_source(tmp_path: Path) -> None:
    path = tmp_path / "invoice.txt"
    path.write_text("Total: 5")
    record = check_evidence({"total": 5}, path).fields["total"]
    assert record["evidence"][0]["source"] == {"kind": "text", "id": str(path), "name": "invoice.txt"}


def test_a_tool_that_repeats_what_the_model_wrote_supports_no_value() -> None:
    echo = ToolRun("1", "note", {"buyer": "Ada Lovelace", "total": 5}, ("buyer: Ada Lovelace\ntotal: 5",))
    fields = check_evidence({"buyer": "Ada Lovelace", "total": 5}, echo).fields
    assert {record["status"] for record in fields.values()} == {"unsupported"}


def test_what_a_web_page_hides_is_no_source() -> None:
    page = "<html><body><!-- total 7 --><p>total <b>5</b></p><script>var total = 9</script></body></html>"
    assert [status_of(number, page) for number in (5, 7, 9)] == ["supported", "not_found", "not_found"]
