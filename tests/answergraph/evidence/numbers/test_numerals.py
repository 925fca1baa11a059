"""Which numbers a result contains, and which only seem to be in it."""

from decimal import Decimal
from typing import Any

import pytest

from answergraph.evidence import FromTools
from answergraph.evidence.claim_checking import check_fields
from answergraph.evidence.claims import Claim
from answergraph.state.field_path import FieldPath
from tests.answergraph.evidence.quoted_texts import run_of
from tests.suite.fields import places


def cut_out(value: Any, text: str, **mark: Any) -> str | None:
    """Return the part of the text that supports the number."""
    evidence = places(check_fields([Claim(FieldPath("n"), FromTools(**mark), value)], [run_of(text, "c")]).fields)
    return text[evidence["n"][1] : evidence["n"][2]] if evidence else None


@pytest.mark.parametrize(
    ("value", "text", "cut"),
    [
        (12, "12.0", "12.0"),
        (1234, "it was 1,234.", "1,234"),
        (4111, "4111 1111 1111 1111", "4111"),
        (-5, "x = -5", "-5"),
        (-5, "x = −5", "−5"),
        (5, "(5)", "5"),
        (5, "n=5;", "5"),
        (5, "５", "５"),
        (0.5, "took .5 in all", ".5"),
        (42, "Total: **42**", "42"),
        (42, "The answer is 42!", "42"),
        (1234567, "1\u202f234\u202f567 rows", "1\u202f234\u202f567"),
        (1000.0, "1E3", "1E3"),
        (2, '{"a":2}', "2"),
        (2, '{"a":"2"}', "2"),
        (234, "[1,234]", "234"),
        (-5, "[1,-5]", "-5"),
        (1234, '{"a":"1,234"}', "1,234"),
        (3, '"a\\n3"', "3"),
        (Decimal("0.10"), "0.1", "0.1"),
        (0.1 + 0.2, "0.30000000000000004", "0.30000000000000004"),
    ],
)
def test_these_numbers_are_found(value: Any, text: str, cut: str) -> None:
    assert cut_out(value, text) == cut


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (12, "112"),
        (12, "12.5"),
        (27, "27.X.2025"),
        (5, "x = -5"),
        (5, "total - 5"),
        (1234, "1.234"),
        (1234, "[1,234]"),
        (1234.5, "1.234,5"),
        (12, "$12"),
        (85, "85%"),
        (12, "12ms"),
        (3, "3rd"),
        (2026, "2026-01-02"),
        (12, "12:30"),
        (5, "5/7"),
        (1, "v1.2.3"),
        (4, "gpt-4"),
        (10, "10²"),
        (2, "2**10"),
        (10, "2**10"),
        (5, "10^5"),
        (250, "0,250"),
        (234, "1\u202f234"),
        (1, "1\u00a0234"),
        (2, "1\u200b2"),
        (1, "1\u200b2"),
        (5, "1٫5"),
        (5, "5!=120"),
        (5, "5 million"),
        (5, "5€"),
    ],
)
def test_these_do_not(value: Any, text: str) -> None:
    assert cut_out(value, text) is None


@pytest.mark.parametrize(
    ("value", "text", "units", "cut"),
    [
        (12, "took 12 ms", "ms", "12"),
        (12, "took 12ms.", "ms", "12"),
        (12, '{"duration_ms": 12}', "ms", "12"),
        (12, "ms=12", "ms", "12"),
        (12, "$12", ["$", "USD"], "12"),
        (12, "12 USD", ["$", "USD"], "12"),
        (0.85, "85%", {"%": 0.01}, "85"),
        (90, "1.5 min", {"s": 1, "min": 60}, "1.5"),
        (5, "5 µs", "µs", "5"),
        (5, "5 m2", "m²", "5"),
        (5, "$5 million", "$", None),
        (12, "took 12", "ms", None),
        (12, "12 ms/s", "ms", None),
        (12, "12 ms-1", "ms", None),
        (50, "50 km", "m", None),
    ],
)
def test_a_unit_is_beside_its_number(value: float, text: str, units: Any, cut: str | None) -> None:
    assert cut_out(value, text, units=units) == cut


@pytest.mark.parametrize(
    ("value", "rounding", "accepted"),
    [
        (169.67, 2, True),
        (169.7, 1, True),
        (170, 0, True),
        (169.66, 2, False),
        (169.7, 2, False),
        (169.67, None, False),
        (170, 1, False),
    ],
)
def test_rounding_is_what_was_declared(value: float, rounding: int | None, accepted: bool) -> None:
    assert (cut_out(value, "169.666666", rounding=rounding) is not None) == accepted


@pytest.mark.parametrize("value", [0.12, 0.13])
def test_a_tie_may_be_rounded_either_way(value: float) -> None:
    assert cut_out(value, "0.125", rounding=2) == "0.125"
