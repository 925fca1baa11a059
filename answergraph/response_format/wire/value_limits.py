"""Splits the limits on a value into those a dialect keeps and hints for the description."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from answergraph.response_format.wire.dialect_rules import LIMITS_IN_WORDS, TYPES_OF_LIMITS, DialectRules
from answergraph.response_format.wire.merge import Node, is_scalar

MAX_HINT_CHARACTERS = 120
"""Length of a value in a hint; a longer one is left to the check of the answer."""

_BEYOND_REGULAR = re.compile(r"\(\?|\\[1-9bBkAZzGpP]")
"""Groups with a question mark (look-around among them), back references, word boundaries and classes of Unicode."""


class Limits(NamedTuple):
    """The limits of one type: keywords that are kept, and hints in words."""

    kept: dict[str, Any]
    hints: tuple[str, ...]


def limits_of(node: Node, name: str, rules: DialectRules) -> Limits:
    speaks_of = "number" if name == "integer" else name
    spoken = {key: node[key] for key, each in TYPES_OF_LIMITS.items() if key in node and each == speaks_of}
    kept = {key: value for key, value in spoken.items() if _is_kept(key, value, rules)}
    return Limits(kept, said({key: value for key, value in spoken.items() if key not in kept}))


def said(node: Mapping[str, Any], keywords: Iterable[str] = LIMITS_IN_WORDS) -> tuple[str, ...]:
    """Return a node's keywords in words, without long values.

    Example:
        >>> said({"minimum": 1, "default": 3})
        ('minimum 1', 'default 3')
    """
    told = {key: _short(node[key]) for key in keywords if key in node and node[key] is not None}
    return tuple(LIMITS_IN_WORDS[key].format(value) for key, value in told.items() if value)


def described(schema: dict[str, Any], node: Mapping[str, Any], hints: Iterable[str]) -> dict[str, Any]:
    """Return a schema with a node's title and description, to which the hints are added."""
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


def _short(value: Any) -> str:
    try:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except (ValueError, TypeError, RecursionError):
        return ""
    return text if len(text) <= MAX_HINT_CHARACTERS else ""
