"""JSON that is read strictly: nothing is rounded, dropped or invented on the way."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answergraph.json_text.json_depth import MAX_JSON_DEPTH, is_deeper
from answergraph.json_text.json_syntax_repair import MAX_MENDED_LENGTH, mend_json
from answergraph.json_text.strict_json import load_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)
OBJECTS = st.dictionaries(st.text(max_size=4), VALUES, max_size=4)


@given(VALUES)
def test_what_json_can_say_is_read_as_it_was(value: Any) -> None:
    assert load_json(json.dumps(value)) == value


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', "NaN", "[Infinity]", "{", "", "{'a': 1}", '{"a": 1,}', "01"])
def test_what_is_no_json_is_not_read(text: str) -> None:
    assert load_json(text) is None


@pytest.mark.parametrize(("text", "value"), [("0.1", 0.1), ("1e3", 1000.0), ("0.10000000000000000001", None), ("1e400", None)])
def test_a_number_that_would_be_rounded_is_refused_where_it_matters(text: str, value: float | None) -> None:
    assert load_json(text, exactly=True) == value


@pytest.mark.parametrize("depth", [MAX_JSON_DEPTH - 1, MAX_JSON_DEPTH + 1, 100_000])
def test_json_that_is_nested_too_deeply_is_not_read(depth: int) -> None:
    assert (load_json("[" * depth + "]" * depth) is None) == (depth > MAX_JSON_DEPTH)


def test_depth_counts_lists_and_objects() -> None:
    assert not is_deeper({"a": [{"b": 1}]}, 3)
    assert is_deeper({"a": [{"b": []}]}, 3)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': 1}", {"a": 1}),
        ("{a: 1, b: 'it\\'s'}", {"a": 1, "b": "it's"}),
        ('{"a": True, "b": None,}', {"a": True, "b": None}),
        ('["a" "b"]', ["a", "b"]),
        ('{"a": 1 "b": 2}', {"a": 1, "b": 2}),
        ("{'said': 'he said \"no\"'}", {"said": 'he said "no"'}),
    ],
)
def test_small_mistakes_are_mended(text: str, value: Any) -> None:
    assert mend_json(text) == value


@pytest.mark.parametrize(
    "text",
    ['{"a": 1', '{"a": }', '{"a": 1 2}', '{"a": "b"c"}', "[1, 2", "text", '{"a": 0.10000000000000000001}', '{"a": 1, "a": 2}'],
)
def test_no_bracket_and_no_value_is_invented(text: str) -> None:
    assert mend_json(text) is None


@given(OBJECTS)
def test_valid_json_is_mended_into_itself(value: Any) -> None:
    assert mend_json(json.dumps(value)) == value


def test_a_long_text_is_not_mended() -> None:
    assert mend_json("{'a': '" + "x" * MAX_MENDED_LENGTH + "'}") is None
