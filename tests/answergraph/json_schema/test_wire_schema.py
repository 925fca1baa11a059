"""A schema's form on the wire, and how answers are restored."""

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from answergraph.json_schema.dialects import Dialect, SchemaNotExpressible
from answergraph.json_schema.wire_schema import wire_schema
from tests.answergraph.json_schema.compiling import compile_schema

NULL = {"type": "null"}


def of(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return an object schema of these properties, all required."""
    return {"type": "object", "properties": properties, "required": list(properties), **more}


def strict(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a property's schema in OpenAI's strict mode."""
    property_ = compile_schema(of({"a": schema}), Dialect.OPENAI_STRICT)["properties"]["a"]
    assert isinstance(property_, dict)
    return property_


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = Field(9, ge=1, le=9)


class Dog(BaseModel):
    kind: Literal["dog"]
    name: Annotated[str, Field(min_length=2)]


class Branch(BaseModel):
    """A branch of a tree."""

    value: int
    children: "list[Branch]" = []
    up: "Branch | None" = None


class Home(BaseModel):
    pet: Annotated[Cat | Dog, Field(discriminator="kind", description="Who lives here.")]
    place: tuple[float, str]
    tree: Branch | None = None


def test_optional_properties_are_required_and_may_be_null() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer", "enum": [1, 2]}}}
    assert compile_schema(schema, Dialect.OPENAI_STRICT) == {
        "type": "object",
        "properties": {"a": {"type": ["string", "null"]}, "b": {"type": ["integer", "null"], "enum": [1, 2, None]}},
        "required": ["a", "b"],
        "additionalProperties": False,
    }


def test_an_optional_reference_union_or_object_becomes_a_union_with_null() -> None:
    definition = of({"x": {"type": "string"}})
    optional = {"a": {"$ref": "#/$defs/D"}, "b": {"anyOf": [{"type": "string"}, {"type": "integer"}]}, "c": definition}
    schema = {"type": "object", "properties": optional, "$defs": {"D": definition}}
    wire = compile_schema(schema, Dialect.OPENAI_STRICT)["properties"]
    assert wire["a"] == {"anyOf": [{"$ref": "#/$defs/D"}, NULL]}
    assert wire["b"] == {"anyOf": [{"type": "string"}, {"type": "integer"}, NULL]}
    assert wire["c"]["anyOf"][1] == NULL


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"const": "x"}, {"type": "string", "enum": ["x"]}),
        ({"enum": [1, 1.5]}, {"type": "number", "enum": [1, 1.5]}),
        ({"enum": ["x", 1]}, {"anyOf": [{"type": "string", "enum": ["x"]}, {"type": "integer", "enum": [1]}]}),
        ({"oneOf": [{"type": "string"}, NULL]}, {"anyOf": [{"type": "string"}, NULL]}),
        ({"type": ["string", "number"]}, {"anyOf": [{"type": "string"}, {"type": "number"}]}),
        ({"type": "string", "minLength": 3}, {"description": "At least 3 characters", "type": "string"}),
        ({"type": "string", "description": "A name.", "maxLength": 3, "default": "x"},
         {"description": "A name. (at most 3 characters; default x)", "type": "string"}),
        ({"type": "string", "pattern": "^a+$"}, {"type": "string", "pattern": "^a+$"}),
        ({"type": "string", "pattern": "^(?!a)"}, {"description": "Matches ^(?!a)", "type": "string"}),
        ({"type": "string", "format": "uri"}, {"description": "Format uri", "type": "string"}),
        ({"type": "string", "format": "date"}, {"type": "string", "format": "date"}),
        ({"type": "string", "default": "x" * 500}, {"type": "string"}),
        ({"type": "integer", "minimum": 1}, {"type": "integer", "minimum": 1}),
        ({"type": "array", "items": {"type": "string"}, "uniqueItems": True},
         {"description": "Unique items: true", "type": "array", "items": {"type": "string"}}),
        ({"allOf": [{"type": "integer", "minimum": 1}, {"type": "number", "minimum": 2, "description": "Two."}]},
         {"description": "Two.", "type": "integer", "minimum": 2}),
        ({"type": "string", "not": {"const": "x"}, "if": True, "examples": ["y"], "x-own": 1}, {"type": "string"}),
        ({"type": "array", "items": [{"type": "string"}, {"type": "number"}], "additionalItems": False},
         {"description": "Items in this order: string, number", "type": "array",
          "items": {"anyOf": [{"type": "string"}, {"type": "number"}]}}),
    ],
)  # fmt: skip
def test_keywords_that_openai_refuses_are_written_another_way(schema: dict[str, Any], expected: dict[str, Any]) -> None:
    assert strict(schema) == expected


