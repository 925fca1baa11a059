"""Equal JSON is the same text, so that an answer that is given again is known."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answergraph.answers.canonical_json import MAX_QUOTED_CHARACTERS, canonical_json, shortened


@pytest.mark.parametrize(
    ("one", "other"), [({"a": 1, "b": 2}, {"b": 2, "a": 1}), (1, 1.0), ({"n": [2.0]}, {"n": (2,)}), ({1: "x"}, {"1": "x"})]
)
def test_equal_values_are_one_text(one: Any, other: Any) -> None:
    assert canonical_json(one) == canonical_json(other)


@pytest.mark.parametrize(("one", "other"), [(1, "1"), (1, True), ([1, 2], [2, 1]), ({}, []), (None, "null"), (0.1, 0.2)])
def test_other_values_are_other_texts(one: Any, other: Any) -> None:
    assert canonical_json(one) != canonical_json(other)


def test_what_is_nested_too_deeply_to_compare_equals_nothing_else() -> None:
    def deep() -> list[Any]:
        value: list[Any] = []
        for _ in range(100_000):
            value = [value]
        return value

    one, other = deep(), deep()
    assert (canonical_json(one) == canonical_json(one), canonical_json(one) == canonical_json(other)) == (True, False)


@given(st.text())
def test_a_quote_of_a_reply_is_one_short_line(text: str) -> None:
    quote = shortened(text)
    assert "\n" not in quote
    assert len(quote) <= MAX_QUOTED_CHARACTERS + 2
