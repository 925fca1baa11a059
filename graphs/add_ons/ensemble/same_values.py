"""Tells whether two readers mean the same: numbers by value, texts without case and spacing, items of lists in any order."""

import json
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

MIN_SIMILARITY = 0.3
"""Least share of equal fields of two objects that are taken for one item."""


def meaning(value: object) -> str:
    """Return the same text for values that mean the same."""
    return json.dumps(_folded(value), sort_keys=True, default=repr)


def _folded(value: object) -> object:
    if isinstance(value, str):
        return " ".join(unicodedata.normalize("NFKC", value).casefold().split())
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return ["number", str(Decimal(str(value)).normalize())]
    if isinstance(value, Mapping):
        return {key: _folded(part) for key, part in value.items()}
    return [_folded(part) for part in value] if isinstance(value, list) else value


def aligned(lists: Sequence[Sequence[object]], key: object = None) -> list[list[int | None]]:
    """Return one row per item, in the order of the first list, then the others': its index in each list, or ``None``.

    Items are matched by their ``Key``, if there is one.
    """
    rows: list[list[int | None]] = []
    known: list[object] = []
    for number, items in enumerate(lists):
        for index, row in enumerate(_matches(known, items) if key is None else _by_key(known, items, key)):
            if row is None:
                rows.append([None] * len(lists))
                known.append(items[index])
            rows[-1 if row is None else row][number] = index
    return rows


def _by_key(known: Sequence[object], items: Sequence[object], key: Any) -> list[int | None]:
    rows = {meaning(name): row for row, item in enumerate(known) if (name := key.of(item)) is not None}
    return [rows.pop(meaning(key.of(item)), None) for item in items]


def _matches(known: Sequence[object], items: Sequence[object]) -> list[int | None]:
    """Return the row that each item belongs to: equal items first, then the most similar objects, then the same position."""
    matches: list[int | None] = [None] * len(items)
    free = dict.fromkeys(range(len(known)))
    texts = [meaning(item) for item in known]
    for index, item in enumerate(items):
        text = meaning(item)
        same = index if index in free and texts[index] == text else next((row for row in free if texts[row] == text), None)
        if same is not None:
            matches[index] = same
            del free[same]
    left = [index for index, match in enumerate(matches) if match is None]
    pairs = sorted((-_similarity(items[index], known[row]), abs(index - row), index, row) for index in left for row in free)
    for difference, _, index, row in pairs:
        if matches[index] is None and row in free and -difference >= MIN_SIMILARITY:
            matches[index] = row
            del free[row]
    if len(items) == len(known):
        for index, row in zip((index for index in left if matches[index] is None), list(free), strict=False):
            matches[index] = row
    return matches


def _similarity(one: object, other: object) -> float:
    if not isinstance(one, Mapping) or not isinstance(other, Mapping):
        return 0.0
    left, right = (Counter((key, meaning(value)) for key, value in each.items()) for each in (one, other))
    return (left & right).total() / max((left | right).total(), 1)
