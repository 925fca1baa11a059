"""The limits and supported keywords of each provider, from its documentation."""

from typing import Any

import pytest

from answergraph.json_schema.dialects import Dialect, SchemaNotExpressible
from tests.answergraph.json_schema.compiling import compile_schema

STRING = {"type": "string"}
OPENAI, ANTHROPIC, GEMINI = Dialect.OPENAI_STRICT, Dialect.ANTHROPIC, Dialect.GEMINI


def of(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), **more}


def optional(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def nested(levels: int) -> dict[str, Any]:
    return of({"a": nested(levels - 1) if levels > 1 else STRING})


def named(count: int, length: int = 5) -> list[str]:
    return [f"{number:0{length}}" for number in range(count)]


@pytest.mark.parametrize(
    ("taken", "refused", "why"),
    [
        (nested(10), nested(11), "nested deeper than 10 levels"),
        (of(dict.fromkeys(named(5_000), STRING)), of(dict.fromkeys(named(5_001), STRING)), "more than 5000 properties"),
        (of({"a": {"enum": named(1_000)}}), of({"a": {"enum": named(1_001)}}), "more than 1000 values of 'enum'"),
        (
            optional({"a": {"enum": named(999)}}),
            optional({"a": {"enum": named(1_000)}}),
            "more than 1000 values",
        ),
        (
            of(dict.fromkeys(named(119, 1_000), STRING)),
            of(dict.fromkeys(named(121, 1_000), STRING)),
            "more than 120000 characters",
        ),
        (of({"a": {"enum": named(251, 59)}}), of({"a": {"enum": named(251, 60)}}), "an 'enum' of more than 250 values"),
    ],
    ids=["levels", "properties", "enum", "enum with null", "characters", "long enum"],
)
def test_openai_takes_schemas_up_to_its_limits(taken: dict[str, Any], refused: dict[str, Any], why: str) -> None:
    compile_schema(taken, OPENAI)
    with pytest.raises(SchemaNotExpressible, match=why):
        compile_schema(refused, OPENAI)


@pytest.mark.parametrize("dialect", [OPENAI, ANTHROPIC])
@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "additionalProperties": True},
        {"type": "object", "additionalProperties": STRING},
        {"type": "object"},
        of({"a": STRING}, additionalProperties=True),
        of({"a": STRING}, patternProperties={"^x": STRING}),
        of({"a": {}}),
        of({"a": True}),
        of({"a": False}),
        of({"a": {"type": "array"}}),
        of({"a": {"type": "array", "items": False}}),
        of({"a": {"enum": [{"b": 1}]}}),
        {**optional({"a": STRING}), "required": ["a", "b"]},
        of({"a": {"allOf": [STRING, {"type": "integer"}]}}),
        of({"a": {"allOf": [{"pattern": "a", **STRING}, {"pattern": "b"}]}}),
        of({"a": {"allOf": [{"enum": ["a"]}, {"enum": ["b"]}]}}),
        of({"a": {"type": "integer", "enum": ["b"]}}),
        of({"a": {"allOf": [{"minLength": "1", **STRING}, {"minLength": 2}]}}),
        of({"a": {"allOf": [{"type": "array", "items": STRING}, {"items": {"type": "integer"}}]}}),
        of({"a": {"allOf": [optional({"b": STRING}), {"properties": {"b": {"type": "integer"}}}]}}),
        of({"a": {"allOf": [of({"b": STRING}, additionalProperties=False), of({"c": STRING})]}}),
        of({"a": {"allOf": [{"additionalProperties": STRING}, {"additionalProperties": {"type": "integer"}}]}}),
        of({"a": {"type": "object", "anyOf": [STRING, {"type": "integer"}]}}),
        of({"a": {"$ref": "https://example.com/schema.json"}}),
        of({"a": {"$dynamicRef": "#a"}}),
        of({"a": {"$ref": "#/$defs/missing"}}),
        of({"a": {"anyOf": [STRING], "oneOf": [STRING]}}),
    ],
    ids=str,
)
def test_what_a_strict_mode_cannot_say_is_refused(dialect: Dialect, schema: dict[str, Any]) -> None:
    with pytest.raises(SchemaNotExpressible):
        compile_schema(schema, dialect)


@pytest.mark.parametrize("root", [{"anyOf": [of({"a": STRING}), of({"b": STRING})]}, {"type": "array", "items": STRING}, STRING])
def test_openai_wants_an_object_at_the_root(root: dict[str, Any]) -> None:
    with pytest.raises(SchemaNotExpressible, match="the top level must be an object"):
        compile_schema(root, OPENAI)


def test_anthropic_keeps_optional_properties_and_gets_most_limits_in_descriptions() -> None:
    properties = {"a": {"type": "integer", "minimum": 1, "maximum": 5}, "b": {"type": "array", "items": STRING, "minItems": 2}}
    assert compile_schema(optional(properties), ANTHROPIC) == {
        "type": "object",
        "properties": {
            "a": {"description": "Minimum 1; maximum 5", "type": "integer"},
            "b": {"description": "At least 2 items", "type": "array", "items": STRING},
        },
        "additionalProperties": False,
    }


def test_anthropic_keeps_what_it_takes() -> None:
    string = {"type": "string", "format": "uri", "pattern": "^h"}
    array = {"type": "array", "items": {"$ref": "#/$defs/D"}, "minItems": 1}
    schema = {**of({"a": string, "b": array}), "$defs": {"D": {"type": "boolean", "enum": [True]}}}
    assert compile_schema(schema, ANTHROPIC) == {**schema, "additionalProperties": False}


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        (optional({"a": {"$ref": "#"}}), "is recursive, which is not supported"),
        (optional(dict.fromkeys(named(25), STRING)), "more than 24 optional properties"),
        (of({name: {"type": ["string", "null"]} for name in named(17)}), "more than 16 unions"),
    ],
)
def test_anthropic_refuses_recursion_and_much_choice(schema: dict[str, Any], why: str) -> None:
    with pytest.raises(SchemaNotExpressible, match=why):
        compile_schema(schema, ANTHROPIC)


def test_gemini_takes_open_objects_tuples_and_some_limits() -> None:
    schema = of(
        {
            "map": {"type": "object", "additionalProperties": STRING},
            "any": {},
            "pair": {"type": "array", "prefixItems": [STRING, {"type": "number", "maximum": 3}]},
            "few": {"type": "array", "items": STRING, "maxItems": 3},
        }
    )
    assert compile_schema(schema, GEMINI) == schema


def test_gemini_takes_neither_null_nor_booleans_as_fixed_values() -> None:
    schema = of({"a": {"enum": ["x", None]}, "b": {"const": True}, "c": {"enum": [True, False]}})
    assert compile_schema(schema, GEMINI)["properties"] == {
        "a": {"anyOf": [{"type": "string", "enum": ["x"]}, {"type": "null"}]},
        "b": {"description": "One of [true]", "type": "boolean"},
        "c": {"type": "boolean"},
    }


def test_gemini_takes_recursion_through_an_optional_property_only() -> None:
    compile_schema(optional({"a": {"$ref": "#"}}), GEMINI)
    with pytest.raises(SchemaNotExpressible, match="make one of them optional"):
        compile_schema(of({"a": {"type": "array", "items": {"$ref": "#"}}}), GEMINI)
