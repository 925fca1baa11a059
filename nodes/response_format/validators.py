"""Validation of answers: a value of the declared type from what a model wrote, and its JSON form back; here of Python types."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, to_json


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
