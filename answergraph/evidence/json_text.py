"""Undoes the escapes in a JSON text, so that quotes can be found in it."""

from __future__ import annotations

import json
import re
from re import Match

from answergraph.evidence.mapped_text import MappedText

_ESCAPE = re.compile(r"(?:\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\(?:u[0-9a-fA-F]{4}|[\"\\/bfnrt])")
_COMMA_IN_DIGITS = re.compile(r"[0-9],-?[0-9]")
_STRING_OR_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|(?<=[0-9]),(?=-?[0-9])')
_SHORT = {"\\n": "\n", '\\"': '"', "\\\\": "\\", "\\t": "\t", "\\r": "\r"}


def unescaped(text: str) -> MappedText | None:
    """Return a JSON text, or lines of JSON, with escapes undone; ``None`` if it is no JSON or has none."""
    if "\\" not in text or not _is_json(text):
        return None
    return without_escapes(MappedText.unchanged(text))


def separated(text: str) -> MappedText | None:
    """Return a JSON text with escapes undone and list items apart: in ``[1,234]`` the comma groups no digits.

    ``None`` if it is no JSON, or no comma stands between digits.
    """
    if _COMMA_IN_DIGITS.search(text) is None or not _is_json(text):
        return None
    return without_escapes(MappedText.unchanged(text).changed(_STRING_OR_COMMA, _apart))


def without_escapes(text: MappedText) -> MappedText:
    """Return a text with escapes of JSON undone, whether it is JSON or not."""
    return text.changed(_ESCAPE, _undone)


def _is_json(text: str) -> bool:
    return _parses(text) or all(_parses(line) for line in text.splitlines() if line.strip())


def _parses(text: str) -> bool:
    if text.lstrip()[:1] not in {"{", "[", '"'}:
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _undone(match: Match[str]) -> str:
    escape = match.group()
    return _SHORT.get(escape) or str(json.loads(f'"{escape}"'))


def _apart(match: Match[str]) -> str:
    return ", " if match.group() == "," else match.group()
