"""A cut reply counts up to the end of its closed JSON; values inside a schema that was written back are read."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answergraph.json_text.json_in_text import closed_value
from answergraph.reading.filled_schema import values_in_schema
from tests.torture.growth import MAX_EXPONENT, growth


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ('{"a": 1}' + "\n" * 60, '{"a": 1}'),
        ('{\n  "a": {"b": "}"}\n}', '{\n  "a": {"b": "}"}\n}'),
        ('["a", "b"]\n\n', '["a", "b"]'),
        ('```json\n{"a": 1}\n```\n\n\n', '```json\n{"a": 1}\n```'),
        ('```json\n["a"]\n```\nThis', '```json\n["a"]\n```'),
        ('```json\n{"a": 1}\n\n\n', '```json\n{"a": 1}'),
        ('So: {"a": 1}. Please try again later. If the {problem} per', 'So: {"a": 1}'),
        ('{"a": 1} and [see the no', '{"a": 1}'),
        ('{"a": 1} and {"b": 2} are', '{"a": 1} and {"b": 2}'),
        ('{"a": 1,} is', '{"a": 1,}'),
        ("{} is", "{}"),
        ('{"a": 1}\n```json\n{\n  "a": ', '{"a": 1}'),
    ],
)
def test_a_value_that_closed_before_the_cut_stands(text: str, stands: str) -> None:
    assert closed_value(text) == stands


@pytest.mark.parametrize(
    "text",
    [
        "",
        '{"a": 1',
        '{"a": "}',
        "{",
        "```json\n{\n",
        '["a", {"b": 1}, ',
        '{"a": 1}\n{"a": 2, "b',
        '```json\n{"a": 1}\n```\n```json\n{"a": [1',
        "Prose that was {never} cut",
        "As was said [1] before",
        "17",
    ],
)
def test_a_value_that_is_open_or_missing_does_not_stand(text: str) -> None:
    assert closed_value(text) is None


@given(st.text(alphabet='{}[]"\\:,a1 \n`', max_size=60))
def test_a_closed_value_is_a_prefix_of_any_text(text: str) -> None:
    stands = closed_value(text)
    assert stands is None or (text.startswith(stands) and stands)


@pytest.mark.parametrize("piece", ["{", "{x}", "{}", '{"', "[", "\n```\n[", "```\n"])
def test_a_hostile_cut_text_is_read_in_linear_time(piece: str) -> None:
    assert growth(closed_value, lambda size: piece * (size // len(piece)), 300_000).exponent <= MAX_EXPONENT


ANNA = {"name": "Anna", "age": 34}


@pytest.mark.parametrize(
    ("data", "values"),
    [
        ({"description": "A person.", "properties": ANNA, "required": ["name", "age"], "title": "Person"}, ANNA),
        ({"properties": ANNA, "required": ["name"], "type": "object", "additionalProperties": False}, ANNA),
        ({"type": "object", "properties": {"name": {"type": "string", "value": "Anna"}, "age": 34}}, ANNA),
        ({"properties": {"name": {"title": "Name", "type": "string", "default": "Anna"}}}, {"name": "Anna"}),
        ({"properties": {"kind": {"const": "cat", "type": "string"}}}, {"kind": "cat"}),
        (
            {"type": "object", "properties": {"value": {"items": ["apple", "pear"], "type": "array"}}},
            {"value": ["apple", "pear"]},
        ),
        ({"properties": {"person": {"type": "object", "properties": ANNA}}}, {"person": ANNA}),
        ({"properties": {"person": ANNA, "tags": []}}, {"person": ANNA, "tags": []}),
        ({"properties": {"issue": {"type": "bug", "id": 3}}}, {"issue": {"type": "bug", "id": 3}}),
    ],
)
def test_values_inside_a_schema_are_read(data: Any, values: dict[str, Any]) -> None:
    assert values_in_schema(data) == values


@pytest.mark.parametrize(
    "data",
    [
        {"properties": {"name": {"title": "Name", "type": "string"}, "age": {"title": "Age", "type": "integer"}}},
        {"properties": {"name": {"type": "string"}, "place": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}}},
        {"properties": {"name": {"type": "string", "default": "Anna"}, "age": {"type": "integer", "required": ["name"]}}},
        {"properties": {"answer": {"description": "The answer", "title": "Answer"}}},
        {"properties": {"counts": {"additionalProperties": {"type": "integer"}, "title": "Counts", "type": "object"}}},
        {"properties": {"children": {"items": {"$ref": "#/$defs/Tree"}, "type": "array"}}},
        {"properties": {"level": {"enum": ["low", "high"]}}},
        {"properties": {"person": {"type": "object", "properties": {"name": {"type": "string"}}}}},
        {"properties": {"name": "string", "age": "integer"}},
        {"properties": {"content": {"type": "string"}, "type": "object"}},
        {"properties": {}},
        {"properties": ["name"]},
        {"properties": ANNA, "type": "array"},
        {"properties": ANNA, "owner": "Tom"},
        ANNA,
        {},
        [ANNA],
        None,
    ],
)
def test_a_schema_that_was_written_back_has_no_values(data: Any) -> None:
    assert values_in_schema(data) is None
