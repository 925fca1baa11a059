"""A schema inside another keeps its meaning: every reference finds what it meant before."""

from typing import Any

import jsonschema_rs
from hypothesis import given
from hypothesis import strategies as st

from answergraph.response_format.schemas.json_envelope import envelope, wrapped_value

INTEGER, TEXT = {"type": "integer"}, {"type": "string"}


def test_the_alternatives_of_an_envelope_are_unchanged() -> None:
    a, b = ({"type": "object", "properties": {name: INTEGER}} for name in "ab")
    schema = envelope([("A", a), ("B", b)])
    assert schema["properties"] == {"schema": {"type": "string", "enum": ["A", "B"]}, "value": {"anyOf": [a, b]}}
    assert schema["required"] == ["schema", "value"]


def test_definitions_of_one_name_are_kept_apart() -> None:
    one = {"$ref": "#/$defs/X", "$defs": {"X": {"properties": {"y": {"$ref": "#/$defs/Y"}}}, "Y": INTEGER}}
    other = {"$ref": "#/$defs/X", "$defs": {"X": {"properties": {"y": {"$ref": "#/$defs/Y"}}}, "Y": TEXT}}
    validator = jsonschema_rs.validator_for(envelope([("One", one), ("Other", other)]))
    assert validator.is_valid({"schema": "One", "value": {"y": 1}})
    assert validator.is_valid({"schema": "Other", "value": {"y": "a"}})
    assert not validator.is_valid({"schema": "Other", "value": {"y": []}})
    assert list(envelope([("One", one), ("Same", one)])["$defs"]) == ["X", "Y"]


def test_a_schema_that_refers_to_itself_does_so_inside_another() -> None:
    schema = {
        "$id": "urn:tree",
        "properties": {"kids": {"type": "array", "items": {"$ref": "#"}}, "n": INTEGER},
        "required": ["n"],
    }
    for outer in (wrapped_value(schema), envelope([("Tree", schema), ("Text", TEXT)])):
        validator = jsonschema_rs.validator_for(outer)
        assert (
            validator.is_valid({"schema": "Tree", "value": {"n": 1, "kids": [{"n": 2}]}}) or "schema" not in outer["properties"]
        )
        assert not validator.is_valid({"schema": "Tree", "value": {"n": 1, "kids": [{"m": 2}]}})


def test_names_and_data_that_look_like_keywords_stay_as_they_are() -> None:
    schema = {
        "properties": {"default": {"$ref": "#/$defs/N"}, "$ref": TEXT, "enum": INTEGER},
        "default": {"$ref": "#/$defs/N"},
        "$defs": {"N": INTEGER},
    }
    wrapped = wrapped_value(schema)["properties"]["value"]
    assert wrapped == {key: value for key, value in schema.items() if key != "$defs"}


NAMES = st.sampled_from(["X", "Y"])
DEFINITIONS = st.dictionaries(NAMES, st.sampled_from([INTEGER, TEXT, {"type": "null"}]), min_size=1)


@given(st.lists(DEFINITIONS, min_size=1, max_size=4), st.data())
def test_each_alternative_means_what_it_meant(definitions: list[dict[str, Any]], data: st.DataObject) -> None:
    members = []
    for place, defined in enumerate(definitions):
        name = data.draw(st.sampled_from(sorted(defined)))
        members.append((f"M{place}", {"$ref": f"#/$defs/{name}", "$defs": defined}))
    validator = jsonschema_rs.validator_for(envelope(members)["properties"]["value"] | {"$defs": envelope(members)["$defs"]})
    for value in (1, "a", None):
        assert validator.is_valid(value) == any(jsonschema_rs.is_valid(member, value) for _, member in members)
