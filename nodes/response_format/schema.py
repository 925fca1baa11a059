"""Answer schemas: one object per declared type, which knows its name, its JSON Schema and how to validate what comes back."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from functools import cached_property
from types import UnionType
from typing import Annotated, Any, Protocol, Union, get_args, get_origin

import jsonschema_rs
from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, TypeAdapter
from pydantic.errors import PydanticUserError
from typing_extensions import is_typeddict

from answergraph.nodes.errors import AgentSpecError

MAX_NAME_LENGTH = 64
"""The longest tool name OpenAI's API accepts; its alphabet is letters, digits, ``_`` and ``-``."""


_OBJECT_KEYWORDS = {"type", "properties", "$ref", "allOf", "anyOf", "patternProperties"}


class Validator(Protocol):
    """Turns what a model wrote into a value of the declared type, and back into JSON."""

    def validate(self, data: Any) -> Any:
        """Return the value; raises ``ValueError`` if the data does not fit."""

    def dump(self, value: Any) -> Any:
        """Return the value as plain JSON."""

    def holds(self, value: Any) -> bool:
        """Return whether a value is of the declared type already."""


@dataclass(frozen=True)
class AnswerSchema:
    """A declared type of answer.

    Attributes:
        name: Stable, and valid as a tool name: the class's name, the schema's title, or a hash of the schema.
        description: The docstring, shown to the model.
        json_schema: The schema that goes on the wire.
        declared: What the developer wrote.
    """

    name: str
    description: str
    json_schema: Mapping[str, Any]
    declared: Any
    validator: Validator

    def validate(self, data: Any) -> Any:
        """Return data as a value of the declared type.

        Raises:
            ValueError: If it does not fit; in LangChain's words.
        """
        try:
            return self.validator.validate(data)
        except Exception as error:
            # Validators run users' code, which may raise anything; all of it is the model's to mend.
            raise ValueError(f"Failed to parse data to {self._label()}: {error}") from error

    def dump(self, value: Any) -> Any:
        """Return a value of the declared type as plain JSON."""
        return self.validator.dump(value)

    def holds(self, value: Any) -> bool:
        """Return whether a value is an answer of this schema already."""
        return self.validator.holds(value)

    def knows_keys_of(self, data: Mapping[str, Any]) -> bool:
        """Return whether every key of an object is one the schema declares, so that it was meant for this schema."""
        if "$ref" in self.json_schema or self.json_schema.get("additionalProperties") not in (None, False):
            return True
        return data.keys() <= dict(self.json_schema.get("properties", {})).keys()

    def is_echoed_by(self, data: Mapping[str, Any]) -> bool:
        """Return whether an object is this schema itself, written back instead of an answer."""
        properties = self.json_schema.get("properties")
        return data == self.json_schema or (bool(properties) and data.get("properties") == properties)

    @property
    def annotation(self) -> Any:
        """The declared type as it stands in the state schema; a JSON Schema's values are ``dict``."""
        return dict[str, Any] if isinstance(self.declared, dict) else self.declared

    @cached_property
    def tool(self) -> BaseTool:
        """The tool whose call is an answer; it is bound to models and never run."""
        return StructuredTool(name=self.name, description=self.description, args_schema=dict(self.json_schema))

    def _label(self) -> str:
        return str(getattr(self.declared, "__name__", self.name))


@dataclass(frozen=True)
class TypeValidator:
    """Validates Python types through Pydantic."""

    adapter: TypeAdapter[Any]
    instance_of: type | None

    def validate(self, data: Any) -> Any:
        """Return an instance; Pydantic's lax mode, as for any JSON input."""
        return self.adapter.validate_python(data)

    def dump(self, value: Any) -> Any:
        """Return the instance's fields as JSON."""
        return self.adapter.dump_python(value, mode="json", by_alias=True, round_trip=True, warnings=False)

    def holds(self, value: Any) -> bool:
        """Return whether the value is an instance; typed dicts have none, so their content is validated."""
        return isinstance(value, self.instance_of) if self.instance_of is not None else _fits(self, value)


@dataclass(frozen=True)
class JsonSchemaValidator:
    """Validates against a JSON Schema; the value is the data itself."""

    validator: Any

    def validate(self, data: Any) -> Any:
        """Return the data unchanged."""
        errors = [_described(error) for error in self.validator.iter_errors(data)]
        if errors:
            raise ValueError("; ".join(errors))
        return data

    def dump(self, value: Any) -> Any:
        """Return the value; it is JSON already."""
        return value

    def holds(self, value: Any) -> bool:
        """Return whether the value validates."""
        return _fits(self, value)


