"""Reads JSON strictly: no rounding, no repeated keys, bounded nesting."""

import json
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from math import isinf
from typing import Any

from answergraph.json_text.json_depth import MAX_JSON_DEPTH, is_deeper, members


def load_json(text: str, *, exactly: bool = False) -> Any:
    """Return the value of a JSON text, ``None`` if invalid; ``exactly`` also refuses numbers that would be rounded."""
    try:
        data = (_EXACT if exactly else _DECODER).decode(text)
    except (ValueError, RecursionError):
        return None
    may_be_deep = text.count("[") + text.count("{") > MAX_JSON_DEPTH
    return None if may_be_deep and is_deeper(data) else data


def is_json(value: object) -> bool:
    """Return whether JSON has all numbers of a value."""
    try:
        FINITE.encode(value)
    except ValueError:
        return False
    return True


def lost_numbers(data: object, value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the paths of numbers in JSON that are too large for a ``float``, such as 1e999, also in a text, by what was read."""
    # A key that the type ignores is not in what was read.
    is_text = isinstance(data, str) and not data.strip(" +-").isalpha()
    if (is_text or (isinstance(data, float) and isinf(data))) and isinstance(value, float) and isinf(value):
        yield path
    for key, item in members(data):
        part = None
        with suppress(LookupError, TypeError):
            part = value[key]
        yield from lost_numbers(item, part, (*path, key))


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
FINITE = json.JSONEncoder(skipkeys=True, allow_nan=False, default=repr)
"""Raises ``ValueError`` for infinity and NaN."""
