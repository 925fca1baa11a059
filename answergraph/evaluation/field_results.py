"""Compares an answer with the expected one, field by field; the items of lists in any order."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Literal

from typing_extensions import TypedDict

from answergraph.graphs.add_ons.ensemble.same_values import aligned, meaning
from answergraph.kit import FieldPath
from answergraph.runtime.argument_checks import shown
from answergraph.runtime.errors import AgentSpecError

WHOLE = FieldPath()
_MAX_SHOWN = 80


class FieldResult(TypedDict):
    """What became of one expected field, or of one row that was not expected."""

    field: str
    """Its path in the expected answer; of an extra row, that in the answer."""
    mark: Literal["right", "wrong", "missing", "extra"]
    supported: bool
    """Whether a check of the agent found the value in a source."""
    problem: str | None


class FieldComparison:
    """Compares answers; ``backed`` holds the places of the answer that something stands behind."""

    def __init__(self, keys: Mapping[str, str], backed: Collection[str]) -> None:
        """``keys`` names the field by which the items of a list are matched, by the list's path."""
        self._keys = keys
        self._backed = backed

    def results(
        self, expected: object, actual: object, path: FieldPath = WHOLE, place: FieldPath = WHOLE
    ) -> Iterator[FieldResult]:
        """Yield a result for each expected field.

        Args:
            expected: JSON; an object may leave fields out, which are not compared.
            actual: JSON; ``None`` if nothing is there.
            path: Where it stands in the expected answer.
            place: Where it stands in the answer: items may have another order.
        """
        if expected and isinstance(expected, Mapping) and (actual is None or isinstance(actual, Mapping)):
            for key, each in expected.items():
                yield from self.results(each, (actual or {}).get(key), path / key, place / key)
        elif isinstance(expected, list) and (actual is None or isinstance(actual, list)) and (expected or actual):
            yield from self._items(expected, actual or [], path, place)
        else:
            yield self._value(expected, actual, path, place)

    def _items(
        self, expected: Sequence[object], actual: Sequence[object], path: FieldPath, place: FieldPath
    ) -> Iterator[FieldResult]:
        key = self._keys.get(path.pattern)
        # Only the expected fields say which item is meant.
        rows = aligned([expected, _like(expected, actual)]) if key is None else _by_key(expected, actual, key, path)
        for one, other in rows:
            if one is not None:
                item = None if other is None else actual[other]
                yield from self.results(expected[one], item, path / one, place / (other or 0))
            elif other is not None:
                yield _result(path / other, "extra", problem=f"{_short(actual[other])} is not expected")

    def _value(self, expected: object, actual: object, path: FieldPath, place: FieldPath) -> FieldResult:
        if is_same(expected, actual):
            return _result(path, "right", supported=place in self._backed)
        if actual is None:
            return _result(path, "missing", problem=f"{_short(expected)} is missing")
        mark: Literal["wrong", "extra"] = "extra" if _is_empty(expected) else "wrong"
        problem = f"expected {_short(expected)}, got {_short(actual)}"
        return _result(path, mark, supported=place in self._backed, problem=problem)


def is_same(one: object, other: object) -> bool:
    """Tell whether two values mean the same: numbers by value, texts without case and spacing, an empty list and nothing."""
    if meaning(one) == meaning(other) or (_is_empty(one) and _is_empty(other)):
        return True
    # In JSON a Decimal is a text.
    numbers = {_number(one), _number(other)}
    return isinstance(one, str) != isinstance(other, str) and len(numbers) == 1 and None not in numbers


def _result(
    path: FieldPath, mark: Literal["right", "wrong", "missing", "extra"], *, supported: bool = False, problem: str | None = None
) -> FieldResult:
    return FieldResult(field=str(path), mark=mark, supported=supported, problem=problem)


def _like(expected: Sequence[object], actual: Sequence[object]) -> list[object]:
    """Return items with the fields only that expected items have."""
    names = {name for item in expected if isinstance(item, Mapping) for name in item}
    return [{name: item[name] for name in item if name in names} if isinstance(item, Mapping) else item for item in actual]


def _by_key(
    expected: Sequence[object], actual: Sequence[object], key: str, path: FieldPath
) -> Iterator[tuple[int | None, int | None]]:
    free = list(range(len(actual)))
    for one, item in enumerate(expected):
        if not isinstance(item, Mapping) or key not in item:
            raise AgentSpecError(f"keys={{{str(path.pattern)!r}: {key!r}}}: the expected {path / one} has no {key!r}.")
        other = next((each for each in free if is_same(item[key], _key_of(actual[each], key))), None)
        if other is not None:
            free.remove(other)
        yield one, other
    yield from ((None, each) for each in free)


def _key_of(item: object, key: str) -> object:
    return item.get(key) if isinstance(item, Mapping) else None


def _is_empty(value: object) -> bool:
    return value is None or value in ("", [], {})


def _number(value: object) -> Decimal | None:
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() and not isinstance(value, bool) else None


def _short(value: object) -> str:
    text = shown(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"
