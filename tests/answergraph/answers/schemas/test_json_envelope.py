"""A schema inside another keeps its meaning: every reference keeps its target."""

from itertools import product
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from answergraph.answers.schemas.json_envelope import envelope, opened, wrapped_value

INTEGER, TEXT = {"type": "integer"}, {"type": "string"}


def test_an_envelope_ties_each_name_to_its_unchanged_schema() -> None:
    a, b = ({"type": "object", "properties": {name: INTEGER}, "required": [name]} for name in "ab")
    schema = envelope([("A", a), ("B", b)])
    assert [each["properties"] for each in schema["anyOf"]] == [
        {"schema": {"const": "A"}, "value": a},
        {"schema": {"const": "B"}, "value": b},
    ]
    for name, value, is_valid in (("A", {"a": 1}, True), ("B", {"b": 1}, True), ("A", {"b": 1}, False)):
        assert jsonschema_rs.is_valid(schema, {"schema": name, "value": value}) == is_valid


def pet(kind: str, *, required: tuple[str, ...] = ("kind", "name")) -> dict[str, Any]:
    return {"type": "object", "properties": {"kind": {"const": kind}, "name": TEXT}, "required": list(required)}


def test_members_with_a_discriminator_need_no_envelope() -> None:
    cat, dog = pet("cat"), pet("dog")
    assert envelope([("Cat", cat), ("Dog", dog)]) == {"anyOf": [cat, dog]}


@pytest.mark.parametrize(
    "other", [pet("cat"), pet("dog", required=("name",)), {"properties": {"kind": True}, "required": ["kind"]}, {}]
)
def test_members_that_no_constant_distinguishes_are_in_an_envelope(other: dict[str, Any]) -> None:
    members = envelope([("Cat", pet("cat")), ("Other", other)])["anyOf"]
    assert [member["properties"]["schema"] for member in members] == [{"const": "Cat"}, {"const": "Other"}]


@pytest.mark.parametrize(
    ("data", "held"),
    [
        ({"value": {"schema": "A", "value": 1}}, {"schema": "A", "value": 1}),
        ({"value": {"schema": "A"}}, {"schema": "A"}),
        ({"value": {"other": 1}}, {"value": {"other": 1}}),
        ({"value": 1}, {"value": 1}),
        ({"schema": "A", "value": {}}, {"schema": "A", "value": {}}),
    ],
)
def test_an_envelope_in_a_wrapped_value_is_found(data: dict[str, Any], held: dict[str, Any]) -> None:
    assert opened(data) == held


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
        assert validator.is_valid({"schema": "Tree", "value": {"n": 1, "kids": [{"n": 2}]}}) == ("anyOf" in outer)
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
    validator = jsonschema_rs.validator_for(envelope(members))
    for (name, member), value in product(members, (1, "a", None)):
        assert validator.is_valid({"schema": name, "value": value}) == jsonschema_rs.is_valid(member, value)
