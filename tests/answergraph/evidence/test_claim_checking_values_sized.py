"""The word behind a number may multiply it in some language: what it surely means, and where nobody knows."""

from decimal import Decimal
from typing import Any

import pytest

from answergraph import Grounded, check_evidence
from answergraph.evidence import FromTools, ToolRun
from tests.answergraph.evidence.test_claim_checking_values import status_of

pytest.importorskip("babel", reason="the extra [documents]")

SURE: dict[str, int] = {
    "2 miljoonaa": 2_000_000, "2 εκατομμύρια": 2_000_000, "3 milijarde": 3_000_000_000, "2 миллиона": 2_000_000,
    "5 tis. Kč": 5_000, "5 tis Kč": 5_000, "5 mil. Kč": 5_000_000, "5 mil. lei": 5_000_000, "5 mia. kr.": 5_000_000_000,
    "5 ezer Ft": 5_000, "5 bin TL": 5_000, "5 tūkst. EUR": 5_000, "5 εκατ. ευρώ": 5_000_000, "5 δισ. ευρώ": 5_000_000_000,
    "5 хил. лв.": 5_000, "25 de milioane de lei": 25_000_000, "5 אלף שקל": 5_000, "5 מיליון": 5_000_000,
    "5 ล้านบาท": 5_000_000, "5 ລ້ານກີບ": 5_000_000, "5 லட்சம் ரூபாய்": 500_000, "5 కోట్లు": 50_000_000, "5 হাজার": 5_000,
    "5 mil euros": 5_000, "5 mil millones": 5_000_000_000, "5 Mio. EUR": 5_000_000, "5 milliards": 5_000_000_000,
}  # fmt: skip
DOUBTFUL: dict[str, int] = {
    "5 ezer forint": 5_000, "5 tusind kroner": 5_000, "5 tuhatta euroa": 5_000, "5 tisoč evrov": 5_000, "5 mijë lekë": 5_000,
    "5 bin kişi": 5_000, "5 mii de oameni": 5_000, "5 tis. obyvatel": 5_000, "5 mil. obyvatel": 5_000_000, "R$ 5 mi": 5_000_000,
    "5 ming so'm": 5_000, "5 mil Kč": 5_000,
}  # fmt: skip


@pytest.mark.parametrize("text", SURE)
def test_a_number_is_multiplied_by_the_word_behind_it_in_any_language(text: str) -> None:
    number = int(text.split(" ", maxsplit=1)[0])
    assert status_of(SURE[text], text) == "supported"
    assert "supported" not in [status_of(number * 10**power, text) for power in range(13) if number * 10**power != SURE[text]]


@pytest.mark.parametrize("text", DOUBTFUL)
def test_a_word_that_is_a_size_in_one_language_leaves_the_number_in_doubt(text: str) -> None:
    assert status_of(DOUBTFUL[text], text) == "ambiguous"
    assert "supported" not in [status_of(value, text) for value in (5, "5")]


@pytest.mark.parametrize(
    "text",
    ["5 min", "5 minutes", "5 mile run", "5 pcs", "5 Stück", "5 шт.", "5 ks", "5 個", "100.00 gross", "5 bins", "5 m", "5 st."],
)
def test_a_unit_multiplies_nothing(text: str) -> None:
    assert status_of(Decimal(text.split(" ", maxsplit=1)[0]), text) == "supported"


@pytest.mark.parametrize(
    ("value", "text", "locale", "status"),
    [
        (5_000, "5 ezer forint", "hu", "supported"), (5, "5 ezer forint", "hu", "not_found"),
        (5, "5 bin lira", "en", "supported"),
        (5_000, "5 bin lira", "tr", "supported"), (5_000_000, "5 mil Kč", "cs", "ambiguous"),
        (5_000_000, "R$ 5 mi", "pt", "supported"),
    ],
)  # fmt: skip
def test_a_locale_says_which_words_are_sizes(value: int, text: str, locale: str, status: str) -> None:
    assert status_of(value, text, Grounded(locale=locale)) == status


@pytest.mark.parametrize("text", ["5 zillion", "5 quadrillionen", "5 sextillion EUR", "5 millionths"])
def test_a_number_before_a_size_that_nobody_knows_is_refused(text: str) -> None:
    assert [status_of(value, text) for value in (5, 5_000_000)] == ["not_found", "not_found"]


def of_tools(value: Any, text: str) -> str:
    run = ToolRun("call_1", "read", {}, (text,))
    return check_evidence({"field": value}, [run], marks={"field": FromTools()}).fields["field"]["status"]


@pytest.mark.parametrize("text", [*DOUBTFUL, "5 tis. Kč", "5 mia. kr.", "5 אלף", "5 லட்சம்"])
def test_a_number_of_a_tool_is_refused_before_what_may_be_a_size(text: str) -> None:
    assert of_tools(5, text) == "not_found"


@pytest.mark.parametrize(
    ("value", "text"), [(98276, "ms=98276\nto 20666451"), (20666451, "ms=98276\nto 20666451"), (5, "n=5\nthrough 7")]
)
def test_a_range_ends_with_the_line_of_its_first_number(value: int, text: str) -> None:
    assert of_tools(value, text) == "supported"
