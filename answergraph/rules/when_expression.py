"""The parts of a ``when(...)`` and their values on a state. Nothing is ever evaluated as Python."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from typing import Any

from pydantic import BaseModel

from answergraph.state.errors import RuleEvaluationError

ITEM = "item"
"""Names the item at hand in the condition of ``exists(list, condition)``."""

MAX_STEPS = 100_000
"""Names looked up, values compared and items asked, for all the rules of one decision together: half a second at most."""
CHARACTERS_PER_STEP = 1_000
"""Texts of so many characters are compared or searched in one step."""

_MISSING = object()
_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


@dataclass
class Evaluation:
    """The facts that the rules of one decision are decided on, and the steps taken for it."""

    facts: Mapping[str, Any]
    item: Any = _MISSING
    """The item at hand, inside ``exists(list, condition)``."""
    steps: list[int] = field(default_factory=lambda: [0])
    """One count for the evaluation and those of its items."""

    def spend(self, steps: int = 1) -> None:
        """Count steps.

        Raises:
            RuleEvaluationError: If there are more than ``MAX_STEPS``.
        """
        self.steps[0] += steps
        if self.steps[0] > MAX_STEPS:
            raise RuleEvaluationError("...", f"the rules take more than {MAX_STEPS} steps on these facts")

    def found(self, name: str) -> Any:
        """Return what stands under a name, with keys, fields and list positions after dots."""
        first, *rest = name.split(".")
        is_item = first == ITEM and self.item is not _MISSING
        found = self.item if is_item else self.facts.get(first, _MISSING)
        for part in rest:
            found = _member(found, part)
        self.spend(1 + len(rest))
        return found

    def of_item(self, item: Any) -> Evaluation:
        return Evaluation(self.facts, item, self.steps)


@dataclass(frozen=True)
class Expression:
    """A part of a ``when(...)``: a value or a condition."""

    text: str
    """The part as it was written."""
    value: Callable[[Evaluation], Any]
    """Raises ``RuleEvaluationError`` where the facts give no value."""

    def holds(self, facts: Evaluation) -> bool:
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

    def value(facts: Evaluation) -> Any:
        found = facts.found(text)
        if found is _MISSING:
            raise RuleEvaluationError(text, f"there is no {text!r}; exists({text}) asks whether there is")
        return found

    return Expression(text, value)


def comparison(text: str, left: Expression, sign: str, right: Expression) -> Expression:
    """Return a comparison: ``==`` and ``!=`` of any values without converting them, the others of numbers."""

    def value(facts: Evaluation) -> bool:
        one, other = left.value(facts), right.value(facts)
        if sign in ("==", "!="):
            return _same(one, other, facts) == (sign == "==")
        if not (_is_number(one) and _is_number(other)):
            raise RuleEvaluationError(text, f"{sign} compares numbers, not {one!r} and {other!r}")
        return _ORDERS[sign](one, other)

    return Expression(text, value)


def exists(text: str, name: str, condition: Expression | None) -> Expression:
    """Return whether something is there and not ``null``, or whether an item of a list meets a condition."""

    def value(facts: Evaluation) -> bool:
        found = facts.found(name)
        if condition is None:
            return found is not _MISSING and found is not None
        if not _is_list(found):
            raise RuleEvaluationError(text, f"{name!r} is no list")
        return any(condition.holds(facts.of_item(item)) for item in found)

    return Expression(text, value)


def contains(text: str, container: Expression, wanted: Expression) -> Expression:
    """Return whether a list holds a value, or a text another one."""

    def value(facts: Evaluation) -> bool:
        holder, part = container.value(facts), wanted.value(facts)
        if isinstance(holder, str) and isinstance(part, str):
            facts.spend(1 + len(holder) // CHARACTERS_PER_STEP)
            return part in holder
        if not _is_list(holder):
            raise RuleEvaluationError(text, f"contains looks for a value in a list or for a text in a text, not in {holder!r}")
        return any(_same(item, part, facts) for item in holder)

    return Expression(text, value)


def negation(text: str, condition: Expression) -> Expression:
    return Expression(text, lambda facts: not condition.holds(facts))


def conjunction(text: str, conditions: Sequence[Expression]) -> Expression:
    return Expression(text, lambda facts: all(condition.holds(facts) for condition in conditions))


def disjunction(text: str, conditions: Sequence[Expression]) -> Expression:
    return Expression(text, lambda facts: any(condition.holds(facts) for condition in conditions))


def _member(holder: Any, name: str) -> Any:
    if isinstance(holder, Mapping):
        return holder.get(name, _MISSING)
    if _is_list(holder):
        return holder[int(name)] if name.isascii() and name.isdigit() and int(name) < len(holder) else _MISSING
    # Declared fields only: a rule reads data and calls nothing.
    declared = type(holder).model_fields if isinstance(holder, BaseModel) else ()
    fields = getattr(holder, "__dataclass_fields__", ()) if is_dataclass(holder) else declared
    return getattr(holder, name, _MISSING) if name in fields else _MISSING


def _same(left: Any, right: Any, facts: Evaluation) -> bool:
    """Compare values, part by part: what comes may be nested deeper than Python's own comparison can follow."""
    waiting = [(left, right)]
    while waiting:
        one, other = waiting.pop()
        is_sized = isinstance(one, list | dict | str) and type(one) is type(other)
        if is_sized and len(one) != len(other):
            return False
        facts.spend(1 + (len(one) // (CHARACTERS_PER_STEP if isinstance(one, str) else 1) if is_sized else 0))
        # ``1`` is not ``true``, though Python says so.
        if type(one) is not type(other) and not (_is_number(one) and _is_number(other)):
            return False
        if isinstance(one, list):
            waiting += zip(one, other, strict=True)
        elif isinstance(one, dict):
            if one.keys() != other.keys():
                return False
            waiting += [(value, other[key]) for key, value in one.items()]
        elif one != other:
            return False
    return True


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)
