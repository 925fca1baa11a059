"""Days of a list, the year of a day, and the time of a day on another line; no other day, year or time is accepted."""

from datetime import date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from answergraph import Grounded, check_evidence
from answergraph.evidence import ToolRun
from tests.answergraph.evidence.test_claim_checking_values import status_of

FORMS = [
    (" and ", "{} October {}"),
    (" & ", "on {} Oct {}"),
    (" and ", "October {}, {}"),
    ("th and ", "the {}th of October {}"),
    (". und ", "am {}. Oktober {}"),
    ("-", "{} Oct {}"),
    ("./", "{}. Okt. {}"),
    (" to ", "{} October {}"),
    (" et ", "les {} octobre {}"),
    (" y ", "{} de octubre de {}"),
    (" e ", "{} ottobre {}"),
    (" och ", "den {} oktober {}"),
    (" és ", "{} október {}"),
    (" и ", "{} октября {}"),
]
LONG = {"-", "./", " to ", "th and ", " y "}
"""Joints of two days; and those of forms whose third day is too far from the month."""


def held(text: str, days: list[date]) -> list[date]:
    """Return the days that a text supports."""
    fields = {f"day_{number}": day for number, day in enumerate(days)}
    run = ToolRun("call_1", "read", {}, (text,))
    records = check_evidence(fields, [run], marks=dict.fromkeys(fields, Grounded())).fields
    return [day for name, day in fields.items() if records[name]["status"] != "not_found"]


@pytest.mark.parametrize(("joint", "form"), FORMS)
@settings(max_examples=5, derandomize=True)
@given(days=st.sets(st.integers(4, 20), min_size=2, max_size=3).map(sorted), year=st.integers(1990, 2040))
def test_each_day_of_a_list_is_a_date_and_no_other_day_month_or_year(joint: str, form: str, days: list[int], year: int) -> None:
    pytest.importorskip("babel", reason="the extra [documents]")
    *first, last = days[-2:] if joint in LONG else days
    text = f"({form.format(joint.join([', '.join(map(str, first)), str(last)]), year)})"
    years = {year, *(2000 + day for day in days)}
    every = [date(each, month, day) for each in years for month in (9, 10) for day in range(3, 22)]
    assert held(text, every) == [date(year, 10, day) for day in (*first, last)]


@pytest.mark.parametrize(
    "text", ["27 de octubre y 28 de octubre de 2021", "27 ottobre e il 28 ottobre 2021", "October 27 and October 28, 2021"]
)
def test_the_day_of_another_month_is_no_year(text: str) -> None:
    pytest.importorskip("babel", reason="the extra [documents]")
    days = [date(year, 10, day) for year in (2021, 2027, 2028) for day in range(26, 30)]
    assert held(text, days) == [date(2021, 10, 27), date(2021, 10, 28)]


@pytest.mark.parametrize("text", ["page 3, 5 May 2021", "page 3, 5-7 May 2021", "3 rooms and 5 May 2021", "6 and 5 May 2021"])
def test_a_number_before_a_day_is_no_day_unless_a_word_or_a_mark_joins_them_in_order(text: str) -> None:
    pytest.importorskip("babel", reason="the extra [documents]")
    days = [date(year, 5, day) for year in (2021, 2003, 2006) for day in (3, 4, 5, 6)]
    assert held(text, days) == [date(2021, 5, 5)]


@pytest.mark.parametrize(
    "text",
    [
        "Datum: 27.10.2025\nUhrzeit: 14:30",
        "Date: 27 October 2025\nTime: 2:30 pm",
        "| Date | 27.10.2025 |\n| Time | 14:30 |",
        "Uhrzeit: 14:30 Uhr\nDatum: 27.10.2025",
        "Datum: 27.10.2025\nOrt: Rom\nUhrzeit: 14:30 Uhr\n\nEnde",
    ],
)
def test_a_day_whose_time_may_stand_on_another_line_is_in_doubt_at_midnight(text: str) -> None:
    pytest.importorskip("babel", reason="the extra [documents]")
    moments = (datetime(2025, 10, 27), datetime(2025, 10, 27, 14, 30), date(2025, 10, 27))
    assert [status_of(moment, text) for moment in moments] == ["ambiguous", "supported", "supported"]


@pytest.mark.parametrize(
    "text",
    [
        "26 October 2025 14:30\n27.10.2025",
        "27.10.2025\n28.10.2025 14:30",
        "27.10.2025\nTime: 00:00",
        "27.10.2025\nNo 4\n14:30",
        "27.10.2025\nMeeting at 14:30 in Rome",
    ],
)
def test_a_time_of_another_date_or_amid_a_line_leaves_a_day_at_midnight(text: str) -> None:
    pytest.importorskip("babel", reason="the extra [documents]")
    assert status_of(datetime(2025, 10, 27), text) == "supported"
