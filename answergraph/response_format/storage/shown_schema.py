"""How declared answers are shown in a graph's own JSON Schemas, to a server's clients and to LangGraph Studio."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Union

from pydantic import WithJsonSchema

from answergraph.response_format.schemas.answer_schema import AnswerSchema

_DEFINITIONS = ("$defs", "definitions")


def shown_type(schemas: Sequence[AnswerSchema]) -> Any:
    """Return the union of declared types as an annotation; a declared JSON Schema is a ``dict`` that is shown as that schema."""
    return Union[tuple(_shown(schema) for schema in schemas)]  # noqa: UP007  # the types are known at run time only


def _shown(schema: AnswerSchema) -> Any:
    if not isinstance(schema.declared, dict):
        return schema.annotation
    return Annotated[schema.annotation, WithJsonSchema(inlined(schema.declared))]


def inlined(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON Schema with every definition in the place of its references, so that it can stand inside another one.

    What refers to itself takes anything there.

    Example:
        >>> inlined({"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"type": "string"}}})
        {'properties': {'a': {'type': 'string'}}}
    """
    shown: dict[str, Any] = _without_references(schema, schema, frozenset())
    return shown


def _without_references(node: Any, root: Mapping[str, Any], opened: frozenset[str]) -> Any:
    if isinstance(node, list):
        return [_without_references(part, root, opened) for part in node]
    if not isinstance(node, Mapping):
        return node
    kept = {key: _without_references(part, root, opened) for key, part in node.items() if key not in (*_DEFINITIONS, "$ref")}
    reference = node.get("$ref")
    if not isinstance(reference, str) or reference in opened:
        return kept
    return {**_without_references(_found(root, reference), root, opened | {reference}), **kept}


def _found(root: Mapping[str, Any], reference: str) -> Any:
    found: Any = root
    for part in reference.removeprefix("#").split("/")[1:]:
        found = found.get(part.replace("~1", "/").replace("~0", "~"), {}) if isinstance(found, Mapping) else {}
    return found
