"""Values beside which something stands that makes them others, and forms of a value that change nothing."""

from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel

from answergraph import Grounded, check_evidence
from answergraph.evidence import ToolRun
from tests.answergraph.evidence.test_claim_checking_values import status_of


class State(Enum):
    PAID = "paid"


class Bill(BaseModel):
    state: Annotated[Literal["paid", "open"], Grounded()]


OTHER_VALUES: list[tuple[Any, str]] = [
    (16, "format 16:9"),
    (1_000, "scale 1:1000"),
    (3, "3 1/2 inches"),
    (5, "5 ⅓"),
    (1, "3分の1"),
    (5, "5 × 10³ cells"),
    (3, "10^3"),
    (30, "+49 30 123 4567"),
    (4567, "(555) 123-4567"),
    (1, "1\u0336 struck out"),
    ("€5", "$5"),
    ("<5", "5 mg"),
    ("-5", "5"),
    ("-5 EUR", "5 EUR"),
    ("x > 5", "x < 5"),
    (State.PAID, "it is not paid"),
    (datetime(2025, 10, 27, 14, 30), "27.10.2025 and 28.10.2025 14:30"),
]
SAME_VALUES: list[tuple[Any, str]] = [
    (Decimal("3.5"), "3 1/2 inches"),
    (Decimal("3.5"), "3½ hours"),
    (1234, "cheque 1234 7/23"),
    (5_000, "5 × 10³ cells"),
    (5, "app.py:12:5: error"),
    (Decimal("1234567.5"), "١٬٢٣٤٬٥٦٧٫٥٠"),
    ("café", "cafe\u0301"),
    ("cafe\u0301", "café"),
    ("한국", "\u1112\u1161\u11ab\u1100\u116e\u11a8"),
    ("€1,250", "Total EUR 1,250"),
    ("20 °C", "20°C"),
    ("-5 EUR", "a rest of -5 EUR"),
    (State.PAID, "it is paid"),
    ("5kg", "5 kg"),
    ("10 mm", "10mm"),
    (1234, 'name,amount\na,"1,234"'),
    (datetime(2025, 10, 28, 14, 30), "27.10.2025 and 28.10.2025 14:30"),
]


@pytest.mark.parametrize(("value", "text"), OTHER_VALUES, ids=str)
def test_a_part_of_another_value_is_not_found(value: Any, text: str) -> None:
    assert status_of(value, text) == "not_found"


@pytest.mark.parametrize(("value", "text"), SAME_VALUES, ids=str)
def test_another_form_of_the_same_value_is_supported(value: Any, text: str) -> None:
    assert status_of(value, text) == "supported"


@pytest.mark.parametrize("text", ["between October and 27 November 2025", "27 November and October 2025"])
def test_the_day_of_one_month_is_no_day_of_another(text: str) -> None:
    pytest.importorskip("babel", reason="the extra [documents]")
    assert [status_of(date(2025, month, 27), text) for month in (10, 11)] == ["not_found", "supported"]


@pytest.mark.parametrize(
    ("text", "status"), [("☑ paid ☐ open", "supported"), ("☐ paid ☑ open", "not_found"), ("paid", "not_found")]
)
def test_a_box_is_read_with_its_mark(text: str, status: str) -> None:
    assert status_of(True, text, Grounded(spelled={"☑ paid": True, "☑ open": False})) == status


@pytest.mark.parametrize(("text", "status"), [("the bill is paid", "supported"), ("the bill is not paid", "not_found")])
def test_a_word_of_a_closed_set_does_not_stand_behind_a_denial(text: str, status: str) -> None:
    run = ToolRun("call_1", "read", {}, (text,))
    assert check_evidence(Bill(state="paid"), [run]).fields["state"]["status"] == status


def test_a_short_word_that_a_tool_repeats_is_no_evidence() -> None:
    run = ToolRun("call_1", "note", {"text": "Bob"}, ("Result: Bob",))
    assert check_evidence({"name": "Bob"}, [run], marks={"name": Grounded()}).fields["name"]["status"] == "unsupported"


HEBREW = "\u05e0\u05db\u05e1\u05d9\u05dd"
"""Assets."""
MISREAD = HEBREW.replace("\u05e0", "\u00f0")
"""As a font with an old code page names it."""


