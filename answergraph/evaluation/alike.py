"""Tells whether two values of an answer mean the same, and which items of two lists belong together."""

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation

Normalize = Callable[[str], str]
Leaves = Mapping[str, object]
Pair = tuple[int | None, int | None]


def folded(text: str) -> str:
    """Return a text without what does not count in it: case, spacing, width."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def is_empty(value: object) -> bool:
    """Tell whether a value says nothing."""
    return value is None or value in ("", [], {})


def is_same(one: object, other: object, normalize: Normalize) -> bool:
    """Tell whether two values mean the same: numbers by value, an empty text, an empty list and nothing."""
    return _is_equal(_comparable(one, normalize), _comparable(other, normalize))


def pairs(expected: Sequence[object], actual: Sequence[object], normalize: Normalize) -> Iterator[Pair]:
    """Yield the indexes of the items that belong together, in the expected order; ``None`` where an item has no partner.

    The most alike are paired first, and of those the nearest: a list mostly keeps its order. Items that share nothing are none.
    """
    ones, others = ([dict(_leaves(_comparable(item, normalize))) for item in items] for items in (expected, actual))
    alike = ((_similarity(one, other), -abs(i - j), i, j) for i, one in enumerate(ones) for j, other in enumerate(others))
    partner: dict[int, int] = {}
    free = dict.fromkeys(range(len(others)))
    for similarity, _, i, j in sorted(alike, reverse=True):
        if similarity and i not in partner and j in free:
            partner[i] = j
            del free[j]
    yield from ((i, partner.get(i)) for i in range(len(ones)))
    yield from ((None, j) for j in free)


def _comparable(value: object, normalize: Normalize) -> object:
    """Return equal values for those that mean the same; ``None`` for what is empty."""
    if isinstance(value, str):
        return normalize(value) or None
    if isinstance(value, Mapping):
        return {key: _comparable(part, normalize) for key, part in value.items()} or None
    if isinstance(value, list):
        return [_comparable(part, normalize) for part in value] or None
    # True is no 1.
    return _number(value) if isinstance(value, int | float | Decimal) and not isinstance(value, bool) else value


def _is_equal(one: object, other: object) -> bool:
    if isinstance(one, Decimal) and isinstance(other, str):
        return one == _number(other)  # in JSON a Decimal is a text
    if isinstance(one, str) and isinstance(other, Decimal):
        return _number(one) == other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_equal, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def _number(value: object) -> object:
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _leaves(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Yield the values that an object holds; a list is one."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _leaves(part, f"{path}.{key}")
    else:
        yield path, value


def _similarity(one: Leaves, other: Leaves) -> float:
    """Return the share of their values that are equal, 0 to 1; both may lack one."""
    names = one.keys() | other.keys()
    return sum(_is_equal(one.get(name), other.get(name)) for name in names) / len(names)
