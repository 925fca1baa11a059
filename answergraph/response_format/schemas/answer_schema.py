"""Answer schemas: one object per declared type, which knows its name, its JSON Schema and how to validate what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, to_json

from answergraph.response_format.schemas.json_envelope import VALUE, wrapped_value

MAX_PROBLEM_CHARACTERS = 4_000
"""How much of what is wrong with an answer is told, in characters; a list may have a fault per item, and quote each."""


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
    """What the developer wrote."""
    validator: Validator
    """Validates the value."""
    annotation: Any
    """The declared type as it stands in the state schema; a JSON Schema's values are ``dict``."""
    is_object: bool = True
    """Whether the value is an object; any other value is wrapped in one on the wire, ``{"value": …}``."""

    @cached_property
    def json_schema(self) -> Mapping[str, Any]:
        """The schema of the object that goes on the wire."""
        return self.value_schema if self.is_object else wrapped_value(self.value_schema)

    def validate(self, data: Any) -> Any:
        """Return what a model wrote as a value of the declared type.

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
        """Return the bare value in its JSON form as a value of the declared type; the inverse of ``dump``.

        Raises:
            ValueError: If it does not fit; in LangChain's words.
        """
        try:
            return self.validator.validate(data)
        except Exception as error:
            # Validators run users' code, which may raise anything; all of it is the model's to mend.
            raise ValueError(f"Failed to parse data to {self.label}: {_told(str(error))}") from error

    def dump(self, value: Any) -> Any:
        """Return a value of the declared type as plain JSON, not wrapped."""
        return self.validator.dump(value)

    def holds(self, value: Any) -> bool:
        """Return whether a value is an answer of this schema already."""
        return self.validator.holds(value)

    def declares_keys_of(self, data: Mapping[str, Any]) -> bool:
        """Return whether every key of an object is one the schema declares, so that it was meant for this schema."""
        if "$ref" in self.json_schema or self.json_schema.get("additionalProperties") not in (None, False):
            return True
        return data.keys() <= dict(self.json_schema.get("properties", {})).keys()

    def is_echo(self, data: Mapping[str, Any]) -> bool:
        """Return whether an object is this schema itself, written back instead of an answer."""
        properties = self.json_schema.get("properties")
        return data == self.json_schema or (bool(properties) and data.get("properties") == properties)

    @cached_property
    def tool(self) -> BaseTool:
        """The tool whose call is an answer; it is bound to models and never run."""
        return StructuredTool(name=self.name, description=self.description, args_schema=dict(self.json_schema))

    @property
    def label(self) -> str:
        """What a person calls it."""
        return str(getattr(self.declared, "__name__", self.name))


def _told(problem: str) -> str:
    return problem if len(problem) <= MAX_PROBLEM_CHARACTERS else f"{problem[:MAX_PROBLEM_CHARACTERS]} … and more of the kind"


class Validator(Protocol):
    """Turns what a model wrote into a value of the declared type, and back into JSON."""

    def validate(self, data: Any) -> Any:
        """Return the value; raises ``ValueError`` if the data does not fit."""

    def dump(self, value: Any) -> Any:
        """Return the value as plain JSON, which validates again."""

    def holds(self, value: Any) -> bool:
        """Return whether a value is of the declared type already."""


@dataclass(frozen=True)
class TypeValidator:
    """Validates Python types through Pydantic."""

    adapter: TypeAdapter[Any]
    """Of the declared type."""
    instance_of: type | None = None
    """The class whose instances are answers; ``None`` where the content decides."""
    strict: bool = False
    """Whether content that would have to be converted is of another type."""

    def validate(self, data: Any) -> Any:
        """Return an instance; Pydantic's lax mode, as for any JSON input."""
        try:
            return self.adapter.validate_python(data)
        except ValidationError:
            # A type declared strict refuses a date or an enum as Python text and takes it as JSON, which this is.
            with suppress(ValidationError, PydanticSerializationError):
                return self.adapter.validate_json(to_json(data))
            raise

    def dump(self, value: Any) -> Any:
        """Return the instance's fields as JSON, under the names by which they validate."""
        return self.adapter.dump_python(value, mode="json", by_alias=True, round_trip=True, warnings=False)

    def holds(self, value: Any) -> bool:
        """Return whether the value is an instance; what has none is known by its content."""
        if self.instance_of is not None:
            return isinstance(value, self.instance_of)
        try:
            self.adapter.validate_python(value, strict=self.strict or None)
        except ValueError:
            return False
        return True
