"""Values in texts of sixteen languages, and in invoices, logs, CSV and JSON: what a text holds is found, nothing else is.

The texts are in ``attacked_values.tsv``. The property tests write numbers and dates as each language of CLDR does.
"""

import json
import re
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from random import Random

import pytest
from hypothesis import given

from answergraph import Grounded
from answergraph.evidence.claim_checking import locate
from tests.answergraph.evidence.test_claim_checking import few, seeds

ROWS = [line.split("\t") for line in (Path(__file__).parent / "attacked_values.tsv").read_text().splitlines()[1:]]
_VALUE = re.compile(r'"(?:[^"\\]|\\.)*"|\S+')
LANGUAGES = (
    "ar bg bn ca cs da de el en es et fa fi fr gl gu he hi hr hu hy id is it ja ka kk km kn ko lt lv mk ml mr ms nb nl nn pa pl "
    "pt ro ru sk sl sq sr sv sw ta te th tr uk ur uz vi zh af be bs ga"
)


def values_of(cell: str) -> list[object]:
    """Return the values of a cell: texts in quotation marks, dates, times, numbers."""
    return [_value_of(word) for word in _VALUE.findall(cell)]


def _value_of(word: str) -> object:
    if word.startswith('"'):
        return json.loads(word)
    if "T" in word:
        return datetime.fromisoformat(word)
    if ":" in word:
        return time.fromisoformat(word)
    return date.fromisoformat(word) if re.match(r"\d{4}-", word) else Decimal(word)


def is_accepted(value: object, text: str) -> bool:
    return locate(value, Grounded(), [text])["problem"] is None


@pytest.mark.parametrize(("text", "held", "other"), ROWS, ids=[row[0] for row in ROWS])
def test_a_text_holds_its_values_and_no_altered_one(text: str, held: str, other: str) -> None:
    pytest.importorskip("babel", reason="the extra [documents]")
    source = text.replace("\\n", "\n").replace("\\t", "\t")
    assert [value for value in values_of(held) if not is_accepted(value, source)] == []
    assert [value for value in values_of(other) if is_accepted(value, source)] == []


def with_a_digit_changed(value: Decimal, random: Random) -> Decimal:
    digits = str(value)
    at = random.choice([index for index, digit in enumerate(digits) if digit.isdigit()])
    return Decimal(digits[:at] + str((int(digits[at]) + random.randint(1, 9)) % 10) + digits[at + 1 :])


@few
@given(seeds)
def test_an_amount_in_any_language_is_found_and_an_altered_one_is_not(seed: int) -> None:
    numbers = pytest.importorskip("babel.numbers", reason="the extra [documents]")
    random = Random(seed)
    language, value = random.choice(LANGUAGES.split()), Decimal(random.randint(10**3, 10**8) * 100 + random.randint(1, 99)) / 100
    text = str(
        numbers.format_currency(value, random.choice(["EUR", "USD", "JPY"]), "#,##0.00 ¤", locale=language, currency_digits=False)
    )
    altered = {with_a_digit_changed(value, random), value * 10, value / 10, -value, Decimal(str(value)[1:]), Decimal(int(value))}
    assert is_accepted(value, text), (language, text)
    assert [each for each in altered - {value} if is_accepted(each, text)] == [], (language, text)


@few
@given(seeds)
def test_a_date_in_any_language_is_found_and_an_altered_one_is_not(seed: int) -> None:
    dates = pytest.importorskip("babel.dates", reason="the extra [documents]")
    random = Random(seed)
    language, day = (
        random.choice(LANGUAGES.split()),
        date(random.randint(1995, 2030), random.randint(1, 12), random.randint(1, 28)),
    )
    text = str(dates.format_date(day, "long", locale=language))
    altered = {day.replace(month=month) for month in range(1, 13)} | {
        day.replace(day=day.day % 28 + 1),
        day.replace(year=day.year + 1),
    }
    # A listopad is October in Zagreb and November in Warsaw.
    assert locate(day, Grounded(), [text])["status"] != "not_found", (language, text)
    assert [each for each in altered - {day} if is_accepted(each, text)] == [], (language, text)
