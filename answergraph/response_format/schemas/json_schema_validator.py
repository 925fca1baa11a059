"""Validates answers that are declared by a JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import jsonschema_rs

from answergraph.response_format.untrusted.schema_depth import explained_depth
from answergraph.response_format.untrusted.untrusted_schema import PATTERN_OPTIONS, refuse_remote
from answergraph.runtime.json_depth import is_deeper
from answergraph.state.errors import AgentSpecError

MAX_ERRORS = 20
"""Maximum errors of one answer reported to the model."""


class SchemaMismatchError(ValueError):
    """Data does not fit a JSON Schema; ``located`` holds the problems with their paths."""

    def __init__(self, located: list[tuple[list[str | int], str]]) -> None:
        self.located = located
        super().__init__("; ".join(f"{'.'.join(map(str, place))}: {said}".removeprefix(": ") for place, said in located))


@dataclass(frozen=True)
class JsonSchemaValidator:
    """Validates against a JSON Schema; the value is the data itself."""

    validator: Any
    max_explained_depth: int
    """The depth up to which the errors of an answer are found in bounded time."""

    def validate(self, data: Any) -> Any:
        if self.validator.is_valid(data):
            return data
        if is_deeper(data, self.max_explained_depth):
            raise ValueError("it does not fit the schema, and is nested too deep to say where")
        raise SchemaMismatchError([_located(error) for error in islice(self.validator.iter_errors(data), MAX_ERRORS)])

    def dump(self, value: Any) -> Any:
        return value

    def holds(self, value: Any) -> bool:
        try:
            return bool(self.validator.is_valid(value))
        except ValueError:
            return False


def json_schema_validator(schema: Mapping[str, Any]) -> JsonSchemaValidator:
    """Return the validator of a JSON Schema; raise ``AgentSpecError`` if it is invalid or refers to another document."""
    try:
        return JsonSchemaValidator(_validator_for(dict(schema)), explained_depth(schema))
    except ValueError as error:
        summary = str(error).splitlines()[0]
        raise AgentSpecError(f"This response format is not a valid JSON Schema: {summary}") from error


def _validator_for(schema: dict[str, Any]) -> Any:
    try:
        return jsonschema_rs.validator_for(schema, retriever=refuse_remote, pattern_options=PATTERN_OPTIONS)
    except ValueError:
        # The linear regex engine has no look-around, which developers' schemas may use.
        return jsonschema_rs.validator_for(schema, retriever=refuse_remote)


def _located(error: Any) -> tuple[list[str | int], str]:
    return list(error.instance_path), str(error.message)
