"""The syntax tree of a ``when(...)``, and its value on a state. Nothing is ever evaluated as Python."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from typing import Any, Protocol

from pydantic import BaseModel

from answergraph.state.errors import RuleEvaluationError

ITEM = "item"
"""Names the item at hand in the condition of ``exists(list, condition)``."""

_MISSING = object()
_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Expression(Protocol):
    """A part of a ``when(...)``."""

    @property
    def text(self) -> str:
        """The part as it was written."""

    def value(self, facts: Mapping[str, Any]) -> Any:
        """Return its value; raises ``RuleEvaluationError`` where the facts give none."""


@dataclass(frozen=True)
class Constant:
    """A number, a text, ``true``, ``false`` or ``null``."""

    text: str
    constant: Any

    def value(self, facts: Mapping[str, Any]) -> Any:
        return self.constant


@dataclass(frozen=True)
class Path:
    """A name of the state, with keys, fields and list positions after dots."""

    text: str

    def find(self, facts: Mapping[str, Any]) -> Any:
        """Return what stands there, ``_MISSING`` if nothing does."""
        found: Any = facts
        for part in self.text.split("."):
            found = _member(found, part)
        return found

    def value(self, facts: Mapping[str, Any]) -> Any:
        found = self.find(facts)
        if found is _MISSING:
            raise RuleEvaluationError(self.text, f"there is no {self.text!r}; exists({self.text}) asks whether there is")
        return found


@dataclass(frozen=True)
class Comparison:
    """Two values compared: ``==`` and ``!=`` without converting anything, the others numbers only."""

    text: str
    left: Expression
    operator: str
    right: Expression

    def value(self, facts: Mapping[str, Any]) -> bool:
        left, right = self.left.value(facts), self.right.value(facts)
        if self.operator in ("==", "!="):
            return _same(left, right) == (self.operator == "==")
        if not (_is_number(left) and _is_number(right)):
            raise RuleEvaluationError(self.text, f"{self.operator} compares numbers, not {left!r} and {right!r}")
        return _ORDERS[self.operator](left, right)


@dataclass(frozen=True)
class Exists:
    """Whether something is there and not ``null``, or whether an item of a list meets a condition."""

    text: str
    path: Path
    condition: Expression | None

    def value(self, facts: Mapping[str, Any]) -> bool:
        found = self.path.find(facts)
        if self.condition is None:
            return found is not _MISSING and found is not None
        if not _is_list(found):
            raise RuleEvaluationError(self.text, f"{self.path.text!r} is no list")
        return any(truth(self.condition, {**facts, ITEM: item}) for item in found)


@dataclass(frozen=True)
class Contains:
    """Whether a list holds a value, or a text another one."""

    text: str
    container: Expression
    wanted: Expression

    def value(self, facts: Mapping[str, Any]) -> bool:
        container, wanted = self.container.value(facts), self.wanted.value(facts)
        if isinstance(container, str) and isinstance(wanted, str):
            return wanted in container
        if not _is_list(container):
            raise RuleEvaluationError(
                self.text, f"contains looks for a value in a list or for a text in a text, not in {container!r}"
            )
        return any(_same(item, wanted) for item in container)


@dataclass(frozen=True)
class Not:
    """The opposite of a condition."""

    text: str
    condition: Expression

    def value(self, facts: Mapping[str, Any]) -> bool:
        return not truth(self.condition, facts)


@dataclass(frozen=True)
class And:
    """Whether all conditions hold; those after the first that does not are not evaluated."""

    text: str
    conditions: tuple[Expression, ...]

    def value(self, facts: Mapping[str, Any]) -> bool:
        return all(truth(condition, facts) for condition in self.conditions)


@dataclass(frozen=True)
class Or:
    """Whether a condition holds; those after the first that does are not evaluated."""

    text: str
    conditions: tuple[Expression, ...]

    def value(self, facts: Mapping[str, Any]) -> bool:
        return any(truth(condition, facts) for condition in self.conditions)


def truth(expression: Expression, facts: Mapping[str, Any]) -> bool:
    """Return whether a condition holds.

    Raises:
        RuleEvaluationError: If it is neither true nor false.
    """
    value = expression.value(facts)
    if not isinstance(value, bool):
        raise RuleEvaluationError(expression.text, f"{value!r} is neither true nor false")
    return value


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
