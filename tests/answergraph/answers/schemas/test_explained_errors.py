"""Why an answer does not fit a JSON Schema: exact for ordinary answers, within a budget for hostile ones."""

import json
from typing import Any, Literal, Union

import pytest
from langchain_core.messages import AIMessage
from pydantic import create_model

from answergraph import PromptedStrategy, create_agent
from answergraph.answers.schemas.explained_errors import MAX_ERRORS, MAX_MESSAGE_CHARACTERS
from answergraph.answers.schemas.json_schema_validator import SchemaMismatchError, json_schema_validator
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

CONSTANTS: Any = [Literal[f"k{at}"] for at in range(60)]
Located = list[tuple[tuple[str | int, ...], str]]


def located(schema: dict[str, Any], answer: Any) -> Located:
    with pytest.raises(SchemaMismatchError) as caught:
        json_schema_validator(schema).validate(answer)
    return caught.value.located


def member(number: int) -> dict[str, Any]:
    properties = {"kind": {"const": f"k{number}"}, "n": {"type": "integer"}}
    return {"type": "object", "properties": properties, "required": ["kind", "n"]}


def steps(members: int) -> dict[str, Any]:
    names = {f"M{at}": member(at) for at in range(members)}
    union = {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in names]}
    return {"type": "object", "properties": {"steps": {"type": "array", "items": union}}, "required": ["steps"], "$defs": names}


def test_each_wrong_field_is_named_with_its_place() -> None:
    schema = {"properties": {"a": {"type": "integer"}, "b": {"items": {"maxLength": 2}}}, "required": ["c"]}
    assert sorted(located(schema, {"a": "x", "b": ["y", "long"]})) == [
        ((), '"c" is a required property'),
        (("a",), '"x" is not of type "integer"'),
        (("b", 1), '"long" is longer than 2 characters'),
    ]


@pytest.mark.parametrize("items", [1, 2_000])
@pytest.mark.parametrize("members", [2, 200])
def test_a_member_of_a_union_is_explained_by_its_constant(items: int, members: int) -> None:
    answer = {"steps": [*[{"kind": "k1", "n": 1}] * items, {"kind": "k1", "n": "x"}, {"kind": "k0"}]}
    assert located(steps(members), answer) == [
        (("steps", items, "n"), '"x" is not of type "integer"'),
        (("steps", items + 1), '"n" is a required property'),
    ]


def test_a_value_of_no_member_is_refused_as_a_whole() -> None:
    ((place, sentence),) = located(steps(3), {"steps": [{"kind": "k9"}]})
    assert place == ("steps", 0)
    assert "not valid under any of the schemas" in sentence


def test_a_missing_field_of_a_large_answer_is_named() -> None:
    assert located(steps(200), {"other": ["x" * 100] * 5_000}) == [((), '"steps" is a required property')]


def test_a_large_value_that_fits_no_part_is_refused_in_a_sentence() -> None:
    alternatives = {"anyOf": [{"required": [f"p{at}"]} for at in range(300)]}
    assert located(alternatives, {"other": "x" * 1_000_000}) == [
        ((), "it does not fit the schema, and is too large to say where")
    ]


def test_errors_and_their_texts_are_bounded() -> None:
    errors = located({"items": {"type": "integer"}}, ["x" * 1_000] * 100)
    assert len(errors) == MAX_ERRORS
    assert max(len(sentence) for _, sentence in errors) <= MAX_MESSAGE_CHARACTERS + 1


def test_a_part_behind_pattern_properties_and_lists_of_places_is_searched() -> None:
    pair = {"prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False}
    schema = {"properties": {"a/b": {"additionalProperties": pair}}, "patternProperties": {"^x": {"type": "null"}}}
    many = {f"k{at}": ["y" * 1_000, 1] for at in range(1_000)}
    assert located(schema, {"a/b": {**many, "last": ["z", "w"]}}) == [(("a/b", "last", 1), '"w" is not of type "integer"')]


@pytest.mark.parametrize("width", [2, 14])
def test_a_deep_answer_to_a_recursive_union_is_explained_within_the_budget(width: int) -> None:
    members = [{"properties": {f"p{at}": {"$ref": "#/$defs/N"}}, "required": [f"p{at}"]} for at in range(width)]
    schema = {"$ref": "#/$defs/N", "$defs": {"N": {"type": "object", "anyOf": members}}}
    answer: Any = {}
    for _ in range(60):
        answer = {"p0": answer}
    assert 1 <= len(located(schema, answer)) <= MAX_ERRORS


def test_a_schema_that_refers_to_itself_without_end_has_an_answer_refused() -> None:
    assert located({"properties": {"a": {"$ref": "#"}}, "required": ["a"]}, {"a": {}}) == [(("a",), '"a" is a required property')]


def test_a_schema_with_an_address_of_its_own_is_explained() -> None:
    schema = {
        "$id": "https://example.org/s",
        "title": "S",
        "properties": {"a": {"$ref": "#/$defs/A"}},
        "$defs": {"A": {"type": "null"}},
    }
    assert located(schema, {"a": 1}) == [(("a",), '1 is not of type "null"')]
    assert located(schema, {"a": "x" * 1_000_000}) == [(("a",), "it does not fit the schema, and is too large to say where")]


def test_the_errors_of_a_declared_union_are_bounded_too(run: Run) -> None:
    members: Any = tuple(create_model(f"M{at}", kind=(CONSTANTS[at], ...), n=(int, ...)) for at in range(60))
    answers: Any = list[Union[members]]  # noqa: UP007 - made at run time
    text = json.dumps([*[{"kind": "k1", "n": 1}] * 500, *[{"kind": "k2"}] * 500])
    agent = create_agent(ScriptedChatModel(replies=[AIMessage(text), AIMessage(text)]), response_format=PromptedStrategy(answers))
    outcome = run(agent, {"messages": ["?"]})["outcome"]
    assert outcome["status"] == "invalid"
    assert outcome["attempts"][0]["fields"]["[500]"] == '"n" is a required property'
