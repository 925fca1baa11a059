"""JSON Schemas for property tests, each with instances: valid under the full schema, and as a model sends them on the wire."""

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

NAMES = ["a", "b", "c", "d"]
SCALARS = ["string", "integer", "number", "boolean"]
MISSING = object()


@dataclass(frozen=True)
class Instance:
    full: Any
    wire: Any


@dataclass(frozen=True)
class Kinds:
    """The parts of the drawn schemas.

    Attributes:
        limits: Limits on values, some of which OpenAI refuses.
        unions: Unions of objects that a fixed value distinguishes.
        parts: ``allOf``, tuples, references, ``const``.
    """

    limits: bool = False
    unions: bool = False
    parts: bool = False


def scalar_schemas(kinds: Kinds) -> st.SearchStrategy[dict[str, Any]]:
    plain = st.sampled_from(SCALARS).map(lambda name: {"type": name})
    or_null = st.sampled_from(SCALARS).map(lambda name: {"type": [name, "null"]})
    enums = st.lists(st.sampled_from(["x", "y", 1, 2, True, None]), min_size=1, max_size=4, unique_by=repr)
    choices: list[st.SearchStrategy[dict[str, Any]]] = [plain, or_null]
    choices.append(enums.map(lambda values: {"enum": values}))
    if kinds.limits:
        choices += [
            st.integers(0, 3).map(lambda most: {"type": "string", "maxLength": most, "default": "x"}),
            st.integers(-3, 3).map(lambda least: {"type": "integer", "minimum": least, "description": "A number."}),
        ]
    if kinds.parts:
        choices += [
            st.sampled_from(["x", 1, None]).map(lambda value: {"const": value}),
            st.integers(0, 3).map(
                lambda least: {"allOf": [{"type": ["integer", "string"]}, {"type": "integer", "minimum": least}]}
            ),
            st.sampled_from(SCALARS).map(lambda name: {"$ref": f"#/$defs/{name}", "description": "Defined."}),
        ]
    return st.one_of(choices)


@st.composite
def object_schemas(draw: st.DrawFn, kinds: Kinds, inner: st.SearchStrategy[dict[str, Any]]) -> dict[str, Any]:
    names = draw(st.lists(st.sampled_from(NAMES), max_size=3, unique=True))
    schema = {"type": "object", "properties": {name: draw(inner) for name in names}}
    required = draw(st.lists(st.sampled_from(names), unique=True)) if names else []
    closed: dict[str, Any] = draw(st.sampled_from([{}, {"additionalProperties": False}]))
    return {**schema, "required": required, **closed}


@st.composite
def union_schemas(draw: st.DrawFn, kinds: Kinds, inner: st.SearchStrategy[dict[str, Any]]) -> dict[str, Any]:
    members = []
    for index in range(draw(st.integers(1, 3))):
        member = draw(object_schemas(kinds, inner))
        properties = {"kind": {"const": f"k{index}"}, **member["properties"]}
        members.append({**member, "properties": properties, "required": ["kind", *member["required"]]})
    return {draw(st.sampled_from(["anyOf", "oneOf"])): members}


def schemas(kinds: Kinds) -> st.SearchStrategy[dict[str, Any]]:
    def around(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
        choices = [object_schemas(kinds, inner), inner.map(lambda items: {"type": "array", "items": items})]
        if kinds.unions:
            choices.append(union_schemas(kinds, inner))
        if kinds.parts:
            choices.append(st.lists(inner, min_size=1, max_size=3).map(closed_tuple))
        return st.one_of(choices)

    inner = st.recursive(scalar_schemas(kinds), around, max_leaves=8)
    definitions = {name: {"type": name} for name in SCALARS}
    return object_schemas(kinds, inner).map(lambda schema: {**schema, "$defs": definitions} if kinds.parts else schema)


def closed_tuple(parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "array", "prefixItems": parts, "minItems": len(parts), "maxItems": len(parts)}


@st.composite
def instances(draw: st.DrawFn, schema: dict[str, Any]) -> Instance:
    """Draw a valid instance of a schema, and the same with null for each omitted property."""
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return draw(instances(draw(st.sampled_from(schema[union]))))
    if schema.get("type") == "object":
        return draw(objects(schema))
    if schema.get("type") == "array":
        drawn = [draw(instances(each)) for each in draw(items(schema))]
        return Instance([each.full for each in drawn], [each.wire for each in drawn])
    value = draw(scalars(schema))
    return Instance(value, value)


@st.composite
def items(draw: st.DrawFn, schema: dict[str, Any]) -> list[dict[str, Any]]:
    return list(schema.get("prefixItems") or [schema["items"]] * draw(st.integers(0, 2)))


@st.composite
def objects(draw: st.DrawFn, schema: dict[str, Any]) -> Instance:
    full, wire = {}, {}
    for name, inner in schema["properties"].items():
        drawn = draw(instances(inner))
        if name in schema["required"] or draw(st.booleans()):
            full[name], wire[name] = drawn.full, drawn.wire
        else:
            wire[name] = None
            if takes_null(inner):
                full[name] = None  # null is a value there and must not be removed
    return Instance(full, wire)


def takes_null(schema: dict[str, Any]) -> bool:
    return "null" in schema.get("type", ()) or None in schema.get("enum", ()) or schema.get("const", MISSING) is None


def scalars(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "$ref" in schema:
        return of_type(schema["$ref"].removeprefix("#/$defs/"), {})
    if "allOf" in schema:
        return of_type("integer", schema["allOf"][1])
    if "const" in schema or "enum" in schema:
        return st.sampled_from(schema.get("enum") or [schema["const"]])
    declared = schema["type"]
    return st.one_of([of_type(name, schema) for name in ([declared] if isinstance(declared, str) else declared)])


def of_type(name: str, schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    return {
        "string": st.text("xyz", max_size=schema.get("maxLength", 4)),
        "integer": st.integers(schema.get("minimum", -9), 99),
        "number": st.floats(-9, 9),
        "boolean": st.booleans(),
        "null": st.none(),
    }[name]
