"""The repair of a wrong answer: what is asked for, and what a reply to it comes to."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.patches.changes import CHANGES, VALUE, changed_fields, changes_in, json_path_in, with_changes, with_part
from answergraph.patches.keyed_items import paired, with_keyed_changes
from answergraph.state.field_path import FieldPath
from answergraph.state.ledger import Repair, RepairMode

MIN_SAVED_CHARACTERS = 400
"""Least length in characters that a patch saves beside the whole answer, in ``auto``: about 100 tokens of output. What offers
a patch is about as many tokens of input, which cost a quarter as much or less."""
CHARACTERS_PER_CHANGE = 24
"""Of a change, beside path and value."""
MAX_OFFERED_FIELDS = 50
MAX_SHOWN_CHARACTERS = 60

OFFER = (
    'The rest of your answer stands. Give new values for these alone, as {{"changes": [{{"path": "{path}", "value": …}}]}}:'
    "\n{fields}"
)


class Completed(NamedTuple):
    """A reply's JSON as a whole answer."""

    data: Any
    changed: tuple[str, ...] | None
    """The fields that a patch changed; ``None`` if the reply was a whole answer."""


def completed(repair: Repair, schema: AnswerSchema, data: object) -> Completed:
    """Return what a reply comes to: changes and parts of the answer are merged with it, a whole answer stands alone.

    Raises:
        ValueError: If it changes fields that the answer does not have.
    """
    before = repair["value"]
    if not isinstance(data, Mapping) or schema.name != repair["schema"]:
        return Completed(data, None)
    changed = None
    if data.keys() == {CHANGES} and CHANGES not in schema.known_names:
        data = with_keyed_changes(before, changes_in(data[CHANGES]), schema.keys)
        changed = tuple(changed_fields(before, data))
    elif _is_part(repair, schema, data):
        data = with_part(before, data, {*repair["fields"], *schema.keys})
        changed = tuple(changed_fields(before, data))
    if repair.get("is_existing") and schema.keys:
        list(paired(before, data, schema.keys))  # no item may be gone
    return Completed(data, changed)


def _is_part(repair: Repair, schema: AnswerSchema, data: Mapping[str, object]) -> bool:
    """Return whether an object is a part of the answer: it lacks what must be there, or has nothing but wrong fields."""
    before = repair["value"]
    if not data or not isinstance(before, Mapping) or not before.keys() - data.keys() or not schema.declares_keys_of(data):
        return False
    wrong = {str(FieldPath(path).parts[0]) for path in repair["fields"]}
    return data.keys() <= wrong or not data.keys() >= set(schema.value_schema.get("required", ()))


def growing(repair: Repair, data: object) -> Any:
    """Return the whole answer so far while a patch of it, or another answer, is being written."""
    before = repair["value"]
    if not isinstance(data, Mapping) or not isinstance(before, Mapping):
        return before if isinstance(data, Mapping) else data
    if not isinstance(changes := data.get(CHANGES), list):
        return {**before, **data}
    try:
        return with_changes(before, changes_in([each for each in changes if isinstance(each, Mapping) and VALUE in each]))
    except ValueError:
        return before


def repair_of(schema: str, data: object, problems: Mapping[str, str], mode: RepairMode, value: object = None) -> Repair | None:
    """Return how a wrong answer is repaired; ``None`` if it is asked for as a whole and only so.

    Args:
        schema: The name of its schema.
        data: The answer as JSON.
        problems: A sentence per wrong field, by path.
        mode: ``auto`` offers a patch where that costs less than the whole answer.
        value: The value read from the JSON, if it could be read.
    """
    if mode == "whole":
        return None
    json_paths = {path: json_path_in(data, path, value) for path in problems}
    fields = {str(json_path): problems[path] for path, json_path in json_paths.items() if json_path}
    is_named = bool(fields) and all(json_paths.values()) and len(fields) <= MAX_OFFERED_FIELDS
    offered = is_named and (mode == "patch" or _pays(data, fields))
    return Repair(schema=schema, value=data, fields=fields, offered=offered)


def _pays(data: object, fields: Mapping[str, str]) -> bool:
    length = sum(len(path) + len(_shown(data, path)) + CHARACTERS_PER_CHANGE for path in fields)
    return length + MIN_SAVED_CHARACTERS <= len(json.dumps(data, default=str))


def offer(repair: Repair, *, shows_values: bool) -> str:
    """Return what asks for the wrong fields; ``shows_values`` if their problems do not say what stands there."""
    lines = []
    for path, problem in repair["fields"].items():
        value = _shown(repair["value"], path) if shows_values else ""
        lines.append(f"- {path}{f' (now {value})' if value and len(value) <= MAX_SHOWN_CHARACTERS else ''}: {problem}")
    return OFFER.format(path=next(iter(repair["fields"])), fields="\n".join(lines))


def _shown(data: Any, path: str) -> str:
    try:
        return json.dumps(FieldPath(path).get(data), ensure_ascii=False, default=str)
    except LookupError:
        return ""
