"""Splits the limits on a value into those that a dialect supports and hints for the description."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from answergraph.json_schema.dialects import LIMITS_IN_WORDS, TYPES_OF_LIMITS, DialectRules
from answergraph.json_schema.merge import Node, is_scalar

MAX_HINT_CHARACTERS = 120
"""Maximum length of a value in a hint; longer ones are only checked in the answer."""

_BEYOND_REGULAR = re.compile(r"\(\?|\\[1-9bBkAZzGpP]")
"""Groups with a question mark, such as look-around, back references, word boundaries and Unicode classes."""

# Only texts of digits, signs and points match such a pattern.
_OF_DIGITS = re.compile(r"(?:\\[d.+-]|\[(?:\\d|[-+.0-9])++\]|\(\?(?:[:=!]|<[=!])|[-+0-9^$(){}?*|,])*+")
_PIECE = re.compile(r"\\(?P<short>[dwsDWS])|\\.|(?P<open>\[\^?)|(?P<close>\])|(?P<any>\.)", re.DOTALL)
_NOT_IN_A_STRING = r'"\\\x00-\x1f'
"""The quote, the backslash and control characters, which JSON escapes."""
_CLASSES = {"d": "0-9", "w": "A-Za-z0-9_", "s": " "}
"""As in ECMA-262, whose patterns JSON Schema uses; the space is the only white space that JSON strings contain literally."""


class Hinted(NamedTuple):
    """A schema, or some keywords of one, and hints in words for what they do not express."""

    schema: dict[str, Any]
    hints: tuple[str, ...]


def limits_of(node: Node, name: str, rules: DialectRules) -> Hinted:
    speaks_of = "number" if name == "integer" else name
    spoken = {key: node[key] for key, each in TYPES_OF_LIMITS.items() if key in node and each == speaks_of}
    kept = {key: value for key, value in spoken.items() if _is_kept(key, value, rules)}
    return Hinted(kept, hints_for({key: value for key, value in spoken.items() if key not in kept}))


def hints_for(node: Mapping[str, object], keywords: Iterable[str] = LIMITS_IN_WORDS) -> tuple[str, ...]:
    """Return a node's keywords in words, without long values."""
    limits = {key: _short(node[key]) for key in keywords if key in node and node[key] is not None}
    return tuple(LIMITS_IN_WORDS[key].format(value) for key, value in limits.items() if value)


def described(schema: dict[str, Any], node: Mapping[str, Any], hints: Iterable[str]) -> dict[str, object]:
    """Return a schema with a node's title, and with its description extended by the hints."""
    annotations = {key: node[key] for key in ("title", "description") if isinstance(node.get(key), str)}
    words = "; ".join(hints)
    if words and annotations.get("description"):
        annotations["description"] += f" ({words})"
    elif words:
        annotations["description"] = words[0].upper() + words[1:]
    return {**annotations, **schema}


def _is_kept(key: str, value: Any, rules: DialectRules) -> bool:
    if key not in rules.limits:
        return False
    if key == "format":
        return isinstance(value, str) and (rules.formats is None or value in rules.formats)
    if key == "pattern":
        return isinstance(value, str) and not _BEYOND_REGULAR.search(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not is_scalar(value):
        return False
    return key != "minItems" or rules.max_min_items is None or value <= rules.max_min_items


def _short(value: object) -> str:
    try:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except (ValueError, TypeError, RecursionError):
        return ""
    return text if len(text) <= MAX_HINT_CHARACTERS else ""


def plain_keyword(key: str, value: object) -> object:
    """Return the value of a keyword as a grammar can say it.

    Beside a number, a text of digits whose pattern no grammar can say is left out, as of Pydantic's ``Decimal``: it would be any
    text. Nothing else says what another text does, so that stays.
    """
    if key in ("anyOf", "oneOf") and isinstance(value, list):
        has_number = any(isinstance(each, Mapping) and each.get("type") in ("number", "integer") for each in value)
        return [each for each in value if not (has_number and _is_unsayable_number(each))]
    return plain_pattern(value) if key == "pattern" and isinstance(value, str) else value


def _is_unsayable_number(schema: object) -> bool:
    pattern = schema.get("pattern") if isinstance(schema, Mapping) else None
    return isinstance(pattern, str) and bool(_BEYOND_REGULAR.search(pattern) and _OF_DIGITS.fullmatch(pattern))


def plain_pattern(pattern: str) -> str:
    """Return a pattern with its classes written out, in which no class matches a character that JSON escapes.

    llama.cpp's grammar supports only plain classes and silently drops other patterns; its negated classes match quotes.
    """
    parts: list[str] = []
    position, in_class = 0, False
    for piece in _PIECE.finditer(pattern):
        kind, token = piece.lastgroup, piece[0]
        if in_class and kind == "short" and token[1].isupper():
            return pattern  # no plain class expresses a negated class inside another class
        parts += [pattern[position : piece.start()], _plain(kind, token, in_class=in_class)]
        in_class = kind == "open" or (in_class and kind != "close")
        position = piece.end()
    return "".join([*parts, pattern[position:]])


def _plain(kind: str | None, token: str, *, in_class: bool) -> str:
    if kind == "short":
        chosen = _CLASSES[token[1].lower()]
        if not in_class:
            return f"[{chosen}]" if token[1].islower() else f"[^{_NOT_IN_A_STRING}{chosen}]"
        return chosen
    if in_class:
        return token
    return {"[^": f"[^{_NOT_IN_A_STRING}", ".": f"[^{_NOT_IN_A_STRING}]"}.get(token, token)
