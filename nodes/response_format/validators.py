"""Validation of answers: a value of the declared type from what a model wrote, and its JSON form back."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

import jsonschema_rs
from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, to_json

from answergraph.nodes.errors import AgentSpecError
from answergraph.nodes.response_format.explained_depth import explained_depth, is_deeper
from answergraph.nodes.response_format.foreign_schema import PATTERN_OPTIONS

MOST_ERRORS = 20
"""How many errors of one answer are told."""


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
    """Validates Python types through Pydantic.

    Attributes:
        adapter: Of the declared type.
        instance_of: The class whose instances are answers; ``None`` where the content decides.
        strict: Whether content that would have to be converted is of another type.
    """

    adapter: TypeAdapter[Any]
    instance_of: type | None = None
    strict: bool = False

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


@dataclass(frozen=True)
class JsonSchemaValidator:
    """Validates against a JSON Schema; the value is the data itself."""

    validator: Any
    depth: int
    """How deep an answer may be for its errors to be told in bounded time."""

    @classmethod
    def of(cls, schema: Mapping[str, Any]) -> JsonSchemaValidator:
        """Return the validator of a JSON Schema.

        Raises:
            AgentSpecError: If it is none, or refers to another document.
        """
        try:
            return cls(_validator_for(dict(schema)), explained_depth(schema))
        except ValueError as error:
            summary = str(error).splitlines()[0]
            raise AgentSpecError(f"This response format is no valid JSON Schema: {summary}") from error

    def validate(self, data: Any) -> Any:
        """Return the data unchanged."""
        if self.validator.is_valid(data):
            return data
        if is_deeper(data, self.depth):
            raise ValueError("it does not fit the schema, and is nested too deep to say where")
        raise ValueError("; ".join(_described(error) for error in islice(self.validator.iter_errors(data), MOST_ERRORS)))

    def dump(self, value: Any) -> Any:
        """Return the value; it is JSON already."""
        return value

    def holds(self, value: Any) -> bool:
        """Return whether the value validates; what is no JSON does not."""
        try:
            return bool(self.validator.is_valid(value))
        except ValueError:
            return False


def _validator_for(schema: dict[str, Any]) -> Any:
    try:
        return jsonschema_rs.validator_for(schema, retriever=_refuse_remote, pattern_options=PATTERN_OPTIONS)
    except ValueError:
        # The engine that is linear in the text has no look-around, which a developer's own schema may use.
        return jsonschema_rs.validator_for(schema, retriever=_refuse_remote)


def _refuse_remote(uri: str) -> Any:
    raise ValueError(f"remote reference {uri!r}; put the schema it names under '$defs'")


def _described(error: Any) -> str:
    path = ".".join(str(part) for part in error.instance_path)
    return f"{path}: {error.message}" if path else str(error.message)
