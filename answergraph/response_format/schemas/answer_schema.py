"""Answer schemas: one object per declared type, with its name, its JSON Schema and its validator."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, is_dataclass
from functools import cached_property
from typing import Any, Protocol

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, to_json
from typing_extensions import is_typeddict

from answergraph.response_format.schemas.json_envelope import VALUE, wrapped_value

MAX_PROBLEM_CHARACTERS = 4_000
"""Length of the problems that are reported to the model; a list may have one per item, and quote each."""


@dataclass(frozen=True)
class AnswerSchema:
    """A declared type of answer."""

    name: str
    """Stable, and valid as a tool name: the type's name, the schema's title, or a hash of the schema."""
    description: str
    """The docstring, shown to the model."""
    value_schema: Mapping[str, Any]
    """The JSON Schema of the value."""
    declared: Any
    """The type or JSON Schema as the developer wrote it."""
    validator: Validator
    annotation: Any
    """The type in the state schema; ``dict`` for a JSON Schema."""
    is_object: bool = True
    """Whether the value is an object; any other value is wrapped in one on the wire, ``{"value": …}``."""
    strict: bool | None = None
    """What the strategy said of it."""

    @property
    def schema(self) -> Any:
        """What was declared, under LangChain's name."""
        return self.declared

    @property
    def schema_kind(self) -> str:
        """What was declared is, in LangChain's words: ``pydantic``, ``dataclass``, ``typeddict`` or ``json_schema``."""
        if isinstance(self.declared, type) and issubclass(self.declared, BaseModel):
            return "pydantic"
        return "dataclass" if is_dataclass(self.declared) else "typeddict" if is_typeddict(self.declared) else "json_schema"

    @cached_property
    def json_schema(self) -> Mapping[str, Any]:
        """The schema of the object that goes on the wire."""
        return self.value_schema if self.is_object else wrapped_value(self.value_schema)

    def validate(self, data: Any) -> Any:
        """Return a model's answer as a value of the declared type; a wrapped value may also come bare.

        Raises:
            ValueError: If it does not fit; in LangChain's words.
        """
        if self.is_object or not (isinstance(data, Mapping) and data.keys() == {VALUE}):
            return self.load(data)
        try:
            return self.load(data[VALUE])
        except ValueError:
            with suppress(ValueError):
                return self.load(data)
            raise

    def load(self, data: Any) -> Any:
        """Return bare JSON as a value of the declared type; raise ``ValueError`` in LangChain's words if it does not fit."""
        try:
            return self.validator.validate(data)
        except Exception as error:
            # Validators run users' code, which may raise anything; all of it is the model's to mend.
            raise ValueError(f"Failed to parse data to {self.label}: {_told(str(error))}") from error

    def dump(self, value: Any) -> Any:
        return self.validator.dump(value)

    def holds(self, value: Any) -> bool:
        """Return whether a value is an instance of the declared type, or fits its content."""
        return self.validator.holds(value)

    def declares_keys_of(self, data: Mapping[str, Any]) -> bool:
        """Return whether the schema declares every key of an object, so that the object may be meant for it."""
        if "$ref" in self.json_schema or self.json_schema.get("additionalProperties") not in (None, False):
            return True
        return data.keys() <= dict(self.json_schema.get("properties", {})).keys()

    def is_echo(self, data: Mapping[str, Any]) -> bool:
        """Return whether an object is this schema itself, written back instead of an answer."""
        properties = self.json_schema.get("properties")
        return data == self.json_schema or (bool(properties) and data.get("properties") == properties)

    @cached_property
    def tool(self) -> BaseTool:
        """The tool whose call is an answer; bound to models, never run."""
        return StructuredTool(name=self.name, description=self.description, args_schema=dict(self.json_schema))

    @property
    def label(self) -> str:
        return str(getattr(self.declared, "__name__", self.name))


def _told(problem: str) -> str:
    return problem if len(problem) <= MAX_PROBLEM_CHARACTERS else f"{problem[:MAX_PROBLEM_CHARACTERS]} … and more of the kind"


class Validator(Protocol):
    """Validates JSON into the declared type (``ValueError`` if it does not fit), and dumps values back to JSON."""

    def validate(self, data: Any) -> Any: ...

    def dump(self, value: Any) -> Any: ...

    def holds(self, value: Any) -> bool: ...


@dataclass(frozen=True)
class TypeValidator:
    """Validates Python types through Pydantic, in its lax mode, as for any JSON input."""

    adapter: TypeAdapter[Any]
    instance_of: type | None = None
    """The class whose instances are answers; ``None`` where the content decides."""
    strict: bool = False
    """Whether a value whose content would have to be converted counts as another type."""

    def validate(self, data: Any) -> Any:
        try:
            return self.adapter.validate_python(data)
        except ValidationError:
            # A type declared strict refuses a date or an enum as Python text and takes it as JSON, which this is.
            with suppress(ValidationError, PydanticSerializationError):
                return self.adapter.validate_json(to_json(data))
            raise

    def dump(self, value: Any) -> Any:
        return self.adapter.dump_python(value, mode="json", by_alias=True, round_trip=True, warnings=False)

    def holds(self, value: Any) -> bool:
        if self.instance_of is not None:
            return isinstance(value, self.instance_of)
        try:
            self.adapter.validate_python(value, strict=self.strict or None)
        except ValueError:
            return False
        return True
