"""No value that was altered in one place is accepted, in whatever form the source writes the value."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import HttpUrl, SecretStr

from answergraph import Grounded, Quote, check_evidence
from tests.answergraph.evidence.test_claim_checking_values import status_of

ARABIC, FULL_WIDTH = (str.maketrans("0123456789,.-", digits) for digits in ("٠١٢٣٤٥٦٧٨٩٬٫-", "０１２３４５６７８９，．－"))
SWISS, GERMAN, SPACED = (str.maketrans(",.", marks) for marks in ("’.", ".,", "\u202f,"))


def indian(text: str) -> str:
    """Return digits in groups as in ``12,34,567.00``."""
    sign, (whole, cents) = "-" if text.startswith("-") else "", text.replace(",", "").lstrip("-").split(".")
    head, tail = whole[:-3], whole[-3:]
    pairs = [head[max(end - 2, 0) : end] for end in range(len(head), 0, -2)][::-1]
    return f"{sign}{','.join([*pairs, tail])}.{cents}"


FORMS: dict[str, Callable[[str], str]] = {
    "english": str,
    "currency": lambda text: f"USD {text}",
    "sign before the currency": lambda text: text.replace("-", "-$") if "-" in text else f"${text}",
    "accounting": lambda text: f"({text[1:]})" if text.startswith("-") else text,
    "minus behind": lambda text: f"{text[1:]}-" if text.startswith("-") else text,
    "mathematical minus": lambda text: text.replace("-", "−"),
    "swiss": lambda text: f"CHF {text.translate(SWISS)}",
    "german": lambda text: f"{text.translate(GERMAN)} €",
    "french": lambda text: f"{text.translate(SPACED)}\u00a0€",
    "indian": lambda text: f"₹{indian(text)}",
    "arabic": lambda text: text.translate(ARABIC),
    "full width": lambda text: text.translate(FULL_WIDTH),
}
SIZES = {
    "{} T€": 3, "TEUR {}": 3, "${}k": 3, "{} χιλ. €": 3, "{} Mio. €": 6, "€{} million": 6, "{} MSEK": 6, "{} mill. kr": 6,
    "{} млрд ₽": 9, "{} هزار تومان": 3, "₹{} lakh": 5, "{}万円": 4, "{}億円": 8, "{} ล้านบาท": 6, "{} mil millones": 9,
}  # fmt: skip
LOCALES = ("en", "de", "fr", "es", "it", "pt", "pl", "ru", "tr", "el", "nl", "sv", "fi", "cs", "ja", "zh", "ko", "uk", "vi")
AMOUNTS = st.decimals(min_value="0.11", max_value="98765432.10", places=2).map(abs)
CLEAR = ("en", "de", "fr", "es", "ru", "ja", "zh", "ko", "el")
"""Languages whose months no other language calls otherwise."""
FEW = settings(max_examples=15, derandomize=True)
DAYS = st.dates(date(1970, 1, 1), date(2049, 12, 31))


def altered_numbers(value: Decimal) -> set[Decimal]:
    """Return a number with another sign, another power of ten, and each digit changed or left out."""
    digits = f"{value}"
    places = [at for at, character in enumerate(digits) if character.isdigit()]
    other = {Decimal(digits[:at] + str((int(digits[at]) + 1) % 10) + digits[at + 1 :]) for at in places}
    shorter = {Decimal(digits[:at] + digits[at + 1 :]) for at in places[:-2] if len(places) > 3}
    return {-value, value * 10, value / 10, value * 1000, value / 1000, *other, *shorter} - {value}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@FEW
@given(amount=AMOUNTS, is_negative=st.booleans())
def test_an_amount_with_another_digit_sign_or_size_is_refused(
    form: Callable[[str], str], amount: Decimal, is_negative: bool
) -> None:
    value = -amount if is_negative else amount
    text = f"Rest: {form(f'{value:,}')} due"
    assert status_of(value, text) == "supported"
    assert [other for other in altered_numbers(value) if status_of(other, text) == "supported"] == []


@pytest.mark.parametrize("form", SIZES)
def test_an_amount_without_its_word_of_size_is_refused(form: str) -> None:
    pytest.importorskip("babel", reason="the extra [documents]")
    text, power = form.format(7), SIZES[form]
    supported = [each for each in range(13) if status_of(Decimal(7).scaleb(each), text) == "supported"]
    assert supported == [power]


@pytest.mark.parametrize("locale", LOCALES)
@FEW
@given(day=DAYS)
def test_a_date_with_another_day_month_or_year_is_refused(locale: str, day: date) -> None:
    dates = pytest.importorskip("babel.dates", reason="the extra [documents]")
    for form in ("medium", "long", "full"):
        text = f"({dates.format_date(day, form, locale=locale)})"
        others = [day + timedelta(days) for days in (1, -1, 10, 31, -31)]
        others += [day.replace(day=min(day.day, 28), year=day.year + years) for years in (1, -1, 10, -100)]
        assert [other for other in others if status_of(other, text) == "supported"] == []
        # A name may be another month in another language: "lip".
        assert status_of(day, text) in ("supported", "ambiguous")
        assert form == "medium" or locale not in CLEAR or status_of(day, text) == "supported"


@FEW
@given(moment=st.datetimes(datetime(1990, 1, 1), datetime(2040, 1, 1)), hours=st.integers(-11, 13))
def test_a_moment_in_another_zone_is_another_moment(moment: datetime, hours: int) -> None:
    there = moment.replace(tzinfo=timezone(timedelta(hours=hours)))
    assert status_of(there, f"at {there.isoformat()}") == "supported"
    assert status_of(there.astimezone(UTC), f"at {there.isoformat()}") == "supported"
    assert status_of(there + timedelta(hours=1), f"at {there.isoformat()}") != "supported"
    assert status_of(there.replace(tzinfo=timezone(timedelta(hours=hours + 1))), f"at {there.isoformat()}") != "supported"
    assert status_of(there + timedelta(microseconds=10), f"at {there.isoformat()}") != "supported"


def test_a_moment_of_the_last_evening_is_not_that_of_another_zone() -> None:
    last = datetime(9999, 12, 31, 23, 30, tzinfo=UTC)
    assert status_of(last, f"at {last.isoformat()}") == "supported"
    assert status_of(last, "at 9999-12-31T23:30:00+02:00") != "supported"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2:30 μ.μ.", 14), ("2:30 de la tarde", 14), ("2.30 Uhr nachmittags", 14), ("2:30 بعد الظهر", 14), ("下午2点30分", 14),
        ("晚上9:30", 21), ("오후 2시 30분", 14), ("9:30 at night", 21), ("2:30 at night", 2), ("2:30 p. m.", 14),
        ("10:30 Uhr vormittags", 10), ("11:30 Uhr mittags", 11), ("2:30", 2), ("2:30 e pasdites", 14), ("2:30 em Lisboa", 2),
        ("lúc 2:30 CH, Hà Nội, Việt Nam", 14), ("lúc 2:30 SA, Hà Nội, Việt Nam", 2), ("kl. 14.30", 14), ("klo 14.30", 14),
        ("kl. 2.30 om eftermiddagen", 14),
    ],
)  # fmt: skip
def test_an_hour_is_in_the_half_of_the_day_that_the_words_beside_it_say(text: str, said: int) -> None:
    pytest.importorskip("babel", reason="the extra [documents]")
    assert [hour for hour in range(24) if status_of(time(hour, 30), f"({text})") == "supported"] == [said]


@pytest.mark.parametrize("text", ["2:30 CH", "2:30 e.m.", "2:30 du."])
def test_an_hour_is_in_doubt_where_only_letters_that_may_mean_something_else_say_the_half_of_the_day(text: str) -> None:
    pytest.importorskip("babel", reason="the extra [documents]")
    assert [status_of(time(hour, 30), text) for hour in (2, 14)] == ["ambiguous", "ambiguous"]


def test_a_time_with_a_full_stop_is_no_number() -> None:
    assert (status_of(Decimal("14.30"), "kl. 14.30"), status_of(Decimal("14.30"), "14.30 kr")) == ("not_found", "supported")
    assert status_of(time(14, 10), "kl. 14.10.2025") == "not_found"


UNITS = [
    ("5 mW", "5 MW"),
    ("5 mg", "5 µg"),
    ("10 Mb", "10 MB"),
    ("3 mA", "3 MA"),
    ("5 mHz", "5 MHz"),
    ("5 m", "5 M"),
    ("2 kW", "2 kWh"),
]


@pytest.mark.parametrize(("one", "other"), [*UNITS, *(pair[::-1] for pair in UNITS)])
def test_a_quantity_with_a_unit_of_another_size_is_refused(one: str, other: str) -> None:
    assert (status_of(one, f"max: {one}."), status_of(one, f"max: {other}.")) == ("supported", "not_found")


@pytest.mark.parametrize(("value", "text"), [("5 kg", "5 KG"), ("10 mb", "10 MB"), ("5 mai", "5 Mai"), ("12 pcs", "12 Pcs")])
def test_a_unit_may_be_written_in_other_capitals(value: str, text: str) -> None:
    assert status_of(value, text) == "supported"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("http://a.de/b", "http://a.de/b/c"), ("http://a.de/b?x=1", "http://a.de/b?x=2"), ("/data/x", "/data/x/y"),
        ("/data/x", "/old/data/x"), (">5", ">=5"), ("三", "十三"), ("五", "五十"), ("A+", "A"), ("C#", "C"),
        (Decimal("82.04"), "330,001 082.04"),
        (Decimal("234.50"), "1\u202f234,50 €"), (datetime(2025, 10, 27), "27.10.2025 14:30"),
        (date(2025, 3, 5), "March 2025, 5 items"), (time(5, 0), "10:00+05:00"),
    ],
)  # fmt: skip
def test_a_part_of_a_path_a_comparison_a_count_or_a_group_is_refused(value: Any, text: str) -> None:
    assert status_of(value, text) != "supported"


@pytest.mark.parametrize(
    "text",
    ["☐ paid ☑ open", "paid ☐ open ☑", "[ ] paid [x] open", "paid: [ ]", "not fully paid", "without being paid", "pre-paid",
     "un-\npaid", "paid_out"],
)  # fmt: skip
def test_a_choice_that_is_left_empty_denied_or_part_of_a_word_is_not_said(text: str) -> None:
    assert status_of(True, text, Grounded(spelled={"paid": True})) != "supported"


@pytest.mark.parametrize(
    "text", ["☑ paid ☐ open", "paid [x] open [ ]", "Status: paid", "not late but paid", "- paid", "☐ News; Status: paid"]
)
def test_a_choice_that_is_said_is_supported(text: str) -> None:
    assert status_of(True, text, Grounded(spelled={"paid": True})) == "supported"


@pytest.mark.parametrize("text", ["at 48.512'24 north", "5.10'2", "1.234_5", "1.2'3,4"])
def test_marks_that_no_number_has_in_this_order_end_no_check(text: str) -> None:
    assert [status_of(value, text) for value in (48, Decimal("5.1"))] == ["not_found", "not_found"]


@pytest.mark.parametrize(
    "text",
    ["27.10.2025 um 14:30 Uhr", "27/10/2025 at 14:30", "27/10/2025 à 14:30", "27.10.2025 om 14:30", "27.10.2025 klockan 14:30",
     "27/10/2025 a las 14:30", "27/10/2025 alle ore 14:30", "27.10.2025 o godz. 14:30", "2025年10月27日(月) 14:30",
     "27.10.2025 (Mo) 14:30", "um 14:30 am 27.10.2025", "14:30, 27.10.2025", "27.10.2025 kl. 14.30"],
)  # fmt: skip
def test_a_day_that_has_a_time_with_words_between_does_not_begin_at_midnight(text: str) -> None:
    moments = (datetime(2025, 10, 27), datetime(2025, 10, 27, 14, 30))
    assert [status_of(moment, text) for moment in moments] == ["not_found", "supported"]


@pytest.mark.parametrize(
    "text",
    ["27.10.2025. The shop opens at 14:30", "26.10.2025 14:30, 27.10.2025", "26.10.2025 14:30\n27.10.2025", "27.10.2025",
     "27.10.2025 as the minutes of the meeting say, 14:30"],
)  # fmt: skip
def test_a_time_of_another_day_or_sentence_is_no_time_of_a_day(text: str) -> None:
    assert status_of(datetime(2025, 10, 27), text) == "supported"


def test_the_first_moment_of_the_calendar_is_not_found_in_another_zone() -> None:
    assert status_of(datetime(1, 1, 1, tzinfo=UTC), "2025-10-27T10:00:00-05:00") == "not_found"


@pytest.mark.parametrize("text", ["2025-W44-1", "27OCT2025", "Mon Oct 27 10:00:00 UTC 2025", "2025W441"])
def test_a_date_of_a_log_a_ticket_or_a_week_is_read(text: str) -> None:
    pytest.importorskip("babel", reason="the extra [documents]")
    assert [status_of(date(2025, 10, day), text) for day in (26, 27, 28)] == ["not_found", "supported", "not_found"]


@pytest.mark.parametrize(
    ("value", "text", "status"),
    [
        (HttpUrl("http://a.de"), "see http://a.de.", "supported"),
        (HttpUrl("http://a.de"), "see http://a.de/x", "not_found"),
        (Path("/data/x"), "in /data/x.", "supported"),
        (ip_address("10.0.0.1"), "at 10.0.0.12", "not_found"),
        (ip_address("10.0.0.1"), "at 10.0.0.1:80", "supported"),
        (timedelta(hours=1), "PT1H", "unsupported"),
        (SecretStr("abc"), "abc", "unsupported"),
    ],
    ids=str,
)
def test_without_marks_every_value_is_checked_and_what_cannot_be_looked_up_is_unsupported(
    value: object, text: str, status: str
) -> None:
    report = check_evidence({"value": value, "place": text}, text)
    assert report.fields["value"]["status"] == status


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("long enough to be wrapped,ok 2,.other text", "1,a,row of code, long enough to be wrapped,ok\n2,.other text,ok"),
        ("これは文書です … \"source\" を分ける方法です", "これは文書です 内に failed to \"source\" を分ける方法です。"),
    ],
)  # fmt: skip
def test_a_quote_over_two_rows_of_code_or_a_denial_between_scripts_is_refused(quote: str, text: str) -> None:
    assert check_evidence({"quote": quote}, text, marks={"quote": Quote()}).support == 0
