"""The requirements for a caller's schema; a bad schema costs nothing but its refusal."""

import json
import re
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.utils.json_schema import dereference_refs
from pydantic import BaseModel

from answergraph import FromContext, create_agent
from answergraph.answers.untrusted.untrusted_schema import (
    MAX_PATTERN_CHARACTERS,
    MAX_PATTERNS,
    MAX_SCHEMA_BYTES,
    MAX_SCHEMA_DEPTH,
    MAX_SCHEMAS_PER_VALUE,
    MAX_SUBSCHEMAS,
    PATTERN_OPTIONS,
    UntrustedSchemaError,
    check_untrusted_schema,
)
from answergraph.testing import ScriptedChatModel
from tests.answergraph.json_schema.drawn_schemas import Kinds, schemas

STRING = {"type": "string"}
DEEP = 100_000


class Branch(BaseModel):
    value: int
    children: "list[Branch]" = []


def of(properties: dict[str, Any], **definitions: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "$defs": definitions}


def deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = STRING
    for _ in range(levels):
        schema = {"not": schema}
    return schema


def inside_itself() -> dict[str, Any]:
    schema = of({})
    schema["properties"]["me"] = schema
    return schema


def doubling(make: Callable[[Any], Any], levels: int) -> dict[str, Any]:
    value: Any = STRING
    for _ in range(levels):
        value = make(value)
    return of({"a": value})


def chain_of_doubles(levels: int) -> dict[str, Any]:
    links = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]} for n in range(levels)}
    return of({"a": {"$ref": "#/$defs/d0"}}, **links, **{f"d{levels}": STRING})


def pattern(text: str) -> dict[str, Any]:
    return of({"a": {"type": "string", "pattern": text}})


