"""Recomputes a number of an answer from other fields of it."""

import ast
import operator
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.python_expression import parse_expression
from answergraph.state.field_path import FieldPath

Operand = Decimal | list[Decimal]
_WRITE = "write paths of fields, numbers, + - * /, and sum, len, min, max or round: Derived('sum(items[].price) + shipping')."

_PATH_OR_CALL = re.compile(r"([A-Za-z_]\w*(?:\[\])?(?:\.[A-Za-z_]\w*(?:\[\])?)*)(\s*\()?")
_BINARY: Mapping[type[ast.operator], Callable[[Decimal, Decimal], Decimal]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_OF_LISTS: Mapping[str, Callable[[list[Decimal]], Decimal]] = {
    "sum": lambda numbers: sum(numbers, Decimal(0)),
    "len": lambda numbers: Decimal(len(numbers)),
    "min": min,
    "max": max,
}


class Formula(NamedTuple):
    """A formula with the paths of its operands by their names in the tree."""

    tree: ast.expr
    operands: Mapping[str, str]


class FormulaError(ValueError):
    """A formula that has no value for an answer."""


@lru_cache(maxsize=256)
def parsed(formula: str) -> Formula:
    """Return a formula, read.

    Raises:
        AgentSpecError: If it holds something else than paths, numbers, ``+ - * /``, and calls of sum, len, min, max or round.
    """
    operands: dict[str, str] = {}

    def named(match: re.Match[str]) -> str:
        if match[2]:
            return match.group()
        operands[name := f"_{len(operands)}"] = match[1]
        return name

    try:
        tree = parse_expression(_PATH_OR_CALL.sub(named, formula.strip()))
    except SyntaxError:
        tree = None
    if tree is None or not operands or not all(map(_is_allowed, ast.walk(tree))):
        raise AgentSpecError(f"Derived({formula!r}) cannot be computed: {_WRITE}")
    return Formula(tree, operands)


def _is_allowed(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        names = {*_OF_LISTS, "round"}
        return isinstance(node.func, ast.Name) and node.func.id in names and len(node.args) == 1 and not node.keywords
    if isinstance(node, ast.Constant):
        return type(node.value) in (int, float)
    return isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Name, ast.Load, ast.USub, *_BINARY))


class Operands:
    """The numbers of an answer by path."""

    def __init__(self, numbers: Mapping[FieldPath, Decimal]) -> None:
        self._numbers = numbers
        self._by_pattern: dict[str, list[FieldPath]] = defaultdict(list)
        for path in numbers:
            self._by_pattern[str(path.pattern)].append(path)

    def places_of(self, name: str, field: FieldPath) -> list[FieldPath]:
        """Return the fields that a path in the formula of a field means: beside that field, else from the top of the answer."""
        outer = field.parts[:-1]
        for parts in dict.fromkeys((outer, ())):
            written = FieldPath.of(*parts, *FieldPath(name).parts)
            places = [path for path in self._by_pattern[str(written.pattern)] if path.parts[: len(parts)] == parts]
            if places:
                return places
        return []

    def written_out(self, formula: Formula, field: FieldPath) -> str:
        """Return the formula of a field with its numbers."""

        def numbers(match: re.Match[str]) -> str:
            return ", ".join(str(self._numbers[place]) for place in self.places_of(formula.operands[match.group()], field))

        return re.sub(r"\b_\d+\b", numbers, ast.unparse(formula.tree))

    def value_of(self, formula: Formula, field: FieldPath) -> Decimal:
        """Return the value of the formula of a field.

        Raises:
            FormulaError: If an operand is missing, or the parts do not fit.
        """
        values: dict[str, Operand] = {}
        for name, path in formula.operands.items():
            numbers = [self._numbers[place] for place in self.places_of(path, field)]
            if not numbers and "[]" not in path:
                raise FormulaError(f"{path} is no number in the answer")
            values[name] = numbers if "[]" in path else numbers[0]
        try:
            value = _value(formula.tree, values)
        except (ArithmeticError, ValueError) as error:
            raise FormulaError(str(error) if isinstance(error, FormulaError) else "it divides by zero, or nothing") from error
        if isinstance(value, list):
            raise FormulaError("it is a list of numbers: write sum(…)")
        return value


def _value(node: ast.AST, values: Mapping[str, Operand]) -> Operand:
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.Constant):
        return Decimal(str(node.value))
    if isinstance(node, ast.UnaryOp):
        return _each(operator.mul, Decimal(-1), _value(node.operand, values))
    if isinstance(node, ast.BinOp):
        return _each(_BINARY[type(node.op)], _value(node.left, values), _value(node.right, values))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _called(node.func.id, _value(node.args[0], values))
    raise FormulaError("it holds what is no number")


def _called(name: str, argument: Operand) -> Operand:
    if name == "round":
        return _each(lambda number, _: Decimal(round(number)), argument, Decimal(0))
    if not isinstance(argument, list):
        raise FormulaError(f"{name} needs a list, such as items[].price")
    return _OF_LISTS[name](argument)


def _each(work: Callable[[Decimal, Decimal], Decimal], one: Operand, other: Operand) -> Operand:
    """Apply an operation to two numbers, to each of a list, or to the items of two lists in pairs."""
    if not isinstance(one, list) and not isinstance(other, list):
        return work(one, other)
    length = next(len(each) for each in (one, other) if isinstance(each, list))
    pairs = [each if isinstance(each, list) else [each] * length for each in (one, other)]
    if len(pairs[0]) != len(pairs[1]):
        raise FormulaError(f"its lists have {len(pairs[0])} and {len(pairs[1])} numbers")
    return list(map(work, *pairs))


def numbers_in(fields: Iterable[tuple[FieldPath, object]]) -> dict[FieldPath, Decimal]:
    """Return the numbers among some values, also those written as text, as in JSON."""
    found: dict[FieldPath, Decimal] = {}
    for path, value in fields:
        if isinstance(value, int | float | Decimal | str) and not isinstance(value, bool):
            try:
                number = Decimal(str(value))
            except ArithmeticError:
                continue
            if number.is_finite():
                found[path] = number
    return found


def is_equal(computed: Decimal, value: Decimal, rounding: int | None) -> bool:
    """Return whether a value is what was computed, rounded at most as allowed."""
    allowed = Decimal(0) if rounding is None else Decimal(1).scaleb(-rounding) / 2
    return abs(computed - value) <= allowed
