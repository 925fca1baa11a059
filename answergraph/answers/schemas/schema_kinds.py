"""Makes answer schemas from all supported types."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import lru_cache, reduce
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NewType, Union, get_args, get_origin

from pydantic import BaseModel, Discriminator, RootModel, TypeAdapter
from pydantic.fields import FieldInfo
from typing_extensions import TypeAliasType, is_typeddict

from answergraph.answers.schemas.answer_schema import AnswerSchema, TypeValidator
from answergraph.answers.schemas.json_names import aliased_fields
from answergraph.answers.schemas.known_keys import pointed_at
from answergraph.answers.schemas.type_description import NOT_DESCRIBED, described
from answergraph.answers.schemas.undescribable import advice_for, undescribable_field
from answergraph.runtime.argument_checks import shown
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.recent_cache import MAX_KEPT

MAX_NAME_CHARACTERS = 64
"""Maximum tool name length of OpenAI's API; allowed are letters, digits, ``_`` and ``-``."""

MAX_REFERENCES = 32
"""Maximum length of a chain of references that is followed."""

_ANNOTATIONS = frozenset({"$schema", "$id", "$defs", "definitions", "title", "description", "discriminator", "examples"})
_OBJECT_KEYWORDS = frozenset({"properties", "patternProperties", "required", "minProperties", "maxProperties"})
_SAYING = _OBJECT_KEYWORDS.union(
    ("type", "$ref", "$dynamicRef", "enum", "const", "anyOf", "oneOf", "allOf", "not", "if", "items", "prefixItems", "contains"),
    ("additionalProperties", "propertyNames", "dependentSchemas", "format", "pattern"),
)

_ONLY_INSIDE = (
    "The field {field} is only read from inside another value, and the JSON Schema that a model sees does not say so: no answer "
    "would fit. Write validation_alias=AliasChoices({name!r}, AliasPath(…)), or leave out the alias."
)


def is_schema(declared: object) -> bool:
    # Generic aliases forward attributes to their class, so nothing else may be read from them.
    kinds, forms = (type, dict, tuple, TypeAliasType, NewType, AnswerSchema), (Any, Literal, Union, Annotated)
    return isinstance(declared, kinds) or get_origin(declared) is not None or any(declared is form for form in forms)


def answer_schemas(declared: object) -> tuple[AnswerSchema, ...]:
    """Return one answer schema per alternative of a declared type, in order.

    Alternatives are the members of a union, of ``oneOf`` and ``anyOf`` at the root of a JSON Schema, and the items of a tuple.
    Any type that Pydantic supports is accepted; an ``AnswerSchema`` is used unchanged. Raise ``AgentSpecError`` if a type is not
    supported, two share a name, or a JSON Schema is invalid.
    """
    schemas = tuple(_answer_schema(variant) for variant in _variants(declared))
    if [schema.declared for schema in schemas] == [NoneType]:
        raise AgentSpecError("NoneType allows no answer but null; write YourType | None, or leave out the format.")
    names = [schema.name for schema in schemas]
    if len(set(names)) < len(names):
        raise AgentSpecError(f"The alternatives of a response format need different names, not {names!r}; rename one of them.")
    return schemas


def _variants(declared: object) -> Iterator[object]:
    declared = _schema_of_format(declared)
    alternatives = _alternatives(declared)
    if alternatives is None:
        yield declared
    for alternative in alternatives or ():
        yield from _variants(alternative)


def _schema_of_format(declared: object) -> object:
    """Return the JSON Schema of OpenAI's ``{"type": "json_schema", …}``; anything else unchanged."""
    if not isinstance(declared, dict) or declared.get("type") != "json_schema":
        return declared
    body = declared.get("json_schema", declared)
    if not isinstance(body, dict) or not isinstance(body.get("schema"), dict):
        raise _unsupported(declared, "A format of type 'json_schema' needs a 'schema'.")
    named = {key: body[source] for key, source in (("title", "name"), ("description", "description")) if source in body}
    return {"type": "object", **named} if not body["schema"] else {**body["schema"], **named}


