"""The depth at which a validator's reasons multiply."""

from typing import Any

import jsonschema_rs
import pytest

from answergraph.answers.schemas.json_schema_validator import MAX_EXPLAINED_DEPTH, explained_depth
from answergraph.json_text.json_depth import is_deeper

NEXT = {"properties": {"n": {"$ref": "#/$defs/N"}}, "required": ["n"]}


def recurring(schema: dict[str, Any]) -> dict[str, Any]:
    return {"$ref": "#/$defs/N", "$defs": {"N": schema}}


def nested(depth: int, innermost: Any) -> Any:
    return {"n": nested(depth - 1, innermost)} if depth > 1 else innermost


@pytest.mark.parametrize(
    ("schema", "depth"),
    [
        ({"type": "object", "properties": {"a": {"type": "string"}}}, MAX_EXPLAINED_DEPTH),
        (recurring(NEXT), MAX_EXPLAINED_DEPTH),
        (recurring({"properties": {"left": {"$ref": "#/$defs/N"}, "right": {"$ref": "#/$defs/N"}}}), MAX_EXPLAINED_DEPTH),
        (recurring({"type": "array", "items": {"$ref": "#/$defs/N"}}), MAX_EXPLAINED_DEPTH),
        (recurring({"anyOf": [NEXT, NEXT]}), 7),
        (recurring({"anyOf": [NEXT] * 10}), 2),
        (recurring({"anyOf": [NEXT] * 1_000}), 0),
        ({"$ref": "#"}, 0),
    ],
    ids=["plain", "a list", "a tree", "lists in lists", "two members", "ten members", "many members", "endless"],
)
def test_only_unions_that_recur_keep_the_reasons_shallow(schema: dict[str, Any], depth: int) -> None:
    assert explained_depth(schema) == depth


@pytest.mark.parametrize(("members", "most"), [(2, 1_000), (10, 5_000)])
def test_an_answer_of_that_depth_is_explained_with_few_reasons(members: int, most: int) -> None:
    schema = recurring({"anyOf": [NEXT] * members})
    answer = nested(explained_depth(schema), {})
    errors = list(jsonschema_rs.validator_for(schema).iter_errors(answer))
    assert len(errors) == 1
    assert 100 < reasons(errors[0]) < most


def reasons(error: Any) -> int:
    context = getattr(error.kind, "context", [])
    return 1 + sum(reasons(inner) for branch in context for inner in branch)


@pytest.mark.parametrize(
    ("answer", "depth"), [("x", 0), ({}, 1), ([], 1), ({"a": 1}, 1), ({"a": []}, 2), ([{"a": {}}], 3), (nested(9, {}), 9)]
)
def test_the_depth_of_an_answer_is_of_objects_and_lists(answer: Any, depth: int) -> None:
    assert not is_deeper(answer, depth)
    assert depth == 0 or is_deeper(answer, depth - 1)
