"""Reads JSON strictly: no rounding, no repeated keys, bounded nesting."""

import json
from decimal import Decimal
from typing import Any

from answergraph.json_text.json_depth import MAX_JSON_DEPTH, is_deeper


def load_json(text: str, *, exactly: bool = False) -> Any:
    """Return the value of a JSON text, ``None`` if invalid; ``exactly`` also refuses numbers that would be rounded."""
    try:
        data = (_EXACT if exactly else _DECODER).decode(text)
    except (ValueError, RecursionError):
        return None
    may_be_deep = text.count("[") + text.count("{") > MAX_JSON_DEPTH
    return None if may_be_deep and is_deeper(data) else data


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def with_unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise ValueError("a name is repeated in an object")
    return result


def _exact(text: str) -> float:
    number = float(text)
    if Decimal(text) != Decimal(number if number.is_integer() else repr(number)):
        raise ValueError(f"{text} would be rounded")
    return number


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=with_unique_keys)
"""Built once: a text may hold very many objects."""
_EXACT = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=with_unique_keys, parse_float=_exact)