def _alternatives(declared: object) -> Sequence[object] | None:
    """Return the alternatives of a union in any of its forms, ``None`` for any other type."""
    if isinstance(declared, tuple):
        return declared
    if isinstance(declared, dict):
        return _alternatives_of_json_schema(declared)
    if not _is_union(declared):
        return None
    if isinstance(declared, TypeAliasType):
        return [declared.__value__]
    if get_origin(declared) is not Annotated:
        return get_args(declared)
    union, *metadata = get_args(declared)
    # Separate alternatives need no discriminator.
    kept = [item for item in metadata if not _discriminates(item)]
    return [reduce(lambda inner, item: Annotated[inner, item], kept, variant) for variant in _variants(union)]


def _alternatives_of_json_schema(schema: Mapping[str, object]) -> list[object] | None:
    # Alternatives with further keywords beside them are one schema.
    shared = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
    for keyword in ("oneOf", "anyOf"):
        alternatives = schema.get(keyword)
        rest = schema.keys() - _ANNOTATIONS - {keyword}
        if isinstance(alternatives, list) and all(isinstance(item, Mapping) for item in alternatives):
            only_says_object = rest == {"type"} and schema["type"] == "object"
            return [{**shared, **item} for item in alternatives] if not rest or only_says_object else None
    return None


def _is_union(declared: object) -> bool:
    if isinstance(declared, TypeAliasType):
        return _is_union(declared.__value__)
    if get_origin(declared) is Annotated:
        return _is_union(get_args(declared)[0])
    return get_origin(declared) in {UnionType, Union}


def _discriminates(metadata: object) -> bool:
    return isinstance(metadata, Discriminator) or (isinstance(metadata, FieldInfo) and metadata.discriminator is not None)


def _answer_schema(declared: object) -> AnswerSchema:
    if isinstance(declared, AnswerSchema):
        return declared
    if isinstance(declared, dict):
        return _from_json_schema(declared)
    if isinstance(declared, type) and not _makes_formats(declared):
        return _from_class(declared)
    if is_schema(declared) and not isinstance(declared, type):
        return _from_type(declared)
    raise _unsupported(declared)


def _unsupported(declared: object, reason: str = "") -> AgentSpecError:
    advice = advice_for(declared, is_schema, _makes_formats) or (
        "Supported types: Pydantic models, dataclasses, TypedDicts, and JSON schema dicts; "
        f"also lists, scalars, Literals, enums and unions of these.{reason and ' '}{reason}"
    )
    return AgentSpecError(f"Unsupported schema type: {shown(declared)}. {advice}")


def _makes_formats(cls: type) -> bool:
    """Return whether a class is a strategy or makes one at run time."""
    of_strategies = cls.__module__.startswith(
        ("answergraph.asking.", "answergraph.answers.", "langchain.agents.structured_output")
    )
    return of_strategies and not _is_model(cls)


@lru_cache(maxsize=MAX_KEPT)
def _from_class(declared: type) -> AnswerSchema:
    if any(base.__module__.startswith("pydantic.v1.") for base in declared.__mro__):
        raise AgentSpecError(f"{shown(declared)} is a model of pydantic.v1; derive it from pydantic.BaseModel.")
    if declared is BaseModel:
        raise AgentSpecError("BaseModel itself has no fields; write a class that is derived from it.")
    if is_dataclass(declared) and not fields(declared):
        for name in (name for name, value in vars(declared).items() if not name.startswith("_") and not callable(value)):
            raise _unsupported(declared, f"It has no field: {name!r} has no type, write {name}: YourType = ….")
    # Cached, because middleware chooses among the declared types at every call.
    return _from_type(declared)


def _from_type(declared: Any) -> AnswerSchema:
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(declared)
        value_schema = described(declared, adapter)
    except NOT_DESCRIBED as error:
        reason = str(error).splitlines()[0]
        if path := undescribable_field(declared):
            raise AgentSpecError(f"The field {path!r} of {shown(declared)} cannot be asked for in JSON: {reason}") from error
        raise _unsupported(declared, reason) from error
    if _SAYING.isdisjoint(value_schema):
        raise AgentSpecError(
            f"{shown(declared)} says nothing about the answer; write a type with fields, or leave out the format."
        )
    origin = _class_of(declared)
    aliased = aliased_fields(adapter.core_schema)
    if unread := next((field for field in aliased if not field.read_as), None):
        raise AgentSpecError(_ONLY_INSIDE.format(field=f"{unread.name!r} of {shown(declared)}", name=unread.name))
    return AnswerSchema(
        name=tool_name(_name_of(declared, value_schema)),
        description=_description(declared, value_schema),
        value_schema=value_schema,
        declared=declared,
        validator=TypeValidator(
            adapter,
            instance_of=origin if _is_record(origin) and not is_typeddict(origin) else None,
            strict=not _is_record(origin),
            by_name=not all(field.is_read_as_written for field in aliased),
        ),
        annotation=declared,
        is_object=_is_record(origin) or _is_object(value_schema),
    )


