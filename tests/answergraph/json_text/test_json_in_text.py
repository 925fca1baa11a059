"""JSON is found anywhere in a text, and text that only looks like JSON is ignored."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answergraph.json_text.json_in_text import find_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(min_size=1, max_size=5), VALUES, min_size=1, max_size=4)
PROSE = st.text(alphabet=st.characters(exclude_characters="{}`~"), max_size=40)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', [({"a": 1}, "whole")]),
        ("  [1, 2]\n", [([1, 2], "whole")]),
        ('Here:\n```json\n{"a": 1}\n```\nDone.', [({"a": 1}, "fence")]),
        ('~~~\n{"a": 1}\n~~~', [({"a": 1}, "fence")]),
        ('First {"a": {"b": 2}} then {"c": 3}.', [({"a": {"b": 2}}, "prose"), ({"c": 3}, "prose")]),
        ('A brace { is prose, {"a": "}"} is not', [({"a": "}"}, "prose")]),
        ('{"a": {"b": 1}, oops}', []),
        ("nothing {here} or {}", []),
        ('{"a": 1, "a": 2}', []),
        ('{"a": NaN}', []),
        ("", []),
    ],
)
def test_values_are_found_in_order_of_place(text: str, found: list[tuple[Any, str]]) -> None:
    assert [(item.data, item.origin) for item in find_json(text)] == found


def test_only_what_was_taken_out_of_something_counts_as_a_repair() -> None:
    assert find_json('{"a": 1}')[0].repairs == ()
    assert find_json('x {"a": 1}')[0].repairs == ("JSON taken out of prose",)


@given(before=PROSE, value=OBJECTS, after=PROSE)
def test_an_object_in_any_prose_comes_back_unchanged(before: str, value: dict[str, Any], after: str) -> None:
    found = find_json(f"{before} {json.dumps(value)} {after}")
    assert [item.data for item in found] == [value]


@given(st.text())
def test_any_text_is_read_without_an_error(text: str) -> None:
    assert all(item.origin in ("whole", "fence", "prose") for item in find_json(text))


@pytest.mark.parametrize(
    "text",
    [
        "{" * 100_000,
        "{" * 200_000,
        "{" * 50_000 + "}" * 50_000,
        "{" * 200_000 + "}" * 200_000,
        "[{" * 50_000,
        "{[" * 25_000 + "]}" * 25_000,
        '{"' * 50_000,
        '{"' + '\\"' * 50_000,
        '{"a":' * 100_000,
        "{}" * 50_000,
        "{x} " * 25_000,
        "{'a': 1,} " * 10_000,
        "```\n" * 50_000,
        "```json\n{\n" * 10_000,
        "~~~\n```json\n{}\n" * 10_000,
    ],
    ids=range(15),
)
def test_hostile_texts_take_linear_time(text: str) -> None:
    started = time.process_time()
    assert find_json(text) == []
    # Generous by more than an order of magnitude: a quadratic search takes from half a minute to hours here.
    assert time.process_time() - started < 5


def test_a_long_answer_with_a_syntax_error_is_repaired_in_linear_time() -> None:
    written = [f"it's number {number}" for number in range(4_000)]
    started = time.process_time()
    assert [item.data for item in find_json("{'a': [" + "".join(f'"{text}",' for text in written) + "]}")] == [{"a": written}]
    assert time.process_time() - started < 5


def test_an_open_fence_hides_none_of_another_kind() -> None:
    assert [item.data for item in find_json('~~~\nSo:\n```json\n{"a": 1}\n```\n')] == [{"a": 1}]


def test_prose_with_very_many_objects_is_data_and_no_answer() -> None:
    assert len(find_json('{"a": 1} ' * 1_000)) == 1_000
    assert find_json('{"a": 1} ' * 1_001) == []


def test_a_text_with_very_many_broken_objects_is_not_repaired() -> None:
    assert [item.data for item in find_json("{'a': 1,} " * 3)] == [{"a": 1}] * 3
    assert find_json("{'a': 1,} " * 100) == []


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ('{"a": 1,}', {"a": 1}),
        ("{'a': 'b'}", {"a": "b"}),
        ('{a: 1, b: "c"}', {"a": 1, "b": "c"}),
        ('{"a": 1 "b": 2}', {"a": 1, "b": 2}),
        ('{"done": True, "why": None}', {"done": True, "why": None}),
        ('Take {"a": [1, 2,],} as it is', {"a": [1, 2]}),
        ('```json\n{"a": 1,}\n```', {"a": 1}),
        ("{'a': 'it is {here}', 'b': \"it's\",}", {"a": "it is {here}", "b": "it's"}),
    ],
)
def test_small_faults_of_syntax_are_repaired_and_recorded(text: str, data: Any) -> None:
    assert [item.data for item in find_json(text)] == [data]
    assert find_json(text)[0].repairs[-1] == "JSON syntax mended"


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "b": [1, 2',  # cut: the missing part is unknown
        '{"a": "b',
        '{"a": 1e400,}',
        '{"a": 0.1000000000000000055511151231257827,}',  # would be rounded
        '{"a": NaN,}',
        '{"a": 1, "a": 2,}',  # one of the two would be lost
        '{"a": 1, // a remark\n}',
        '{"a": hello,}',  # a string without quotation marks
        '{"a": 1} trailing {"b": }',
        "{}",
    ],
)
def test_a_repair_that_would_change_data_is_refused(text: str) -> None:
    assert [item for item in find_json(text) if item.mended] == []


@given(OBJECTS)
def test_mending_never_changes_a_value(value: dict[str, Any]) -> None:
    text = json.dumps(value, ensure_ascii=False)
    assert all(item.data == value for item in find_json(f"{text[:-1]},}}"))