REFUSED: dict[str, tuple[object, str]] = {
    "nothing": (None, "A JSON Schema is an object, not NoneType"),
    "a list": ([STRING], "not list"),
    "true": (True, "not bool"),
    "text": ('{"type": "object"}', "not str"),
    "no schema": ({"type": 5}, "not a valid JSON Schema"),
    "a wrong limit": (of({"a": {"minLength": -1}}), "not a valid JSON Schema"),
    "a set": ({"enum": [{1}]}, "which JSON cannot express"),
    "bytes": ({"const": b"x"}, "which JSON cannot express"),
    "not a number": ({"const": float("nan")}, "which JSON cannot express"),
    "a number too long": ({"maximum": 10**5_000}, "which JSON cannot express"),
    "half a character": ({"title": "\ud800"}, "which JSON cannot express"),
    "a key of half a character": (of({"\ud800": STRING}), "which JSON cannot express"),
    "a key that is a number": ({"properties": {1: STRING}}, "a key that is not a string"),
    "much text": ({"title": "x" * MAX_SCHEMA_BYTES}, "over 65536 bytes"),
    "much text of wide characters": ({"title": "😀" * (MAX_SCHEMA_BYTES // 4)}, "over 65536 bytes"),
    "many values": ({"enum": [0] * 1_000_000}, "over 65536 bytes"),
    "deeper than is taken": (deep(MAX_SCHEMA_DEPTH), "nested deeper than 64 levels"),
    "deeper than the stack": (deep(DEEP), "nested deeper than 64 levels"),
    "inside itself": (inside_itself(), "nested deeper than 64 levels"),
    "one object a billion times": (doubling(lambda value: {"anyOf": [value, value]}, 28), "over 65536 bytes"),
    "many properties": (of({f"{number}": {} for number in range(MAX_SUBSCHEMAS)}), "over 2000 properties"),
    "an address as reference": (of({"a": {"$ref": "https://example.com/s.json"}}), "points outside the schema"),
    "a file as reference": (of({"a": {"$ref": "file:///etc/passwd"}}), "points outside the schema"),
    "a relative reference": (of({"a": {"$ref": "other.json#/a"}}), "points outside the schema"),
    "a reference to nothing": (of({"a": {"$ref": "#/$defs/missing"}}), "leads to no schema"),
    "a reference to what is no schema": (of({"a": {"$ref": "#/properties/a/default"}, "default": {}}), "leads to no schema"),
    "a reference that is no text": (of({"a": {"$ref": {}}}), "points outside the schema"),
    "an address inside": (of({"a": {"$id": "https://example.com/", "$ref": "x"}}), "'$id' at"),
    "an anchor": (of({"a": {"$anchor": "a"}}), "'$anchor' at"),
    "a dynamic reference": (of({"a": {"$dynamicRef": "#a"}}), "'$dynamicRef' at"),
    "an unknown draft": ({"$schema": "http://json-schema.org/draft-03/schema#"}, "names no known draft"),
    "a draft inside": (of({"a": {"$schema": "http://json-schema.org/draft-07/schema#"}}), "'$schema' at"),
    "itself": ({"$ref": "#"}, "refers to itself"),
    "itself in a circle": (
        of({"a": {"$ref": "#/$defs/D"}}, D={"$ref": "#/$defs/E"}, E={"$ref": "#/$defs/D"}),
        "refers to itself",
    ),
    "itself through not": (of({"a": {"$ref": "#/$defs/D"}}, D={"not": {"$ref": "#/$defs/D"}}), "refers to itself"),
    "itself unused": (of({}, D={"anyOf": [STRING, {"$ref": "#/$defs/D"}]}), "refers to itself"),
    "parts that double": (chain_of_doubles(30), f"Over {MAX_SCHEMAS_PER_VALUE} schemas apply to one value"),
    "look-around": (pattern("^(?!a)"), "look-around"),
    "a back reference": (pattern(r"(a)\1"), "back references"),
    "no pattern": (pattern("["), "not allowed"),
    "a pattern that grows": (pattern("((a{0,100}){0,100}){0,100}"), "too large"),
    "a long pattern": (pattern("a" * (MAX_PATTERN_CHARACTERS + 1)), "over 500 characters"),
    "a name that is a costly pattern": ({"patternProperties": {"(?=a)": STRING}}, "look-around"),
    "many patterns": (of({f"{number}": {"pattern": "a"} for number in range(MAX_PATTERNS + 1)}), "over 50 regular"),
}


@pytest.mark.parametrize(("schema", "message"), REFUSED.values(), ids=REFUSED)
def test_an_invalid_or_costly_schema_is_refused_with_what_to_change(schema: object, message: str) -> None:
    with pytest.raises(UntrustedSchemaError, match=re.escape(message)) as caught:
        check_untrusted_schema(schema)
    assert len(str(caught.value)) < 600
    assert str(caught.value).isascii() or "…" in str(caught.value)


@pytest.mark.parametrize(
    "schema",
    [
        {},
        Branch.model_json_schema(),
        deep(MAX_SCHEMA_DEPTH - 2),
        chain_of_doubles(6),
        pattern(r"^[\w.+-]{1,64}@[\w-]+\.[\w.-]+$"),
        of({"$id": STRING, "$schema": STRING, "pattern": STRING, "enum": STRING}),
        of({"a": {"const": {"$id": "https://example.com"}}, "b": {"default": {"$id": "x"}}}),
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            **of({"a": {"$ref": "#/definitions/A"}}),
            "definitions": {"A": STRING},
        },
    ],
    ids=range(8),
)
def test_an_ordinary_schema_is_accepted_unchanged(schema: dict[str, Any]) -> None:
    checked = check_untrusted_schema(schema)
    assert checked == schema
    assert checked is not schema


@pytest.mark.parametrize(
    "schema",
    [
        of({"a/b~c": STRING, "d": {"$ref": "#/properties/a~1b~0c"}}),
        of({"e f": STRING, "d": {"$ref": "#/properties/e%20f"}}),
        of({"d": {"$ref": "#/%24defs/s"}}, s=STRING),
    ],
    ids=range(3),
)
def test_an_escaped_reference_is_one_that_every_client_can_follow(schema: dict[str, Any]) -> None:
    agent = create_agent(ScriptedChatModel(replies=['{"d": "x"}']), response_format=FromContext(), context_schema=dict)
    for checked in (check_untrusted_schema(schema), dereference_refs(check_untrusted_schema(schema))):
        assert jsonschema_rs.is_valid(checked, {"d": "x"})
        assert not jsonschema_rs.is_valid(checked, {"d": 1})
    result = agent.invoke({"messages": ["?"]}, context={"response_format": {"title": "D", **schema}})
    assert result["structured_response"] == {"d": "x"}


def chain_in_properties(steps: int) -> dict[str, Any]:
    """Refer twice to the next step, from two properties: expanded, the schema doubles with each step."""
    twice = {f"s{at}": of({name: {"$ref": f"#/$defs/s{at + 1}"} for name in "ab"}) for at in range(steps)}
    return of({"a": {"$ref": "#/$defs/s0"}}, **twice, **{f"s{steps}": STRING})


@pytest.mark.parametrize(
    "schema",
    [
        of({"a": {"const": {"$ref": "#/nowhere"}}}),
        of({"a": {"default": {"$ref": "#/nowhere"}}}),
        of({"a": {"enum": [{"$ref": "#/nowhere"}]}}),
        of({"a": {"examples": [{"$ref": "https://example.com"}]}}),
        of({"$ref": STRING}),
        chain_in_properties(12),
        chain_in_properties(400),
        of({}, **{f"d{at}": of({f"p{to}": {"$ref": f"#/$defs/d{to}"} for to in range(12)}) for at in range(12)}),
        of({"a": {"$ref": "#/$defs/d0"}}, **{f"d{at}": {"$ref": f"#/$defs/d{at + 1}"} for at in range(600)}, d600=STRING),
    ],
    ids=range(9),
)
def test_references_that_clients_cannot_follow_are_refused(schema: dict[str, Any]) -> None:
    started = time.process_time()
    with pytest.raises(UntrustedSchemaError, match=r"is named '\$ref'|References lead"):
        check_untrusted_schema(schema)
    assert time.process_time() - started < 2


def test_a_large_definition_may_not_be_referred_to_often() -> None:
    large = {"enum": [f"{'x' * 60}{at}" for at in range(600)]}
    few = of({f"p{at}": {"$ref": "#/$defs/large"} for at in range(5)}, large=large)
    many = of({f"p{at}": {"$ref": "#/$defs/large"} for at in range(300)}, large=large)
    assert check_untrusted_schema(few) == few
    with pytest.raises(UntrustedSchemaError, match="With references replaced, the JSON Schema has over 524288 characters"):
        check_untrusted_schema(many)


def test_the_address_that_a_schema_gives_itself_is_dropped() -> None:
    assert check_untrusted_schema({"$id": "https://example.com/s.json", **STRING}) == STRING


def test_the_copy_is_the_callers_no_more() -> None:
    schema = of({"a": {"enum": ["x"]}})
    checked = check_untrusted_schema(schema)
    schema["properties"]["a"]["enum"].append("y")
    assert checked["properties"]["a"] == {"enum": ["x"]}


class _Asked(BaseHTTPRequestHandler):
    paths: list[str] = []  # noqa: RUF012 - one list for the one server of the test

    def do_GET(self) -> None:
        self.paths.append(self.path)
        self.send_error(404)

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize("keyword", ["$schema", "$id", "$ref", "$dynamicRef", "$recursiveRef"])
def test_no_address_in_a_schema_is_ever_asked(keyword: str) -> None:
    with HTTPServer(("127.0.0.1", 0), _Asked) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/{keyword}"
        for schema in ({keyword: address, **STRING}, of({"a": {keyword: address}})):
            try:
                check_untrusted_schema(schema)
            except UntrustedSchemaError:
                continue
        server.shutdown()
    assert _Asked.paths == []


@pytest.mark.parametrize("text", ["^(a+)+$", "^(a|aa)+$", "(a*)*b", "^(a|a?)+$", "(.*a){20}"])
def test_a_pattern_made_to_be_slow_is_taken_and_fast(text: str) -> None:
    checked = check_untrusted_schema(pattern(text))
    validator = jsonschema_rs.validator_for(checked, pattern_options=PATTERN_OPTIONS)
    assert not validator.is_valid({"a": "c" * 100_000 + "!"})
    validator.is_valid({"a": "a" * 100_000 + "!"})


KEYWORDS = [
    "type",
    "properties",
    "items",
    "anyOf",
    "not",
    "$ref",
    "$defs",
    "$id",
    "$schema",
    "enum",
    "pattern",
    "patternProperties",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.sampled_from(["object", "#", "#/$defs/a"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYWORDS) | st.text(max_size=2), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(KEYWORDS), JSON) | JSON)
@settings(deadline=None)
def test_any_json_is_taken_or_refused(schema: Any) -> None:
    try:
        checked = check_untrusted_schema(schema)
    except UntrustedSchemaError:
        return
    assert json.loads(json.dumps(checked)) == {key: value for key, value in schema.items() if key != "$id"}
    jsonschema_rs.validator_for(checked, pattern_options=PATTERN_OPTIONS).is_valid({"a": [1]})


@given(schemas(Kinds(limits=True, unions=True, parts=True)))
@settings(deadline=None, max_examples=50)
def test_every_schema_of_ordinary_parts_is_taken(schema: dict[str, Any]) -> None:
    assert check_untrusted_schema(schema) == schema
