"""Validates answers that are declared by a JSON Schema.

``is_valid`` is fast. ``iter_errors``, which explains the errors, tries all members of all unions at every level, so that its time
can double with each level of an answer to a recursive schema. Answers that are nested too deep for it are refused without an
explanation.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import unquote

import jsonschema_rs

from answergraph.answers.untrusted.schema_positions import Position, dependencies_first, positions
from answergraph.answers.untrusted.untrusted_schema import PATTERN_OPTIONS, refuse_remote
from answergraph.json_text.json_depth import is_deeper
from answergraph.runtime.errors import AgentSpecError

MAX_ERRORS = 20
"""Maximum errors of one answer reported to the model."""
MAX_SCHEMAS_ASKED = 1_000
"""Maximum number of schemas that are tried for one value, which takes less than a second."""
MAX_EXPLAINED_DEPTH = 64
"""Depths above this are not computed; validators have their own limit."""


class SchemaMismatchError(ValueError):
    """Data does not fit a JSON Schema; ``located`` holds the problems with their paths."""

    def __init__(self, located: list[tuple[list[str | int], str]]) -> None:
        self.located = located
        super().__init__("; ".join(f"{'.'.join(map(str, place))}: {problem}".removeprefix(": ") for place, problem in located))


@dataclass(frozen=True)
class JsonSchemaValidator:
    """Validates against a JSON Schema; the value is the data itself."""

    validator: Any
    max_explained_depth: int
    """The depth up to which the errors of an answer are explained in bounded time."""

    def validate(self, data: Any) -> Any:
        if self.validator.is_valid(data):
            return data
        if is_deeper(data, self.max_explained_depth):
            raise ValueError("it does not fit the schema, and is nested too deep to say where")
        errors = islice(self.validator.iter_errors(data), MAX_ERRORS)
        raise SchemaMismatchError([(list(error.instance_path), str(error.message)) for error in errors])

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


def explained_depth(schema: Mapping[str, Any]) -> int:
    """Return the depth of an answer up to which its errors can be explained; 0 for a schema that refers directly to itself."""
    found = {position.pointer: position for position in positions(schema)}
    beside = {pointer: _asked_with(position, found) for pointer, position in found.items()}
    order = dependencies_first(beside)
    inner = dict.fromkeys(found, 0)
    for depth in range(MAX_EXPLAINED_DEPTH):
        inner = _costs(found, beside, order, inner)
        if inner.get("#", MAX_SCHEMAS_ASKED + 1) > MAX_SCHEMAS_ASKED:
            return depth
    return MAX_EXPLAINED_DEPTH


def _asked_with(position: Position, found: Mapping[str, Position]) -> list[str]:
    target = unquote(str(position.schema.get("$ref", "")))
    return [*position.beside, target] if target in found else position.beside


def _costs(
    found: Mapping[str, Position], beside: Mapping[str, list[str]], order: list[str], inner: Mapping[str, int]
) -> dict[str, int]:
    """Return per schema how many schemas are tried for one value; ``inner`` has the counts of the level below."""
    costs: dict[str, int] = {}
    for pointer in order:
        same = sum(costs[target] for target in beside[pointer])
        named = max((inner.get(each, 0) for each in found[pointer].named), default=0)
        shared = sum(inner.get(each, 0) for each in found[pointer].shared)
        costs[pointer] = min(1 + same + named + shared, MAX_SCHEMAS_ASKED + 1)
    return costs