def test_a_description_beside_a_reference_is_kept_by_a_union_of_one() -> None:
    schema = of({"a": {"$ref": "#/definitions/D", "description": "Mine."}}, definitions={"D": {"type": "string"}})
    wire = compile_schema(schema, Dialect.OPENAI_STRICT)
    assert wire["properties"]["a"] == {"description": "Mine.", "anyOf": [{"$ref": "#/$defs/D"}]}
    assert wire["$defs"] == {"D": {"type": "string"}}


def test_inheritance_by_all_of_becomes_one_object() -> None:
    base = of({"a": {"type": "string"}, "b": {"type": "number"}})
    schema = {"allOf": [{"$ref": "#/$defs/Base"}, of({"c": {"type": "string"}, "b": {"minimum": 1}})], "$defs": {"Base": base}}
    wire = compile_schema(schema, Dialect.OPENAI_STRICT)
    assert wire["properties"] == {"a": {"type": "string"}, "b": {"type": "number", "minimum": 1}, "c": {"type": "string"}}


def test_a_part_that_closes_an_object_closes_the_whole() -> None:
    parts = [of({"a": {"type": "string"}}, additionalProperties=closed) for closed in (True, False)]
    for order in (parts, parts[::-1]):
        assert compile_schema({"allOf": order}, Dialect.OPENAI_STRICT)["additionalProperties"] is False


def test_keywords_beside_a_union_move_into_its_members() -> None:
    cat = {"properties": {"kind": {"const": "cat"}}, "required": ["kind"]}
    named = of({"name": {"type": "string"}}, anyOf=[cat, {"type": "string"}])
    members = strict(named)["anyOf"]
    assert [list(member["properties"]) for member in members] == [["kind", "name"]]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([{"enum": [True, "a", "b"]}, {"enum": ["b", 1, "a"]}], {"type": "string", "enum": ["a", "b"]}),
        ([{"enum": ["a", 1]}, {"type": "integer"}], {"type": "integer", "enum": [1]}),
        ([{"type": "array", "items": {"type": "number", "minimum": 1}}, {"items": {"type": "integer", "maximum": 5}}],
         {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 5}}),
        ([{"type": "array", "items": {"type": "string"}, "prefixItems": [{"type": "string"}]}, {"items": False}],
         {"type": "array", "items": {"type": "string"}}),
    ],
)  # fmt: skip
def test_parts_with_the_same_keyword_allow_what_both_allow(parts: list[dict[str, Any]], expected: dict[str, Any]) -> None:
    assert strict({"allOf": parts}) == expected


def test_keywords_beside_a_reference_narrow_what_it_refers_to() -> None:
    definitions = {"Base": of({"a": {"type": "string"}}, description="A base.")}
    schema = of({"x": {"$ref": "#/$defs/Base", **of({"b": {"type": "integer"}})}}, **{"$defs": definitions})
    wire = compile_schema(schema, Dialect.OPENAI_STRICT)["properties"]["x"]
    assert set(wire["properties"]) == {"a", "b"}
    assert wire["description"] == "A base."


