"""Mends small faults of JSON syntax, and refuses every repair that loses, rounds or invents data."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import json_repair

MAX_MENDED_LENGTH = 100_000
"""Longer texts are not mended, in characters."""

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
# Backslashes stay: an escape that was dropped is data that was lost.
_NOT_DATA = re.compile(r"""[\s"',:{}\[\]]""")
_BRACKET = re.compile(r"[{}\[\]]")
_LITERALS = (("True", "true"), ("False", "false"), ("None", "null"))


def mend_json(text: str) -> Any:
    """Return the value of a text that is almost JSON: trailing or missing commas, single quotes, keys without quotes.

    Args:
        text: An object or a list, and nothing else.

    Returns:
        The value, ``None`` if there is none or if mending would change data: each character that carries data must be there
        before and after, each string must have stood in quotes, and no bracket may be added, for one that is missing may be
        the sign of a text that was cut.
    """
    stripped = text.strip()
    if not stripped.startswith(("{", "[")) or len(stripped) > MAX_MENDED_LENGTH:
        return None
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
    return same_data and same_shape and all(_stood_in_quotes(string, before) for string in _strings(value))


def _brackets(text: str) -> list[str]:
    return _BRACKET.findall(_STRING.sub("", text))


def _stood_in_quotes(string: str, text: str) -> bool:
    escaped = json.dumps(string, ensure_ascii=False)[1:-1]
    return any(f"{quote}{form}{quote}" in text for quote in "\"'" for form in (string, escaped))


def _strings(value: Any) -> Iterator[str]:
    """Yield the string values; keys may have stood without quotes."""
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _strings(inner)
