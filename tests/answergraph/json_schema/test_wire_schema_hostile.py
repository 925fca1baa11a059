"""Schemas made to break the compiler: it refuses them at once, or compiles them in time with their size."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from answergraph.json_schema.dialects import Dialect, SchemaNotExpressible
from answergraph.json_schema.wire_schema import wire_schema
from tests.answergraph.json_schema.compiling import compile_schema

OPENAI = Dialect.OPENAI_STRICT
STRING = {"type": "string"}
DEPTH = 100_000


def of(properties: dict[str, Any], **definitions: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "$defs": definitions}


def deep(keyword: str) -> dict[str, Any]:
    schema: dict[str, Any] = STRING
    for _ in range(DEPTH):
        schema = {"type": "object", keyword: {"a": schema}} if keyword == "properties" else {keyword: [schema]}
    return of({"a": schema})


def chain(count: int, link: Any) -> dict[str, Any]:
    """Return a schema of definitions that each lead to the next by ``link(reference)``."""
    links = {f"d{number}": link({"$ref": f"#/$defs/d{number + 1}"}) for number in range(count)}
    return of({"a": {"$ref": "#/$defs/d0"}}, **links, **{f"d{count}": STRING})


def inside_itself() -> dict[str, Any]:
    schema = of({})
    schema["properties"]["me"] = schema
    return schema


REFUSED: dict[str, dict[str, Any]] = {
    "deep properties": deep("properties"),
    "deep anyOf": deep("anyOf"),
    "deep allOf": deep("allOf"),
    "inside itself": inside_itself(),
    "a reference to itself": of({"a": {"$ref": "#/$defs/D"}}, D={"$ref": "#/$defs/D"}),
    "a circle of references": of({"a": {"$ref": "#/$defs/D"}}, D={"$ref": "#/$defs/E"}, E={"$ref": "#/$defs/D"}),
    "a circle through a union": of({"a": {"$ref": "#/$defs/D"}}, D={"anyOf": [STRING, {"$ref": "#/$defs/D"}]}),
    "the root is itself": {"$ref": "#"},
    "merged with itself": of({"a": {"$ref": "#/$defs/D"}}, D={"allOf": [of({"x": STRING}), {"$ref": "#/$defs/D"}]}),
    "two recursions merged": of(
        {"a": {"allOf": [{"$ref": "#/$defs/D"}, {"$ref": "#/$defs/E"}]}},
        D=of({"n": {"$ref": "#/$defs/D"}}),
        E=of({"n": {"$ref": "#/$defs/E"}}),
    ),
    "a large part beside a large union": of(
        {"a": {**of(dict.fromkeys(map(str, range(3_000)), STRING)), "anyOf": [of({f"x{n}": STRING}) for n in range(3_000)]}}
    ),
    "merges in a long chain": chain(5_000, lambda reference: {"allOf": [reference, {"type": "string"}]}),
}


@pytest.mark.parametrize("schema", REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("dialect", [OPENAI, Dialect.ANTHROPIC])
def test_a_schema_without_end_or_measure_is_refused(dialect: Dialect, schema: dict[str, Any]) -> None:
    with pytest.raises(SchemaNotExpressible) as caught:
        compile_schema(schema, dialect)
    assert len(str(caught.value)) < 600


def test_parts_that_double_at_each_step_are_merged_once_each() -> None:
    wire = compile_schema(chain(40, lambda reference: {"allOf": [reference, reference]}), OPENAI)
    assert len(wire["$defs"]) == 41


def test_a_long_chain_of_unions_is_followed_without_going_deep() -> None:
    wire = wire_schema(chain(3_000, lambda reference: {"anyOf": [reference, {"type": "integer"}]}), OPENAI)
    assert len(wire.schema["$defs"]) == 3_001
    assert wire.restore({"a": [None]}) == {"a": [None]}


def sent_by_turns(depth: int) -> dict[str, Any]:
    answer: dict[str, Any] = {"next": None, "x": None}
    for _ in range(depth):
        answer = {"next": answer, "x": None}
    return answer


def test_unions_in_unions_do_not_multiply_when_an_answer_is_restored() -> None:
    member = {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}, "x": STRING}}
    wire = wire_schema(of({"a": {"$ref": "#/$defs/N"}}, N={"anyOf": [member, member, member]}), OPENAI)
    restored = wire.restore({"a": sent_by_turns(25)})
    assert restored["a"]["next"]["next"]["next"].keys() == {"next"}


def test_a_very_deep_answer_is_restored_down_to_the_limit() -> None:
    schema = {"type": "object", "properties": {"next": {"$ref": "#"}, "x": STRING}}
    restored = wire_schema(schema, OPENAI).restore(sent_by_turns(DEPTH))
    assert "x" not in restored["next"]
    innermost = itertools.islice(followed(restored), DEPTH - 1, None)
    assert next(innermost).keys() == {"next", "x"}


def followed(answer: dict[str, Any]) -> Iterator[dict[str, Any]]:
    while answer is not None:
        yield answer
        answer = answer["next"]


@pytest.mark.parametrize(
    ("keyword", "value"),
    [
        ("type", 5), ("type", []), ("type", ["string", {}]), ("properties", []), ("properties", {"a": 5}), ("required", "a"),
        ("required", [5]), ("enum", []), ("enum", "x"), ("enum", [float("nan")]), ("enum", [10**5_000]), ("anyOf", []),
        ("anyOf", {}), ("allOf", 5), ("items", 5), ("$ref", 5), ("$ref", "#/properties/a/enum/9"), ("prefixItems", {}),
        ("additionalProperties", "x"),
    ],
    ids=range(19),
)  # fmt: skip
def test_keywords_of_the_wrong_shape_are_refused_by_name_or_place(keyword: str, value: Any) -> None:
    with pytest.raises(SchemaNotExpressible, match="#/properties/a"):
        compile_schema(of({"a": {"type": "array", "items": STRING, keyword: value}}), OPENAI)


@pytest.mark.parametrize("value", [10**5_000, float("inf"), "x", None, True, [[]] * 5, {"a": 1}], ids=range(7))
def test_limits_of_the_wrong_shape_are_not_sent(value: Any) -> None:
    wire = compile_schema(of({"a": {"type": "integer", "minimum": value, "default": value}}), OPENAI)
    assert wire["properties"]["a"].keys() <= {"type", "description"}
