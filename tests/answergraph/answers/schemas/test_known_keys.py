"""The keys that a JSON Schema declares for the outermost object, which tell an answer in a text from other JSON."""

from typing import Any

import pytest

from answergraph.answers.schemas.known_keys import KnownKeys, known_keys

A: Any = {"properties": {"a": {}}}
B: Any = {"properties": {"b": {}}}


@pytest.mark.parametrize(
    ("schema", "names", "takes_others"),
    [
        (A, {"a"}, False),
        ({**A, "additionalProperties": False}, {"a"}, False),
        ({**A, "additionalProperties": {"type": "string"}}, {"a"}, True),
        ({**A, "patternProperties": {"^x": {}}}, {"a"}, True),
        ({"anyOf": [A, B]}, {"a", "b"}, False),
        ({"allOf": [A, {"then": B}]}, {"a", "b"}, False),
        ({"$ref": "#/$defs/A", "$defs": {"A": A}}, {"a"}, False),
        ({"$ref": "#"}, set(), True),
        ({"$ref": "#/$defs/gone"}, set(), True),
        ({"properties": {"inner": {"properties": {"deep": {}}}}}, {"inner"}, False),
        ({"type": "object"}, set(), True),
        ({"anyOf": [True, False]}, set(), True),
    ],
)
def test_the_keys_of_all_parts_for_the_same_object_are_known(schema: Any, names: set[str], takes_others: bool) -> None:
    assert known_keys(schema) == KnownKeys(frozenset(names), takes_others)
