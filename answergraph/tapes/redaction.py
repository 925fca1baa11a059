"""Redaction: values of named fields leave a tape before it is written, wherever they stand in it.

A text is replaced by as many blocks as it has characters, so that the places of evidence keep their meaning; a number by
nines, so that it stays a number of its type.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from answergraph.kit import find_json

BLOCK = "█"
_MIN_CHARACTERS = 3  # shorter values are replaced in their fields only: in a text they would hide half of all words
_FIELD_IN_TEXT = r'"(?:{name})"\s*:\s*(?:"(?P<text>(?:[^"\\]|\\.)*)"|(?P<number>-?\d+(?:\.\d+)?))'


def redacted(records: list[dict[str, object]], names: Collection[str]) -> list[dict[str, Any]]:
    """Return the records of a tape without the values of the named fields, in JSON and in every text."""
    if not names:
        return records
    values = {value for record in records for value in _values_in(record, frozenset(names))}
    spellings = {each for word in map(_word, values) for each in (word, json.dumps(word)[1:-1]) if len(word) >= _MIN_CHARACTERS}
    search = re.compile("|".join(map(re.escape, sorted(spellings, key=len, reverse=True)))) if spellings else None
    return [_without(record, frozenset(names), search) for record in records]


def is_same(recorded: Any, live: Any) -> bool:
    """Return whether a recorded value is the live one, but for what was redacted."""
    if isinstance(recorded, str) and isinstance(live, str) and BLOCK in recorded:
        return len(recorded) == len(live) and all(one in (other, BLOCK) for one, other in zip(recorded, live, strict=True))
    if isinstance(recorded, dict) and isinstance(live, dict):
        return recorded.keys() == live.keys() and all(is_same(recorded[key], live[key]) for key in recorded)
    if isinstance(recorded, list) and isinstance(live, list):
        return len(recorded) == len(live) and all(map(is_same, recorded, live))
    return bool(recorded == live)


def _values_in(value: object, names: frozenset[str]) -> Iterator[object]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            if key in names:  # of an object under the name no values: it may be the field's schema
                yield from filter(_is_scalar, each if isinstance(each, list) else [each])
            yield from _values_in(each, names)
    elif isinstance(value, list):
        for each in value:
            yield from _values_in(each, names)
    elif isinstance(value, str):
        yield from _values_in_text(value, names)


def _values_in_text(text: str, names: frozenset[str]) -> Iterator[object]:
    """Yield the values of the named fields of JSON in a text, as tools return it; also of JSON that was cut."""
    known = [name for name in names if name in text]
    if known:
        yield from _values_in(find_json(text), names)
        for match in re.finditer(_FIELD_IN_TEXT.replace("{name}", "|".join(map(re.escape, known))), text):
            yield match["text"] or match["number"]


def _is_scalar(value: object) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _without(value: object, names: frozenset[str], search: re.Pattern[str] | None) -> Any:
    if isinstance(value, Mapping):
        return {key: _hidden(each) if key in names else _without(each, names, search) for key, each in value.items()}
    if isinstance(value, list):
        return [_without(each, names, search) for each in value]
    if isinstance(value, str) and search is not None:
        return search.sub(lambda match: BLOCK * len(match[0]), value)
    if _is_scalar(value) and search is not None and search.fullmatch(_word(value)):
        return _hidden(value)
    return value


def _hidden(value: Any) -> object:
    if isinstance(value, str):
        return BLOCK * len(value)
    return type(value)(re.sub(r"\d", "9", _word(value))) if _is_scalar(value) else None


def _word(value: object) -> str:
    return value if isinstance(value, str) else repr(value)