def test_a_type_beside_a_union_of_references_leaves_them_references() -> None:
    definitions = {"A": of({"a": {"type": "string"}}), "B": of({"b": {"type": "string"}})}
    union = {"type": "object", "anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}
    wire = compile_schema(of({"x": union}, **{"$defs": definitions}), Dialect.OPENAI_STRICT)
    assert wire["properties"]["x"]["anyOf"] == [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]


def test_a_member_of_a_union_that_contradicts_the_keywords_beside_it_is_left_out() -> None:
    kinds = [of({"kind": {"const": kind}}) for kind in ("cat", "dog")]
    only_cats = strict({**of({"kind": {"enum": ["cat", "bird"]}}), "anyOf": kinds})["anyOf"]
    assert [member["properties"]["kind"]["enum"] for member in only_cats] == [["cat"]]


def test_an_open_part_takes_the_additional_properties_of_the_other() -> None:
    words = {"type": "object", "additionalProperties": {"type": "string"}}
    for order in ([words, {"additionalProperties": True}], [{"additionalProperties": True}, words]):
        assert compile_schema({"allOf": order}, Dialect.GEMINI)["additionalProperties"] == {"type": "string"}


def test_a_union_that_only_asks_for_properties_is_left_to_the_full_check() -> None:
    either = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
    wire = compile_schema({**either, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, Dialect.OPENAI_STRICT)
    assert wire == compile_schema(either, Dialect.OPENAI_STRICT)


def test_a_recursive_model_stays_recursive_and_its_root_is_an_object() -> None:
    wire = compile_schema(Branch.model_json_schema(), Dialect.OPENAI_STRICT)
    assert wire["type"] == "object"
    assert wire["properties"]["children"]["anyOf"][0]["items"] == {"$ref": "#/$defs/Branch"}
    assert compile_schema(of({"me": {"$ref": "#"}}), Dialect.OPENAI_STRICT)["properties"]["me"] == {"$ref": "#"}


def test_an_answer_loses_the_added_nulls_and_no_others() -> None:
    sent = {
        "pet": {"kind": "cat", "lives": None},
        "place": [1.5, "x"],
        "tree": {"value": 1, "children": [{"value": 2, "children": None, "up": None}], "up": None},
    }
    restored = wire_schema(Home.model_json_schema(), Dialect.OPENAI_STRICT).restore(sent)
    children = [{"value": 2, "up": None}]
    assert restored == {"pet": {"kind": "cat"}, "place": [1.5, "x"], "tree": {"value": 1, "children": children, "up": None}}
    assert Home.model_validate(restored).pet == Cat(kind="cat", lives=9)


def test_a_null_that_the_full_schema_asks_for_stays_in_the_member_that_it_fits() -> None:
    left_out = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string", "minLength": 3}}}
    asked_for = of({"a": NULL, "b": {"type": "string", "maxLength": 2}})
    wire = wire_schema(of({"x": {"anyOf": [left_out, asked_for]}}), Dialect.OPENAI_STRICT)
    assert wire.restore({"x": {"a": None, "b": "xyz"}}) == {"x": {"b": "xyz"}}
    assert wire.restore({"x": {"a": None, "b": "xy"}}) == {"x": {"a": None, "b": "xy"}}


def test_a_null_that_fits_nothing_is_left_to_the_check() -> None:
    wire = wire_schema(of({"a": {"type": "integer"}}), Dialect.OPENAI_STRICT)
    assert wire.restore({"a": None, "more": None}) == {"a": None, "more": None}
    assert wire.restore("no object") == "no object"


def test_plain_is_the_schema_as_it_was_written() -> None:
    schema = {"type": "object", "additionalProperties": True}
    wire = wire_schema(schema, Dialect.PLAIN)
    assert wire.schema == schema
    assert wire.schema is not schema
    assert wire.restore({"a": None}) == {"a": None}


def test_the_error_says_where_and_why() -> None:
    schema = of({"a/b": {"type": "array", "items": {"type": "object", "additionalProperties": {"type": "string"}}}})
    with pytest.raises(SchemaNotExpressible, match="names of properties are open") as caught:
        compile_schema(schema, Dialect.OPENAI_STRICT)
    assert caught.value.path == "#/properties/a~1b/items"
