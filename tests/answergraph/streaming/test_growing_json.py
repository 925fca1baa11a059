"""A growing JSON text is read at every valid prefix, in linear time."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answergraph.streaming.growing_json import MAX_READS_PER_CHARACTER, GrowingJson

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12)
OBJECTS = st.dictionaries(st.text(), VALUES, min_size=1)


def values_of(pieces: list[str]) -> list[Any]:
    growing = GrowingJson()
    return [growing.value for piece in pieces if growing.add(piece)]


def is_prefix(part: Any, whole: Any) -> bool:
    """Whether a shown value stays: texts and lists grow at their end, objects get further keys, other values are final."""
    if isinstance(part, str) and isinstance(whole, str):
        return whole.startswith(part)
    if isinstance(part, list) and isinstance(whole, list):
        head = part[:-1] == whole[: len(part) - 1]
        return not part or (len(part) <= len(whole) and head and is_prefix(part[-1], whole[len(part) - 1]))
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and is_prefix(value, whole[key]) for key, value in part.items())
    return bool(part == whole) and type(part) is type(whole)


@pytest.mark.torture
@given(OBJECTS, st.integers(1, 9), st.booleans())
def test_each_value_is_a_prefix_of_the_next_and_the_last_is_the_whole(value: Any, size: int, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    shown = values_of([text[start : start + size] for start in range(0, len(text), size)])
    assert all(is_prefix(part, whole) for part, whole in zip(shown, [*shown[1:], value], strict=True))
    # A piece at the very end of a long text may be too small to be read again.
    assert shown[-1] == value or len(text) > MAX_READS_PER_CHARACTER


@given(st.text(max_size=200))
def test_it_accepts_any_text(text: str) -> None:
    assert all(isinstance(value, dict) for value in values_of(list(text)))


def test_a_number_is_shown_once_it_has_ended() -> None:
    assert values_of(list('{"n": -12.5e3, "m": 7}')) == [{}, {"n": -12500.0}, {"n": -12500.0, "m": 7}]


def test_a_constant_is_shown_whole() -> None:
    assert values_of(list('{"a": true, "b": null}')) == [{}, {"a": True}, {"a": True, "b": None}]


def test_a_draft_in_thoughts_is_not_shown() -> None:
    assert values_of(list('<think>Perhaps {"a": "b"}</think>{"a": "c"}'))[-1] == {"a": "c"}
    assert {"a": "b"} not in values_of(list('<think>Perhaps {"a": "b"}</think>{"a": "c"}'))


@pytest.mark.parametrize("before", ["", "  \n", "Here it is: ", "```json\n", "Of {x} and {y: 1}, this: "])
@pytest.mark.parametrize("after", ["", "\n```", " That is all {really}."])
def test_the_object_is_found_in_words_and_fences(before: str, after: str) -> None:
    assert values_of(list(f'{before}{{"a": "bc"}}{after}'))[-1] == {"a": "bc"}


def test_an_object_that_is_not_meant_ends_the_search() -> None:
    growing = GrowingJson(lambda data: data.keys() <= {"answer"})
    assert [growing.add(piece) for piece in ('{"other": "x', '", "answer": 2} ', '{"answer": 3}')] == [False, False, False]
    assert growing.value is None


def test_numbers_that_json_does_not_know_end_the_search() -> None:
    assert values_of(['{"a": 1, ', '"b": NaN, ', '"c": 1}'])[-1] == {"a": 1}


def test_a_text_full_of_braces_is_given_up() -> None:
    assert values_of(["{x " * 50, '{"a": 1}']) == []


def test_the_work_grows_with_the_length_of_the_text() -> None:
    def work(length: int) -> int:
        growing = GrowingJson()
        pieces = ['{"text": "', *("word " * (length // 5)), '"}']
        return sum(len(str(growing.value)) for piece in pieces if growing.add(piece))

    assert work(100_000) < (MAX_READS_PER_CHARACTER + 2) * 100_000
    assert work(100_000) < 12 * work(10_000)
