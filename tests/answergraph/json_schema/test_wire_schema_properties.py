"""Properties that hold for every schema and every answer."""

import copy
import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from answergraph.json_schema.dialects import Dialect, SchemaNotExpressible
from answergraph.json_schema.wire_schema import WireSchema, wire_schema
from tests.answergraph.json_schema.compiling import compile_schema
from tests.answergraph.json_schema.drawn_schemas import Kinds, instances, schemas
from tests.answergraph.json_schema.openai_rules import violations

SIMPLE = Kinds(unions=True)
ALL = Kinds(limits=True, unions=True, parts=True)
DIALECTS = [Dialect.OPENAI_STRICT, Dialect.ANTHROPIC, Dialect.GEMINI]
slow_to_draw = settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])

KEYWORDS = ["type", "properties", "items", "anyOf", "allOf", "oneOf", "$ref", "$defs", "a", "enum", "const", "required"]
KEYWORDS += ["additionalProperties", "prefixItems", "minLength", "minimum", "format", "pattern", "default", "description"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.sampled_from(["string", "object", "#", "#/$defs/a", "a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYWORDS), inner, max_size=4),
    max_leaves=12,
)


def compiled(schema: dict[str, Any], dialect: Dialect) -> WireSchema | None:
    try:
        return wire_schema(schema, dialect)
    except SchemaNotExpressible:
        return None


@given(schemas(ALL))
@slow_to_draw
def test_a_compiled_schema_keeps_to_what_openai_documents(schema: dict[str, Any]) -> None:
    assert violations(compile_schema(schema, Dialect.OPENAI_STRICT)) == []


@given(st.data())
@slow_to_draw
def test_what_fits_the_full_schema_can_be_sent_and_comes_back_the_same(data: st.DataObject) -> None:
    schema = data.draw(schemas(ALL))
    instance = data.draw(instances(schema))
    wire = wire_schema(schema, Dialect.OPENAI_STRICT)
    jsonschema_rs.validate(schema, instance.full)
    jsonschema_rs.validate(wire.schema, instance.wire)
    assert wire.restore(instance.wire) == instance.full


@given(st.data())
@slow_to_draw
def test_what_fits_a_compiled_schema_of_kept_keywords_only_fits_the_full_one_once_restored(data: st.DataObject) -> None:
    schema = data.draw(schemas(SIMPLE))
    wire = wire_schema(schema, Dialect.OPENAI_STRICT)
    sent = data.draw(instances(wire.schema)).full
    jsonschema_rs.validate(schema, wire.restore(sent))


@pytest.mark.parametrize("dialect", [Dialect.ANTHROPIC, Dialect.GEMINI])
@given(st.data())
@slow_to_draw
def test_the_other_dialects_take_what_the_full_schema_takes_and_leave_it_alone(dialect: Dialect, data: st.DataObject) -> None:
    schema = data.draw(schemas(ALL))
    wire = compiled(schema, dialect)
    if wire is not None:
        instance = data.draw(instances(schema)).full
        jsonschema_rs.validate(wire.schema, instance)
        assert wire.restore(instance) is instance


@pytest.mark.parametrize("dialect", DIALECTS)
@given(schema=schemas(ALL))
@slow_to_draw
def test_compiling_twice_changes_nothing_more(dialect: Dialect, schema: dict[str, Any]) -> None:
    wire = compiled(schema, dialect)
    if wire is not None:
        assert json.dumps(compile_schema(wire.schema, dialect)) == json.dumps(wire.schema)


@given(schemas(ALL))
@slow_to_draw
def test_properties_keep_their_order(schema: dict[str, Any]) -> None:
    wire = compile_schema(schema, Dialect.OPENAI_STRICT)
    assert list(wire["properties"]) == wire["required"] == list(schema["properties"])


@pytest.mark.parametrize("dialect", list(Dialect))
@given(schema=schemas(ALL))
@slow_to_draw
def test_the_schema_and_the_answer_are_not_changed_and_the_same_comes_out_again(dialect: Dialect, schema: dict[str, Any]) -> None:
    before = copy.deepcopy(schema)
    wires = [compiled(schema, dialect), compiled(copy.deepcopy(schema), dialect)]
    assert schema == before
    if wires[0] is not None and wires[1] is not None:
        assert json.dumps(wires[0].schema) == json.dumps(wires[1].schema)
        answer: dict[str, Any] = dict.fromkeys(schema["properties"])
        wires[0].restore(answer)
        assert answer == dict.fromkeys(schema["properties"])


@pytest.mark.parametrize("dialect", DIALECTS)
@given(schema=st.dictionaries(st.sampled_from(["type", "properties", "$defs", "$ref", "allOf", "anyOf", "items"]), JSON))
@slow_to_draw
def test_any_json_is_compiled_or_refused(dialect: Dialect, schema: dict[str, Any]) -> None:
    wire = compiled({"type": "object", "properties": {"a": schema}, "$defs": {"a": schema}}, dialect)
    if wire is not None:
        assert json.dumps(compile_schema(wire.schema, dialect)) == json.dumps(wire.schema)
        assert dialect is not Dialect.OPENAI_STRICT or violations(wire.schema) == []


@given(schemas(ALL), JSON)
@slow_to_draw
def test_any_answer_is_restored_without_an_error(schema: dict[str, Any], answer: Any) -> None:
    wire = wire_schema(schema, Dialect.OPENAI_STRICT)
    wire.restore(answer)
    wire.restore({name: answer for name in schema["properties"]})
