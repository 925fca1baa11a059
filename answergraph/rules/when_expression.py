"""The parts of a ``when(...)`` and their values on a state. Nothing is ever evaluated as Python."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from typing import Any

from pydantic import BaseModel

from answergraph.state.errors import RuleEvaluationError

ITEM = "item"
"""Names the item at hand in the condition of ``exists(list, condition)``."""

Facts = Mapping[str, Any]

_MISSING = object()
_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


@dataclass(frozen=True)
class Expression:
    """A part of a ``when(...)``: a value or a condition."""

    text: str
    """The part as it was written."""
    value: Callable[[Facts], Any]
    """Raises ``RuleEvaluationError`` where the facts give no value."""

    def holds(self, facts: Facts) -> bool:
        """Return whether a condition holds.

        Raises:
            RuleEvaluationError: If it is neither true nor false.
        """
        value = self.value(facts)
        if not isinstance(value, bool):
            raise RuleEvaluationError(self.text, f"{value!r} is neither true nor false")
        return value


def constant(text: str, value: Any) -> Expression:
    return Expression(text, lambda facts: value)


def path(text: str) -> Expression:
    """Return a name of the state, with keys, fields and list positions after dots."""

    def value(facts: Facts) -> Any:
        found = _found(facts, text)
        if found is _MISSING:
            raise RuleEvaluationError(text, f"there is no {text!r}; exists({text}) asks whether there is")
        return found

    return Expression(text, value)


def comparison(text: str, left: Expression, sign: str, right: Expression) -> Expression:
    """Return a comparison: ``==`` and ``!=`` of any values without converting them, the others of numbers."""

    def value(facts: Facts) -> bool:
        one, other = left.value(facts), right.value(facts)
        if sign in ("==", "!="):
            return _same(one, other) == (sign == "==")
        if not (_is_number(one) and _is_number(other)):
            raise RuleEvaluationError(text, f"{sign} compares numbers, not {one!r} and {other!r}")
        return _ORDERS[sign](one, other)

    return Expression(text, value)


def exists(text: str, name: str, condition: Expression | None) -> Expression:
    """Return whether something is there and not ``null``, or whether an item of a list meets a condition."""

    def value(facts: Facts) -> bool:
        found = _found(facts, name)
        if condition is None:
            return found is not _MISSING and found is not None
        if not _is_list(found):
            raise RuleEvaluationError(text, f"{name!r} is no list")
        return any(condition.holds({**facts, ITEM: item}) for item in found)

    return Expression(text, value)


def contains(text: str, container: Expression, wanted: Expression) -> Expression:
    """Return whether a list holds a value, or a text another one."""

    def value(facts: Facts) -> bool:
        holder, part = container.value(facts), wanted.value(facts)
        if isinstance(holder, str) and isinstance(part, str):
            return part in holder
        if not _is_list(holder):
            raise RuleEvaluationError(text, f"contains looks for a value in a list or for a text in a text, not in {holder!r}")
        return any(_same(item, part) for item in holder)

    return Expression(text, value)


def negation(text: str, condition: Expression) -> Expression:
    return Expression(text, lambda facts: not condition.holds(facts))


def conjunction(text: str, conditions: Sequence[Expression]) -> Expression:
    return Expression(text, lambda facts: all(condition.holds(facts) for condition in conditions))


def disjunction(text: str, conditions: Sequence[Expression]) -> Expression:
    return Expression(text, lambda facts: any(condition.holds(facts) for condition in conditions))


def _found(facts: Facts, name: str) -> Any:
    found: Any = facts
    for part in name.split("."):
        found = _member(found, part)
    return found


def _member(holder: Any, name: str) -> Any:
    if isinstance(holder, Mapping):
        return holder.get(name, _MISSING)
    if _is_list(holder):
        return holder[int(name)] if name.isascii() and name.isdigit() and int(name) < len(holder) else _MISSING
    # Declared fields only: a rule reads data and calls nothing.
    declared = type(holder).model_fields if isinstance(holder, BaseModel) else ()
    fields = getattr(holder, "__dataclass_fields__", ()) if is_dataclass(holder) else declared
    return getattr(holder, name, _MISSING) if name in fields else _MISSING


def _same(left: Any, right: Any) -> bool:
    if _is_number(left) and _is_number(right):
        return bool(left == right)
    # ``1`` is not ``true``, though Python says so.
    return type(left) is type(right) and bool(left == right)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)
