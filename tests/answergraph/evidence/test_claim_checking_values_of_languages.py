"""Values as languages write them: shares, sizes, counters, currencies, capitals; found as what they are, and as nothing else."""

import time
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from answergraph import Grounded
from answergraph.evidence import FromTools, ToolRun
from answergraph.evidence.claim_checking import locate
from answergraph.evidence.searched_result import SearchedResult
from tests.answergraph.evidence.test_claim_checking_values import status_of


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5, "5 tenths"),
        (5, "5 Zehntel"),
        (5, "5 centièmes"),
        (2, "2 Drittel der Mieter"),
        (5, "3割5分"),
        (5, "laki 5"),
        (3, "3 biliões de euros"),
        ("A-17", "B/A-17"),
        ("#5", "No 5"),
        (5, "Revenue\t5\tmillion"),
        (5, "| Revenue | 5 | thousand |"),
    ],
)
def test_a_part_of_a_larger_or_a_smaller_value_is_none(value: Any, text: str) -> None:
    pytest.importorskip("babel", reason="the extra [documents]")
    assert status_of(value, text) == "not_found"
    if isinstance(value, int):
        assert locate(value, FromTools(), [text])["status"] != "supported"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Decimal("0.5"), "5 tenths"),
        (Decimal("0.05"), "5 centièmes"),
        (5, "5Euro"),
        (5, "5Dollars"),
        (7, "七つ"),
        (3, "有三个"),
        (date(2026, 5, 3), "3 ΜΑΪΟΥ 2026"),
        (date(2026, 5, 3), "3 ΜΑΙΟΥ 2026"),
        (date(2026, 2, 3), "3 FEVRIER 2026"),
        (date(2021, 8, 3), "3 d'ag. 2021"),
        (date(2021, 11, 3), "2021 оны 11-р сарын 3"),
        (date(2021, 11, 23), "2021 оны арван нэгдүгээр сарын 23"),
        (date(2021, 12, 3), "3 de des. de 2021"),
        (date(2021, 10, 3), "3 Oct 21"),
        (date(2021, 10, 27), "27-28 Oct 21"),
        (date(2025, 10, 27), "Mon Oct 27 10:00:00 CEST 2025"),
        ("Μαΐου", "ΜΑΪΟΥ"),
        ("B/A-17", "PO: B/A-17"),
        ("#5", "Order # 5"),
    ],
)
def test_a_value_is_found_as_its_language_writes_it(value: Any, text: str) -> None:
    pytest.importorskip("babel", reason="the extra [documents]")
    assert status_of(value, text) == "supported"


@pytest.mark.parametrize("text", ["a\t5\tb", "a\t5\tm\n", "id\tduration (ms)\n1\t5"])
def test_the_next_cell_is_no_unit_of_a_number_of_a_tool(text: str) -> None:
    assert locate(5, FromTools(), [text])["status"] == "supported"


@pytest.mark.parametrize("text", ["a\t5\t%", "5\tmillion"])
def test_a_share_or_a_size_in_the_next_cell_counts(text: str) -> None:
    assert locate(5, FromTools(), [text])["status"] == "not_found"


def test_the_numbers_of_a_tool_are_read_once_for_all_fields() -> None:
    started = time.process_time()
    result = SearchedResult(ToolRun("1", "read", {}, ("a 1,234.5 ms\n" * 40_000 + "b 7",)))
    _, numbers = result.counted(0, None)
    assert len(list(numbers.within([(7, 7)]))) == 1
    read = time.process_time()
    assert not any(list(numbers.within([(value, value)])) for value in range(8, 1_000))
    assert time.process_time() - read < 10 * (read - started)


def test_a_grounded_number_may_have_a_word_behind_it_that_is_no_currency() -> None:
    assert locate(5, Grounded(), ["5ms"])["status"] == "not_found"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (date(2021, 12, 3), "3 de enero de 2021"),
        (date(2021, 12, 3), "3 de janeiro de 2021"),
        (date(2021, 11, 5), "factura no 5 de 2021"),
        (date(2027, 3, 3), "2 tháng 3, 2027"),
        (date(2003, 1, 21), "작성일 21. 1. 3."),
        (date(2021, 12, 3), "3 Des Monats 2021"),
        (date(2021, 1, 23), "2021 оны арван нэгдүгээр сарын 23"),
        (date(2021, 1, 3), "2021 оны 11-р сарын 3"),
        (34, "AB-12-34"),
    ],
)
def test_a_word_of_another_language_is_no_month(value: Any, text: str) -> None:
    pytest.importorskip("babel", reason="the extra [documents]")
    assert locate(value, Grounded(), [text])["status"] == "not_found"


@pytest.mark.parametrize(
    "text", ["27-28 Oct 2021", "27.–28. Oktober 2021", "Oct 27-28, 2021", "27/28 Oct 2021", "27 to 28 October 2021"]
)
def test_both_days_of_a_range_are_dates_and_no_other_day_is(text: str) -> None:
    pytest.importorskip("babel", reason="the extra [documents]")
    held = [day for day in range(1, 32) if status_of(date(2021, 10, day), text) == "supported"]
    assert held == [27, 28]
    assert status_of(date(2027, 10, 28), text) == status_of(date(2028, 10, 27), text) == "not_found"


@pytest.mark.parametrize("text", ["Total TTC : 1 234,56 €", "Итого: 1 234,56 руб. и 2 500,00"])
def test_a_group_that_a_space_may_join_to_another_is_in_doubt(text: str) -> None:
    assert status_of(Decimal("1234.56"), text) == "supported"
    assert [status_of(value, text) for value in (1, Decimal("234.56"))] == ["ambiguous", "ambiguous"]
    assert status_of(Decimal("234.56"), f"{text} und 1.250,00") == "supported"


@pytest.mark.parametrize("sign", ["十", "千", "万", "兆"])
def test_a_size_written_ten_thousand_times_is_no_number(sign: str) -> None:
    assert status_of(41.5, sign * 10_000) == "not_found"
