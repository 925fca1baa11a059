"""Validates answers that are declared by a JSON Schema."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from answergraph.answers.schemas.explained_errors import PathParts, compiled, explained
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.explained_arguments import meant

_DESCRIBING = frozenset(
    ("allOf", "anyOf", "oneOf", "$ref", "$dynamicRef", "if", "not", "patternProperties", "propertyNames", "dependentSchemas")
)
"""Keywords that may describe a property beside ``properties``."""


class SchemaMismatchError(ValueError):
    """Data does not fit a JSON Schema; ``located`` holds the problems with their paths."""

    def __init__(self, located: list[tuple[PathParts, str]]) -> None:
        self.located = located
        super().__init__("; ".join(f"{'.'.join(map(str, path))}: {problem}".removeprefix(": ") for path, problem in located))


@dataclass(frozen=True)
class JsonSchemaValidator:
    """Validates against a JSON Schema; the value is the data itself."""

    validator: Any
    schema: Mapping[str, object]

    def validate(self, data: object) -> Any:
        if self.validator.is_valid(data):
            return data
        raise SchemaMismatchError(explained(self.schema, data, self.validator))

    def may_fit(self, data: object) -> bool:
        return self.holds(data)

    def dump(self, value: object) -> Any:
        return value

    def holds(self, value: object) -> bool:
        try:
            return bool(self.validator.is_valid(value))
        except ValueError:
            return False


def json_schema_validator(schema: Mapping[str, object]) -> JsonSchemaValidator:
    """Return the validator of a JSON Schema; raise ``AgentSpecError`` if it is invalid or refers to another document."""
    try:
        return JsonSchemaValidator(compiled(schema), schema)
    except ValueError as error:
        summary = str(error).splitlines()[0]
        raise AgentSpecError(f"This response format is not a valid JSON Schema: {summary}") from error


def declared_validator(schema: Mapping[str, object]) -> JsonSchemaValidator:
    """Return the validator of a response format; raise ``AgentSpecError`` if no answer may be able to fit."""
    validator = json_schema_validator(schema)
    _check_parts(schema)
    return validator


def _check_parts(schema: Mapping[str, Any]) -> None:
    """Raise ``AgentSpecError`` if a part has no value, or requires a property that nothing describes, as it is misspelt."""
    parts: list[tuple[str, Any]] = [("", schema)]
    for path, part in parts:  # grows below
        if not isinstance(part, Mapping):
            continue
        where = f" of {path!r}" if path else ""
        if part.get("enum") == []:
            raise AgentSpecError(f"This JSON Schema has an 'enum'{where} without values, so nothing fits; list the values.")
        properties = part.get("properties", {})
        # Other keywords may describe it, and ``True`` says that anything may be there.
        if properties and _DESCRIBING.isdisjoint(part) and not part.get("additionalProperties"):
            for name in (name for name in part.get("required", ()) if name not in properties):
                raise AgentSpecError(
                    f"This JSON Schema requires {name!r}, which is not in 'properties'{where}.{meant(name, properties)} "
                    "Describe it there, or leave it out of 'required'."
                )
        parts += [(f"{path}.{name}".strip("."), inner) for name, inner in properties.items()]
        parts.append((f"{path}[]", part.get("items")))


def explained_by(schema: Mapping[str, object], data: object) -> SchemaMismatchError | None:
    """Return why data does not fit a JSON Schema; ``None`` if it does, or the schema is invalid."""
    try:
        json_schema_validator(schema).validate(data)
    except SchemaMismatchError as error:
        return error
    except AgentSpecError:
        pass
    return None