def answer_schemas(declared: Any) -> tuple[AnswerSchema, ...]:
    """Return one answer schema per alternative of a declared type.

    Args:
        declared: A Pydantic model, dataclass, TypedDict, JSON Schema ``dict``, a union of these, or a JSON Schema with
            ``oneOf``; answer schemas made before, alone or in a tuple, are taken as they are.

    Returns:
        The schemas, in the order they were written; none for an empty tuple.

    Raises:
        AgentSpecError: If a type is not supported, two share a name, or a JSON Schema is none.
    """
    schemas = tuple(_answer_schema(variant) for variant in _variants(declared))
    names = [schema.name for schema in schemas]
    if len(set(names)) < len(names):
        raise AgentSpecError(f"A response format needs alternatives of different names, not {names!r}.")
    return schemas


def _variants(declared: Any) -> Iterator[Any]:
    if get_origin(declared) is Annotated:
        yield from _variants(get_args(declared)[0])
    elif get_origin(declared) in {UnionType, Union}:
        for alternative in get_args(declared):
            yield from _variants(alternative)
    elif isinstance(declared, tuple):
        for alternative in declared:
            yield from _variants(alternative)
    elif isinstance(declared, dict) and "oneOf" in declared:
        shared = {key: declared[key] for key in ("$defs", "definitions") if key in declared}
        for alternative in declared["oneOf"]:
            yield from _variants({**shared, **alternative})
    else:
        yield declared


def _answer_schema(declared: Any) -> AnswerSchema:
    if isinstance(declared, AnswerSchema):
        return declared
    if isinstance(declared, dict):
        return _from_json_schema(declared)
    if isinstance(declared, type) and (issubclass(declared, BaseModel) or is_dataclass(declared) or is_typeddict(declared)):
        return _from_type(declared)
    raise AgentSpecError(
        f"Unsupported schema type: {declared!r}. "
        "Supported types: Pydantic models, dataclasses, TypedDicts, and JSON schema dicts."
    )


def _from_type(declared: type) -> AnswerSchema:
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(declared)
        # A model may override this method to shape what is sent; the adapter alone would pass it by.
        json_schema = declared.model_json_schema() if issubclass(declared, BaseModel) else adapter.json_schema()
    except PydanticUserError as error:
        raise AgentSpecError(f"Response format {declared.__name__!r} has no JSON schema: {error}") from error
    return AnswerSchema(
        name=_tool_name(declared.__name__),
        description=declared.__doc__ or "",
        json_schema=json_schema,
        declared=declared,
        validator=TypeValidator(adapter, None if is_typeddict(declared) else declared),
    )


def _from_json_schema(declared: dict[str, Any]) -> AnswerSchema:
    try:
        validator = jsonschema_rs.validator_for(declared, retriever=_refuse_remote)
    except ValueError as error:
        summary = str(error).splitlines()[0]
        raise AgentSpecError(f"This response format is no valid JSON Schema: {summary}") from error
    if declared.get("type", "object") != "object" or not _OBJECT_KEYWORDS & declared.keys():
        raise AgentSpecError("A JSON Schema as response format describes an object: give it 'type': 'object' and 'properties'.")
    digest = hashlib.sha256(json.dumps(declared, sort_keys=True, default=str).encode()).hexdigest()
    return AnswerSchema(
        name=_tool_name(str(declared.get("title") or f"response_format_{digest[:8]}")),
        description=str(declared.get("description", "")),
        json_schema=declared,
        declared=declared,
        validator=JsonSchemaValidator(validator),
    )


def _refuse_remote(uri: str) -> Any:
    raise ValueError(f"remote reference {uri!r}; put the schema it names under '$defs'")


def _tool_name(name: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]+", "_", name).strip("_")[:MAX_NAME_LENGTH] or "answer"


def _described(error: Any) -> str:
    path = ".".join(str(part) for part in error.instance_path)
    return f"{path}: {error.message}" if path else str(error.message)


def _fits(validator: Validator, value: Any) -> bool:
    try:
        validator.validate(value)
    except ValueError:
        return False
    return True
