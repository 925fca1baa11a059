"""Compares an answer with the expected one, field by field; the items of lists in any order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from typing_extensions import TypedDict

from answergraph import Key
from answergraph.evaluation.alike import Normalize, Pair, is_empty, is_same, pairs
from answergraph.kit import FieldPath
from answergraph.runtime.argument_checks import shown
from answergraph.runtime.errors import AgentSpecError, AnswerRejected

WHOLE = FieldPath()
_MAX_SHOWN = 80


class FieldResult(TypedDict):
    """What became of one expected field, or of one row that was not expected."""

    field: str
    """Its path in the expected answer, by the names of the declared type; of an extra row, that in the answer."""
    mark: Literal["right", "wrong", "missing", "extra"]
    supported: bool
    """Whether a check of the agent found the value in a source."""
    problem: str | None


@dataclass(frozen=True)
class FieldComparison:
    """Compares answers with expected ones."""

    declared: Mapping[str, Key]
    """What names the items of a list in the declared type, by the list's path; a case may leave that out."""
    keys: Mapping[str, str]
    """The caller's own; every expected item must have it."""
    normalize: Normalize
    name_of: Callable[[FieldPath], FieldPath] = lambda path: path
    """Returns the name of a field in the declared type, as in ``outcome["fields"]``, by its path in JSON."""
    backed: Collection[str] = ()
    """The paths in the answer of what something stands behind."""

    def backed_by(self, paths: Collection[str]) -> FieldComparison:
        """Return the comparison with an answer of which something stands behind these paths."""
        return replace(self, backed=paths)

    def results(
        self, expected: object, actual: object, path: FieldPath = WHOLE, actual_path: FieldPath = WHOLE
    ) -> Iterator[FieldResult]:
        """Yield a result for each expected field.

        Args:
            expected: JSON; an object may leave fields out, which are not compared.
            actual: JSON; ``None`` if nothing is there.
            path: Where it stands in the expected answer.
            actual_path: Where it stands in the answer: items may have another order.
        """
        if expected and isinstance(expected, Mapping) and (actual is None or isinstance(actual, Mapping)):
            for key, each in expected.items():
                yield from self.results(each, (actual or {}).get(key), path / key, actual_path / key)
        elif isinstance(expected, list) and (actual is None or isinstance(actual, list)) and (expected or actual):
            yield from self._items(expected, actual or [], path, actual_path)
        else:
            yield self._value(expected, actual, path, actual_path)

    def _items(
        self, expected: Sequence[object], actual: Sequence[object], path: FieldPath, actual_path: FieldPath
    ) -> Iterator[FieldResult]:
        for one, other in self._pairs(expected, actual, path):
            if one is not None:
                item = None if other is None else actual[other]
                yield from self.results(expected[one], item, path / one, actual_path / (other or 0))
            elif other is not None:
                yield _result(path / other, "extra", problem=f"{_short(actual[other])} is not expected")

    def _pairs(self, expected: Sequence[object], actual: Sequence[object], path: FieldPath) -> Iterator[Pair]:
        pattern = path.pattern
        if (name := self.keys.get(pattern)) is not None:
            for index, item in enumerate(expected):
                if not _has(item, (name,)):
                    raise AgentSpecError(f"keys={{{str(pattern)!r}: {name!r}}}: the expected {path / index} has no {name!r}.")
            return self._by_key(expected, actual, (name,))
        key = self.declared.get(pattern)
        if key is not None and all(_has(item, key.fields) for item in expected):
            return self._by_key(expected, actual, key.fields)
        # Only the expected fields say which item is meant.
        return pairs(expected, _like(expected, actual), self.normalize)

    def _value(self, expected: object, actual: object, path: FieldPath, actual_path: FieldPath) -> FieldResult:
        supported = actual_path in self.backed
        if callable(expected):
            return {**expectation_result(expected, actual), "field": str(path), "supported": supported}
        if is_same(expected, actual, self.normalize):
            return _result(path, "right", supported=supported)
        if actual is None:
            return _result(path, "missing", problem=f"{_short(expected)} is missing")
        mark: Literal["wrong", "extra"] = "extra" if is_empty(expected) else "wrong"
        return _result(path, mark, supported=supported, problem=f"expected {_short(expected)}, got {_short(actual)}")

    def _by_key(self, expected: Sequence[object], actual: Sequence[object], names: Sequence[str]) -> Iterator[Pair]:
        free = list(range(len(actual)))
        for one, item in enumerate(expected):
            wanted = [_value_of(item, name) for name in names]
            same = (each for each in free if is_same(wanted, [_value_of(actual[each], name) for name in names], self.normalize))
            if (other := next(same, None)) is not None:
                free.remove(other)
            yield one, other
        yield from ((None, each) for each in free)


def expectation_result(holds: Callable[[Any], object], value: object) -> FieldResult:
    """Return what a predicate says of a value; as a check of an agent, it may say why with ``AnswerRejected``."""
    if value is None:
        return _result(WHOLE, "missing", problem="there is no answer")
    try:
        problem = None if holds(value) else f"the case does not accept {_short(value)}"
    except AnswerRejected as error:
        problem = str(error)
    return _result(WHOLE, "wrong" if problem else "right", problem=problem)


def _result(
    path: FieldPath, mark: Literal["right", "wrong", "missing", "extra"], *, supported: bool = False, problem: str | None = None
) -> FieldResult:
    return FieldResult(field=str(path), mark=mark, supported=supported, problem=problem)


def _like(expected: Sequence[object], actual: Sequence[object]) -> list[object]:
    """Return items with the fields only that expected items have."""
    names = {name for item in expected if isinstance(item, Mapping) for name in item}
    return [{name: item[name] for name in item if name in names} if isinstance(item, Mapping) else item for item in actual]


def _has(item: object, names: Sequence[str]) -> bool:
    """Return whether an expected item says which one it is; a predicate does not."""
    return isinstance(item, Mapping) and all(name in item and not callable(item[name]) for name in names)


def _value_of(item: object, name: str) -> object:
    return item.get(name) if isinstance(item, Mapping) else None


def _short(value: object) -> str:
    text = shown(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"
