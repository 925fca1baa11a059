"""Numbers and names as languages write them: sizes before and behind a number, parts of it, Chinese numerals, Greek capitals."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answergraph.evidence.numbers.han_numerals import value_of
from tests.answergraph.evidence.test_claim_checking_values import status_of
from tests.answergraph.evidence.test_claim_checking_values_sized import of_tools

DIGITS = "零一二三四五六七八九"
RIGHT: dict[str, Any] = {
    "五万": 50_000, "一千二百三十四": 1_234, "十二": 12, "二十人": 20, "三百零五元": 305, "二〇二五": 2025, "三萬": 30_000,
    "三万五千円": 35_000, "九十九": 99, "五億三千万": 530_000_000, "3500万円": 35_000_000, "一億二千万人": 120_000_000,
    "共计四十二项": 42, "二十五万三千": 253_000, "ΕΛΛΑΣ": "Ελλάς", "ΣΥΝΟΛΙΚΟ ΠΟΣΟ": "Συνολικό ποσό", "οδός": "ΟΔΟΣ",
    ".NET 8": ".NET", "by @ada today": "@ada", "Ref A-17, B-2": "A-17",
}  # fmt: skip
ALTERED: list[tuple[Any, str]] = [
    (5, "5 rb rupiah"), (5, "5 jt rupiah"), (5, "5jt"), (5, "elfu 5"), (5, "Bei ni milioni 5 tu"), (5, "dubu 5"),
    (5, "5 hundredths"), (5, "5 thousandths of a second"), (5, "5 Tausendstel"), (5, "5割"), (5, "5折"), (5, "50分之5"),
    (10_000, "五万"), (5, "五万"), (5, "十五"), (4, "一千二百三十四"), (3_000, "万三千"), (150, "兩百五十"), (150, "壹百五十"),
    (1_000_000, "数百万"), (20, "二十几"), (50, "五十分之一"), (12, "十二月"), (12, "十二時"), (30, "三十分"), (23, "二三人"),
    (305, "三百五"), (350, "三百五"), (10, "五十多"), (25, "二十五余"), (1, "百分之一"),
    (3, "3 হা"), (5, "5 ಸಾ।"), (1, "1 tenth"), (1, "1 third of it"), (1, "1 dixième"), (1, "1 decimo"), (1, "1 десятая"),
    (555, "555-1234"), (998, "Tel. 998-1004"), (1004, "mobile no. 998-1004"), (998, "電話: 998-1004"), (3, "3 হা টাকা"),
    (555, "Tel. 555-1234"), (1234, "Tel. 555-1234"), (-30, "thirty (30) days"), (-3, "failed(3)"),
    ("A-17", "Ref A-17/2"), ("A-17", "Ref 4/A-17"), (".NET", "we use NET"), ("@ada", "ada wrote"), ("-f", "see f"),
    ("$HOME", "at HOME"), ("νόμος", "ο νομός"), ("ή", "η μέρα"), ("πότε", "ποτέ"),
]  # fmt: skip


@pytest.mark.parametrize("text", RIGHT)
def test_a_value_is_found_as_its_language_writes_it(text: str) -> None:
    assert status_of(RIGHT[text], text) == "supported"


@pytest.mark.parametrize(("value", "text"), ALTERED)
def test_a_part_of_what_is_written_is_not_the_value(value: Any, text: str) -> None:
    assert status_of(value, text) != "supported"


@pytest.mark.parametrize("text", ["elfu 5", "milioni 5", "dubu 5", "5 hundredths", "5割", "5 rb", "5 jt rupiah", "5 হা"])
def test_a_number_of_a_tool_is_refused_at_a_size_before_it_and_at_a_part(text: str) -> None:
    assert of_tools(5, text) == "not_found"


@pytest.mark.parametrize(
    "text",
    [
        "5 km",
        "5 mm",
        "5 के बारे में",
        "5 kb",
        "5 mi",
        "5 people",
        "5 mildly",
        "see 5",
        "5 м",
        "5分",
        "5 g/dl",
        "5 third parties",
        "about 5 hundred-weights",
    ],
)
def test_a_unit_or_a_word_beside_a_number_changes_nothing(text: str) -> None:
    assert (status_of(5, text) == "supported") is ("hundred" not in text)


@pytest.mark.parametrize(
    ("value", "text"),
    [(35_000, "3만 5천원"), (3_500, "3천5백원"), (530_000_000, "5억3000만"), (3_500_000_000_000, "3조 5천억원")],
)
def test_a_number_of_a_tool_goes_on_over_its_sizes(value: int, text: str) -> None:
    assert of_tools(value, text) == "supported"
    assert "supported" not in [
        of_tools(part, text) for part in (3, 30_000, 3_000, 5, 500, 5_000, 500_000_000, 500_000_000_000, 30_000_000)
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (30, "thirty (30) days"),
        (500, "500-1000 staff"),
        (123, "pages 123-145"),
        (998, "998-1004"),
        (1004, "pp. 998–1004"),
        (-254, "Net loss (254)"),
    ],
)
def test_a_number_in_brackets_or_of_a_range_is_found(value: int, text: str) -> None:
    assert status_of(value, text) == "supported"


def in_characters(number: int) -> str:
    """Return a number below ten thousand as it is written in Chinese."""
    written, zero = "", ""
    for place, size in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // place % 10
        written += f"{zero}{DIGITS[digit]}{size}" if digit else ""
        zero = ("零" if written else "") if not digit else ""
    return written


@given(st.integers(1, 9999), st.integers(0, 9999))
def test_every_number_is_read_as_it_is_written(many: int, few: int) -> None:
    gap = "零" if 0 < few < 1000 else ""
    assert value_of(f"{in_characters(many)}万{gap}{in_characters(few)}") == many * 10_000 + few


@given(st.text(st.sampled_from("一二三五九十百千万億5零"), max_size=7))
def test_no_two_sizes_rise_in_what_is_read(text: str) -> None:
    if any(pair in text for pair in ("十十", "百百", "十百", "百千", "億億", "万万")):
        assert value_of(text) is None
