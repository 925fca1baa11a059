"""Repairs small JSON syntax errors in one pass: commas, quotes, unquoted keys, Python constants.

The tokens are rewritten as JSON and read strictly. No bracket or value is added, so that no repair loses, rounds or invents data.
"""

import json
import re
from typing import Any

from answergraph.json_text.strict_json import load_json

MAX_MENDED_LENGTH = 100_000
"""In characters; longer texts are not repaired."""

# A single quote ends a single-quoted string only if a delimiter follows.
# Possessive quantifiers: no backtracking.
_TOKEN = re.compile(
    r"""\s*+(?:"(?P<double>(?:[^"\\]|\\.)*+)"|'(?P<single>(?:[^'\\]|\\.|'(?!\s*+[,:}\]]))*+)'"""
    r"""|(?P<open>[{\[])|(?P<close>[}\]])|(?P<comma>,)|(?P<colon>:)|(?P<word>[^\s"',:{}\[\]]++))\s*+""",
    re.DOTALL,
)
_ESCAPED = re.compile(r'\\.|"', re.DOTALL)
_CONSTANTS = {"True": "true", "False": "false", "None": "null"}
_ENDS_ITEM = frozenset({"double", "single", "close", "word"})


def mend_json(text: str) -> Any:
    """Return the object or list of an almost valid text, ``None`` if a repair might change data."""
    parts: list[str] = []
    last, text_before, position = "", "", 0
    while position < len(text) <= MAX_MENDED_LENGTH:
        token = _TOKEN.match(text, position)
        if token is None or token.lastgroup is None:
            return None
        kind, token_text, position = token.lastgroup, token[token.lastgroup], token.end()
        if kind == "close" and last == "comma":
            parts.pop()
        elif kind == "colon" and last == "word":
            parts[-1] = json.dumps(text_before)
        elif last in _ENDS_ITEM and kind not in {"close", "comma", "colon"}:
            if kind == last == "word" or (kind != "open" and last != "close" and not text[token.start() - 1].isspace()):
                return None  # one string, or a number with spaces
            parts.append(",")
        parts.append(_as_json(kind, token_text))
        last, text_before = kind, token_text
    value = load_json("".join(parts), exactly=True)
    return value if isinstance(value, dict | list) else None


def _as_json(kind: str, token_text: str) -> str:
    if kind in {"double", "single"}:
        return f'"{_ESCAPED.sub(_escaped, token_text)}"'
    return _CONSTANTS.get(token_text, token_text)


def _escaped(match: re.Match[str]) -> str:
    return {"\\'": "'", '"': '\\"'}.get(match[0], match[0])