def _is_model(declared: object) -> bool:
    return isinstance(declared, type) and issubclass(declared, BaseModel)


def _is_record(declared: object) -> bool:
    if not isinstance(declared, type) or issubclass(declared, RootModel):
        return False
    return issubclass(declared, BaseModel) or is_dataclass(declared) or is_typeddict(declared)


def _without_metadata(declared: object) -> object:
    return get_args(declared)[0] if get_origin(declared) is Annotated else declared


def _class_of(declared: object) -> Any:
    bare = _without_metadata(declared)
    return get_origin(bare) or bare


def _description(declared: object, value_schema: Mapping[str, object]) -> str:
    origin = _class_of(declared)
    if _is_record(origin) and get_origin(declared) is not Annotated:
        return str(origin.__doc__ or "")
    return str(value_schema.get("description", ""))


def _from_json_schema(declared: dict[str, object]) -> AnswerSchema:
    # Takes a twentieth of the import time, and only JSON Schemas need it.
    from answergraph.answers.schemas.json_schema_validator import declared_validator  # noqa: PLC0415 - see above

    validator = declared_validator(declared)
    if not declared.keys() & _SAYING:
        raise AgentSpecError(
            f"This JSON Schema does not describe the answer; its keys are {list(declared)!r}. "
            "Write {'type': 'object', 'properties': …}."
        )
    is_object = _is_object(declared) or declared.get("type") == "object"
    return AnswerSchema(
        name=tool_name(str(declared.get("title") or f"response_format_{_digest(declared)}")),
        description=str(declared.get("description", "")),
        value_schema=declared,
        declared=declared,
        validator=validator,
        annotation=dict[str, Any] if is_object else Any,
        is_object=is_object,
    )


def _is_object(schema: Mapping[str, object]) -> bool:
    """Return whether a schema describes objects with members of known names."""
    root = _referred(schema, schema)
    if root.get("type", "object") != "object":
        return False
    branches = [_referred(branch, schema) for branch in root.get("allOf", ()) if isinstance(branch, Mapping)]
    return not all(_OBJECT_KEYWORDS.isdisjoint(each) for each in (root, *branches))


def _referred(schema: Mapping[str, object], document: Mapping[str, object]) -> Mapping[str, Any]:
    """Return the schema at the end of a chain of references within a document."""
    for _ in range(MAX_REFERENCES):
        target = pointed_at(str(schema["$ref"]), document) if "$ref" in schema else None
        if not isinstance(target, Mapping):
            break
        schema = target
    return schema


def _name_of(declared: object, value_schema: Mapping[str, object]) -> str:
    bare = _without_metadata(declared)
    if bare is not declared and not _is_record(_class_of(declared)):
        return str(value_schema.get("title") or _name_of(bare, {}))
    declared = bare
    if declared is None or declared is NoneType:
        return "none"
    if get_origin(declared) is Literal:
        return f"choice_{_digest([repr(value) for value in get_args(declared)])}"
    if _is_union(declared) and not isinstance(declared, TypeAliasType):
        return "_or_".join(_name_of(alternative, {}) for alternative in get_args(declared))
    own = getattr(get_origin(declared) or declared, "__name__", None) or str(declared)
    if _is_model(declared) or not get_args(declared):
        return str(own)
    return "_".join([str(own), *(_name_of(argument, {}) for argument in get_args(declared))])


def _digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()[:8]


def tool_name(name: str) -> str:
    """Return a name that every provider accepts for a tool or a format."""
    legal = re.sub(r"[^a-zA-Z0-9_-]+", "_", name).strip("_")
    # Long names may share their beginning.
    return legal if len(legal) <= MAX_NAME_CHARACTERS else f"{legal[: MAX_NAME_CHARACTERS - 9]}_{_digest(name)}"
