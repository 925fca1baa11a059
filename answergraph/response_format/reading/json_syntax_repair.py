"""Mends small faults of JSON syntax, and refuses every repair that loses, rounds or invents data."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

MAX_MENDED_LENGTH = 100_000
"""Longer texts are not mended, in characters."""

MAX_MENDED_DEPTH = 64
"""Deeper nesting is not mended, in brackets: the library's cost grows with the depth as well."""

# A single quote inside a string in single quotes is one that does not end it: nothing that may follow a string follows it.
# Nothing is looked at twice: what never closes reaches to the text's end.
_STRING = re.compile(r""""((?:[^"\\]|\\.)*+)(?:"|\\?\Z)|'((?:[^'\\]|\\.|'(?!\s*+[,:}\]]))*+)(?:'|\\?\Z)""", re.DOTALL)
# Backslashes stay: an escape that was dropped is data that was lost.
_NOT_DATA = re.compile(r"""[\s"',:{}\[\]]""")
_BRACKET = re.compile(r"[{}\[\]]")
_OPENS = {"}": "{", "]": "["}
_LITERALS = (("True", "true"), ("False", "false"), ("None", "null"))


def mend_json(text: str) -> Any:
    """Return the object or list of a text that is almost JSON: trailing or missing commas, single quotes, keys without quotes.

    ``None`` if there is none or if mending would change data: each character that carries data must be there before and after,
    each string must have stood in quotes, and no bracket may be added, for a missing one may be the sign of a text that was cut.
    """
    stripped = text.strip()
    if len(stripped) > MAX_MENDED_LENGTH or not _is_closed(stripped):
        return None
    import json_repair  # noqa: PLC0415 - takes a twentieth of the import, and few replies need it

    try:
        value = json_repair.loads(stripped, skip_json_loads=True)
        written = json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError, TypeError):
        return None
    return value if isinstance(value, dict | list) and _says_the_same(stripped, written, value) else None


def _says_the_same(before: str, after: str, value: Any) -> bool:
    for python, literal in _LITERALS:
        before = re.sub(rf"(?<=[\s:,\[]){python}(?=[\s,}}\]])", literal, before)
    same_data = _NOT_DATA.sub("", before) == _NOT_DATA.sub("", after)
    same_shape = _brackets(before) == _brackets(after)
    quoted = {content for match in _STRING.finditer(before) for content in match.groups()}
    escaped = {string: json.dumps(string, ensure_ascii=False)[1:-1] for string in _strings(value)}
    return same_data and same_shape and all(not quoted.isdisjoint(spellings) for spellings in escaped.items())


def _is_closed(text: str) -> bool:
    """Return whether a text is one object or list whose brackets are all there; any other would have to be added to."""
    opened: list[str] = []
    brackets = _brackets(text)
    for place, bracket in enumerate(brackets):
        if bracket not in _OPENS:
            opened.append(bracket)
        elif not opened or opened.pop() != _OPENS[bracket]:
            return False
        if len(opened) > MAX_MENDED_DEPTH or (not opened and place < len(brackets) - 1):
            return False
    return bool(brackets) and not opened and text.startswith(brackets[0])


def _brackets(text: str) -> list[str]:
    return _BRACKET.findall(_STRING.sub("", text))


def _strings(value: Any) -> Iterator[str]:
    """Yield the string values; keys may have stood without quotes."""
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _strings(inner)
