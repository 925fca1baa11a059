"""Labels recorded replies: ``python -m tests.models.label tests/models/replies/qwen.jsonl`` writes ``qwen.labels.json``.

The rules look for values in the text and check them with ``jsonschema_rs``; nothing of the library is asked. A person has read
the labels; those in ``CORRECTED`` are decided by hand.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema_rs

from tests.models.requests import Asked, asked_by, json_values, looks_like_schema, question_of

DATE = r"^\d{4}-\d{2}-\d{2}$"
ECHO_KEYS = frozenset({"$defs", "properties", "required", "additionalProperties", "description", "title", "type"})

_TREE = {
    "$ref": "#/$defs/Tree",
    "$defs": {
        "Tree": {
            "type": "object",
            "properties": {"label": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}},
            "required": ["label"],
        }
    },
    "title": "Tree",
}
_FRUITS = {
    "type": "object",
    "properties": {"value": {"type": "array", "items": {"type": "string"}}},
    "required": ["value"],
    "title": "list_str",
}
SHOWN_ONLY_AS_AN_EXAMPLE = {
    "Name three fruits.": _FRUITS,
    "Give the tree: animals has the children cats and dogs; cats has the child lions.": _TREE,
}
"""Schemas that no request for the question shows whole."""

CORRECTED: dict[str, dict[str, Any]] = {
    "qwen:14": {
        "label": "call",
        "calls": [["get_weather", {"city": "Oslo"}]],
        "why": "an action with its input in parentheses and once more behind Action Input",
    },
    "qwen:75": {
        "label": "answer",
        "answers": [{"value": ["apple", "banana", "cherry"]}],
        "why": "the values stand in the place of the items' schema",
    },
}
"""``file:line`` of a reply whose label the rules get wrong, with the right label and the reason."""


def labels_of(path: Path) -> Iterator[dict[str, Any]]:
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    schemas = _schemas_by_question(row["request"] for row in rows)
    for number, row in enumerate(rows, 1):
        asked = asked_by(row["request"])
        asked = asked if asked.schema else Asked(asked.way, schemas.get(question_of(row["request"])), asked.tools)
        asked = Asked(asked.way, _with_dates_checked(asked.schema), asked.tools)
        label = _label(asked, row["reply"]["content"] or "", row["finish_reason"])
        if corrected := CORRECTED.get(f"{path.stem}:{number}"):
            label = corrected
        yield {"line": number, "way": asked.way, "schema": asked.schema, **label}


def _with_dates_checked(schema: Any) -> Any:
    """Return a schema in which a date has a pattern too: the recorded type was Python's ``date``, a format is a remark alone."""
    if isinstance(schema, list):
        return [_with_dates_checked(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    checked = {key: _with_dates_checked(value) for key, value in schema.items()}
    return {**checked, "pattern": DATE} if schema.get("format") == "date" else checked


def _schemas_by_question(requests: Any) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    rank = {"words": 0, "json_mode": 0, "react": 0, "tool": 1, "native": 2, "held": 2}
    for asked, question in sorted(((asked_by(each), question_of(each)) for each in requests), key=lambda pair: rank[pair[0].way]):
        if asked.schema is not None:
            found.setdefault(question, asked.schema)
    return found | SHOWN_ONLY_AS_AN_EXAMPLE


def _label(asked: Asked, text: str, finish_reason: str) -> dict[str, Any]:
    values = list(json_values(text))
    calls = [call for value in values for call in _calls(value, [tool["name"] for tool in asked.tools])]
    if calls and asked.way != "native":
        return {"label": "call", "calls": calls}
    answers = [answer for value in values for answer in _answers(value, asked.members)]
    if answers:
        return {"label": "answer", "answers": [each for at, each in enumerate(answers) if each not in answers[:at]]}
    broken = _is_broken(text)
    if any(_is_echo(value) for value in values) or (broken and '"properties"' in text):
        return {"label": "echo"}
    if broken and finish_reason == "length":
        return {"label": "cut"}
    return {"label": "wrong" if any(isinstance(value, dict) for value in values) else "prose"}


def _is_broken(text: str) -> bool:
    """Whether the first object of a text does not end, or is no JSON."""
    start = text.find("{")
    try:
        json.JSONDecoder().raw_decode(text, max(start, 0))
    except ValueError:
        return start >= 0
    return False


def _calls(value: Any, names: list[str]) -> Iterator[list[Any]]:
    if isinstance(value, dict) and str(value.get("name")) in names:
        arguments = value.get("arguments", value.get("parameters"))
        if isinstance(arguments, dict):
            yield [value["name"], arguments]


def _answers(value: Any, members: Mapping[str, Any]) -> Iterator[Any]:
    """The valid answer in one JSON value: itself, a call's arguments, an envelope's value, what stands in ``properties``."""
    for candidate in _candidates(value, members):
        fitting = [name for name, schema in members.items() if _is_valid(candidate, schema)]
        if len(fitting) == 1:
            yield candidate
            return


def _candidates(value: Any, members: Mapping[str, Any]) -> Iterator[Any]:
    if not isinstance(value, dict):
        return
    called = "name" in value and bool(value.keys() & {"arguments", "parameters"})
    if not called:  # a call is never the answer itself
        yield value
    if str(value.get("name")) in members:
        yield from (value[key] for key in ("arguments", "parameters") if key in value)
    for key in ("value", "properties", *members):
        if isinstance(value.get(key), dict):
            yield value[key]


def _is_valid(value: Any, schema: Mapping[str, Any]) -> bool:
    try:
        known = schema.get("properties", {}).keys()
        meant = not isinstance(value, dict) or not known or bool(value.keys() & known)
        return meant and jsonschema_rs.validator_for(dict(schema), validate_formats=True).is_valid(value)
    except ValueError:
        return False


def _is_echo(value: Any) -> bool:
    inner = [value[key] for key in ("arguments", "parameters") if key in value] if isinstance(value, dict) else []
    return any(looks_like_schema(each) or _has_only_schema_keys(each) for each in (value, *inner))


def _has_only_schema_keys(value: Any) -> bool:
    return isinstance(value, dict) and "properties" in value and value.keys() <= ECHO_KEYS


def write_labels(path: Path) -> Counter[str]:
    """Write the labels beside a file of replies, and return how many there are of each."""
    labels = list(labels_of(path))
    rows = ",\n".join(json.dumps(each, ensure_ascii=False) for each in labels)
    path.with_suffix(".labels.json").write_text(f"[\n{rows}\n]\n", "utf-8")
    return Counter(each["label"] for each in labels)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(name, dict(write_labels(Path(name))))
