"""The parts of a ``when(...)`` and their values on a state. Nothing is ever evaluated as Python."""

from __future__ import annotations

import operator
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from typing import Any, Literal

from pydantic import BaseModel

from answergraph.errors import RuleEvaluationError

ITEM = "item"
"""The name of the current item in the condition of ``exists(list, condition)`` and ``count(list, condition)``."""

MAX_ITEMS = 100_000
"""Total list items and parts of values that the rules of one decision may read; nested lists would otherwise take too long."""
CHARACTERS_PER_ITEM = 1_000  # characters of a text that count as an item

Kind = Literal["truth", "number", "text", "null", "any"]
"""The static kind of a part; ``"any"`` for a name."""

_MISSING = object()
_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


@dataclass(frozen=True)
class Facts:
    """The facts of one decision, and the items read for it."""

    values: Mapping[str, object]
    looked_at: list[int] = field(default_factory=lambda: [0])

    def look_at(self, text: str, items: int = 1) -> None:
        """Count items; raises ``RuleEvaluationError`` for too many."""
        self.looked_at[0] += items
        if self.looked_at[0] > MAX_ITEMS:
            raise RuleEvaluationError(text, f"it reads more than {MAX_ITEMS} list items")

    def items(self, text: str, value: Any) -> Iterator[Any]:
        """Yield the items of a list; raises ``RuleEvaluationError`` for other values and for too many items."""
        if not _is_list(value):
            raise RuleEvaluationError(text, "it needs a list")
        for item in value:
            self.look_at(text)
            yield item

    def with_item(self, item: object) -> Facts:
        return Facts(ChainMap({ITEM: item}, self.values), self.looked_at)  # type: ignore[arg-type]  # a ChainMap only reads


@dataclass(frozen=True)
class Expression:
    """A part of a ``when(...)``: a value or a condition."""

    text: str
    value: Callable[[Facts], object]
    """Raises ``RuleEvaluationError`` if the facts have no value."""
    kind: Kind = "truth"
    is_constant: bool = False

    def holds(self, facts: Facts) -> bool:
        """Return whether a condition holds; raise ``RuleEvaluationError`` if it is neither true nor false."""
        value = self.value(facts)
        if not isinstance(value, bool):
            raise RuleEvaluationError(self.text, f"{value!r} is neither true nor false")
        return value


def constant(text: str, value: object) -> Expression:
    kinds: Mapping[type, Kind] = {bool: "truth", str: "text", type(None): "null"}
    return Expression(text, lambda facts: value, kinds.get(type(value), "number"), is_constant=True)


def path(text: str) -> Expression:
    """Return a name of the state, with keys, fields and list positions after dots."""

    def value(facts: Facts) -> Any:
        fact = _fact(facts, text)
        if fact is _MISSING:
            raise RuleEvaluationError(text, f"there is no {text!r}; exists({text}) asks whether there is")
        return fact

    return Expression(text, value, "any")


def comparison(text: str, left: Expression, sign: str, right: Expression) -> Expression:
    """Return a comparison: ``==`` and ``!=`` of any values without converting them, the others of numbers."""

    def value(facts: Facts) -> bool:
        one, other = left.value(facts), right.value(facts)
        if sign in ("==", "!="):
            return _same(facts, text, one, other) == (sign == "==")
        if not (_is_number(one) and _is_number(other)):
            raise RuleEvaluationError(text, f"{sign} compares numbers, not {one!r} and {other!r}")
        return _ORDERS[sign](one, other)

    return Expression(text, value)


def exists(text: str, name: str) -> Expression:
    """Return whether a value exists and is not ``null``."""

    def value(facts: Facts) -> bool:
        fact = _fact(facts, name)
        return fact is not _MISSING and fact is not None

    return Expression(text, value)


def any_item(text: str, name: str, condition: Expression) -> Expression:

    def value(facts: Facts) -> bool:
        return any(condition.holds(facts.with_item(item)) for item in facts.items(text, _fact(facts, name)))

    return Expression(text, value)


def count(text: str, name: str, condition: Expression) -> Expression:
    """Return how many items of a list meet a condition."""

    def value(facts: Facts) -> int:
        return sum(condition.holds(facts.with_item(item)) for item in facts.items(text, _fact(facts, name)))

    return Expression(text, value, "number")


def contains(text: str, container: Expression, wanted: Expression) -> Expression:
    """Return whether a list holds a value, or a text another one."""

    def value(facts: Facts) -> bool:
        holder, part = container.value(facts), wanted.value(facts)
        if isinstance(holder, str) and isinstance(part, str):
            facts.look_at(text, len(holder) // CHARACTERS_PER_ITEM)
            return part in holder
        if not _is_list(holder):
            raise RuleEvaluationError(text, f"contains looks for a value in a list or for a text in a text, not in {holder!r}")
        return any(_same(facts, text, item, part) for item in facts.items(text, holder))

    return Expression(text, value)


def negation(text: str, condition: Expression) -> Expression:
    return Expression(text, lambda facts: not condition.holds(facts))


def joined(text: str, conditions: Sequence[Expression], of: Callable[[Iterable[bool]], bool]) -> Expression:
    return Expression(text, lambda facts: of(condition.holds(facts) for condition in conditions))


def _fact(facts: Facts, name: str) -> object:
    fact: object = facts.values
    for part in name.replace("[", ".").replace("]", "").split("."):
        fact = _member(facts, fact, part)
    return fact


def _member(facts: Facts, holder: Any, name: str) -> object:
    """Return a key, a declared field, a list item, its ``length``, or ``name`` of each item."""
    if isinstance(holder, Mapping):
        return holder.get(name, _MISSING)
    if _is_list(holder):
        if name.isascii() and name.isdigit():
            return holder[int(name)] if int(name) < len(holder) else _MISSING
        if name == "length":
            return len(holder)
        each = [_member(facts, item, name) for item in facts.items(name, holder)]
        return _MISSING if any(one is _MISSING for one in each) else each
    # Declared fields only: rules read data and call nothing.
    declared = type(holder).model_fields if isinstance(holder, BaseModel) else ()
    fields = getattr(holder, "__dataclass_fields__", ()) if is_dataclass(holder) else declared
    return getattr(holder, name, _MISSING) if name in fields else _MISSING


def _same(facts: Facts, text: str, left: Any, right: Any) -> bool:
    """Compare values iteratively, because they may be nested deeply."""
    waiting = [(left, right)]
    while waiting:
        one, other = waiting.pop()
        if _is_number(one) and _is_number(other):
            is_same = one == other
        elif type(one) is not type(other):
            return False  # ``1`` is not ``true``, unlike in Python
        elif isinstance(one, list | tuple) and len(one) == len(other):
            facts.look_at(text, len(one))
            waiting += zip(one, other, strict=True)
            continue
        elif isinstance(one, dict) and one.keys() == other.keys():
            facts.look_at(text, len(one))
            waiting += [(one[key], other[key]) for key in one]
            continue
        else:
            facts.look_at(text, len(one) // CHARACTERS_PER_ITEM if isinstance(one, str) else 0)
            is_same = not isinstance(one, list | tuple | dict) and one == other
        if not is_same:
            return False
    return True


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)
