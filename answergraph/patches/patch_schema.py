"""The schema of the changes of an answer."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.answers.schemas.json_envelope import without
from answergraph.answers.schemas.known_keys import parts_of
from answergraph.patches.changes import CHANGES, PATH, VALUE

MAX_ALTERNATIVES = 24
"""With more kinds of fields, any value is allowed: providers limit the size of a schema."""

DESCRIPTION = "New values for single fields of your last answer; everything else in it stands."
PATH_DESCRIPTION = "Such as items[3].price"
_WORDS = ("title", "description", "default", "examples")
_DEFINITIONS = ("$defs", "definitions")
_INNER = ("items", "additionalProperties", "unevaluatedProperties")
_INNER_BY_NAME = ("properties", "patternProperties")


def patch_schema(whole: AnswerSchema) -> AnswerSchema:
    """Return the schema by which a model changes fields of an answer; it has the same name. Unchanged if it is one."""
    if whole.whole is not None or CHANGES in whole.known_names:
        return whole
    return replace(whole, description=DESCRIPTION, value_schema=_changes_of(whole.value_schema), is_object=True, whole=whole)


def _changes_of(schema: Mapping[str, object]) -> dict[str, object]:
    kinds = _kinds_of_fields(schema)
    value = {"anyOf": list(kinds.values())} if kinds and len(kinds) <= MAX_ALTERNATIVES else {}
    path = {"type": "string", "description": PATH_DESCRIPTION}
    items = _object({PATH: path, VALUE: value})
    changes = _object({CHANGES: {"type": "array", "items": items}})
    return changes | {name: _plain(schema[name]) for name in _DEFINITIONS if name in schema}


def _object(properties: dict[str, object]) -> dict[str, object]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _kinds_of_fields(schema: Mapping[str, object]) -> dict[str, Any]:
    kinds: dict[str, object] = {}
    for field in _fields_of(schema, schema, set()):
        plain = _plain(field)
        only_alternatives = plain.keys() == {"anyOf"}
        for kind in plain["anyOf"] if only_alternatives else [plain]:
            text = json.dumps(kind, sort_keys=True)
            if '"$ref": "#"' in text:  # it would be the schema of the changes
                return {}
            kinds[text] = kind
    return kinds


def _fields_of(schema: object, root: Mapping[str, object], seen: set[str]) -> Iterator[Mapping[str, Any]]:
    for part in list(parts_of(schema, root, seen)):
        named = (inner for keyword in _INNER_BY_NAME for inner in (part.get(keyword) or {}).values())
        for inner in (*named, *(part.get(keyword) for keyword in _INNER), *part.get("prefixItems", ())):
            if isinstance(inner, Mapping):
                yield inner
                yield from _fields_of(inner, root, seen)


def _plain(schema: Any) -> Any:
    for word in _WORDS:
        schema = without(word, schema)
    return schema