@pytest.mark.parametrize(
    ("value", "text", "status"),
    [
        (HEBREW, f"{MISREAD} 8,770", "supported"),
        (HEBREW.replace("\u05e0", "\u05e7"), f"{MISREAD} 8,770", "not_found"),
        ("PayPal", "P\u0430yPal", "not_found"),
        ("אלפי ש", 'אלפי ש"ח', "not_found"),
        ('אלפי ש"ח', 'אלפי ש"ח', "supported"),
        ("up to1,000 m", "from 501 up to 1,000 m", "supported"),
        ("up to 1,000 m", "up to1000 m", "not_found"),
        ("b@c.de", "mail a.b@c.de", "not_found"),
        ("a.b@c.de", "mail: a.b@c.de.", "supported"),
        ("example.com", "https://example.com/x", "supported"),
        ("example.com", "see example.com.evil.org", "not_found"),
        ("12345", "account 0012345", "not_found"),
        ("5%", "5 boxes", "not_found"),
        ("5%", "share in %: 5", "supported"),
        (42, "42_", "not_found"),
    ],
)
def test_a_text_ends_where_the_word_the_address_or_the_code_ends(value: str, text: str, status: str) -> None:
    assert status_of(value, text) == status


@pytest.mark.parametrize(
    ("day", "text", "status"),
    [
        (date(2025, 3, 14), "๑๔ มีนาคม ๒๕๖๘", "supported"),
        (date(2025, 3, 15), "๑๔ มีนาคม ๒๕๖๘", "not_found"),
        (date(2025, 3, 14), "14 มี.ค. 2568", "supported"),
        (date(2025, 4, 13), "13 באפריל 2025", "supported"),
        (date(2025, 4, 20), "from 13 to 20 April 2025", "supported"),
        (date(2025, 4, 15), "from 13 to 20 April 2025", "not_found"),
        (date(2025, 4, 13), "lot 13, 20 April 2025", "not_found"),
    ],
)
def test_a_month_is_read_as_its_language_writes_it_on(day: date, text: str, status: str) -> None:
    pytest.importorskip("babel", reason="the extra [documents]")
    assert status_of(day, text) == status


PAGE = "<html><body><table>\n<tr><th>net</th>\n<th>total</th></tr>\n<tr><td>90</td>\n<td>\n100\n</td></tr></table></body></html>"
SPANNED = PAGE.replace("<th>net</th>", "<th>net</th><th>vat</th>").replace("<td>90</td>", '<td colspan="2">90</td>')


@pytest.mark.parametrize(
    ("value", "text", "label", "status"),
    [
        (100, PAGE, "total", "supported"),
        (90, PAGE, "total", "unsupported"),
        (90, PAGE, "net", "supported"),
        (100, PAGE, "net", "unsupported"),
        (12, "name,failed,passed\na,3,12\n", "failed", "unsupported"),
        (12, "name\tfailed\tpassed\na\t3\t12", "failed", "unsupported"),
        (12, "3 failed, 12 passed", "failed", "unsupported"),
        (3, "3 failed, 12 passed", "failed", "supported"),
        (90, "Total 100\nSubtotal 90", "total", "unsupported"),
        (90, "Net 90 Total 100", "total", "unsupported"),
        (100, "Net 90 Total 100", "total", "supported"),
        (100, SPANNED, "total", "supported"),
        (100, SPANNED, "vat", "unsupported"),
        (90, SPANNED, "total", "unsupported"),
    ],
)
def test_a_value_beside_a_label_may_be_that_of_another(value: int, text: str, label: str, status: str) -> None:
    assert status_of(value, text, Grounded(label=label)) == status


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *[
            (Decimal("0.05"), f"up by {points}")
            for points in ("5%p", "5 %-Punkte", "5% points", "5%ポイント", "5%포인트", "5 %-пункта")
        ],
        *[(5, f"{sign}5 °C") for sign in ("零下", "氷点下", "영하 ", "\u2796")],
        *[(5, f"5{slash}8 of it") for slash in "\u2044\u2215"],
    ],
)
def test_points_of_a_share_words_for_a_minus_and_other_slashes_are_read(value: Any, text: str) -> None:
    marks = {"value": Grounded()}
    assert check_evidence({"value": value}, text, marks=marks).support == 0
    kept = {Decimal("0.05"): 5, 5: -5}[value] if "8" not in text else "5/8"
    assert check_evidence({"value": kept}, text, marks=marks).support == 1
