"""Evaluates an arithmetic expression by walking its syntax tree; no code is run."""

import ast
import math
import operator
import re
import sys
from collections.abc import Callable, Mapping
from typing import NamedTuple

from answergraph.kit import parse_expression

MAX_CHARACTERS = 1_000
MAX_BITS = 2_048
"""Larger integer powers are refused; a double ends at 1,024 bits."""

CONSTANTS: Mapping[str, float] = {"pi": math.pi, "e": math.e}
FUNCTIONS: Mapping[str, Callable[[float], float]] = {
    "abs": abs,
    "floor": lambda number: float(math.floor(number)),
    "ceil": lambda number: float(math.ceil(number)),
    "trunc": lambda number: float(math.trunc(number)),
    "round": lambda number: float(round(number)),
    **{name: getattr(math, name) for name in ("sqrt", "exp", "expm1", "log", "log10", "log2", "log1p")},
    **{name: getattr(math, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{f"arc{name}": getattr(math, f"a{name}") for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
}
"""The allowed functions of one number, by their names in numexpr and NumPy."""

_OPERATORS: Mapping[type[ast.AST], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_SIGNS: Mapping[type[ast.AST], Callable[[float], float]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}

_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})++(?![\d,])")  # exactly three digits follow a separator
# Full-width characters to ASCII, and arithmetic signs to Python's.
_SIGNS_AS_TYPED = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | str.maketrans("×÷−", "*/-")


class CalculationError(ValueError):
    """An expression cannot be evaluated; the message says why."""


class MathResult(NamedTuple):
    """The value of an expression."""

    value: float
    """Exact for integer sums, products and powers; else a double."""
    note: str
    """How an ambiguous sign was read, empty if there was none."""


def calculate(text: str) -> MathResult:
    """Evaluate an arithmetic expression; raise ``CalculationError`` if it is not one, is too large, or has no value.

    It consists of numbers (``1,000`` is a thousand), ``+ - * / // % **``, parentheses, ``pi``, ``e`` and calls of
    ``FUNCTIONS``. ``^`` is read as power, and the note says so.
    """
    try:
        value = _value_of(_parsed(_as_python(text)))
    except RecursionError as error:
        raise CalculationError("the expression is nested too deeply") from error
    return MathResult(value, "^ was read as power" if "^" in text.translate(_SIGNS_AS_TYPED) else "")


def _as_python(text: str) -> str:
    expression = text.translate(_SIGNS_AS_TYPED).strip()
    if len(expression) > MAX_CHARACTERS:
        raise CalculationError(f"the expression is longer than {MAX_CHARACTERS} characters")
    if expression.startswith("[") and expression.endswith("]"):
        expression = expression[1:-1].strip()
    expression = _THOUSANDS.sub(lambda number: number[0].replace(",", ""), expression)
    # Before parsing: Python's ^ binds less tightly than +, a power more tightly than anything.
    return expression.replace("^", "**")


def _parsed(expression: str) -> ast.expr:
    if "," in expression:
        raise CalculationError("a comma is allowed only between groups of three digits")
    try:
        return parse_expression(expression)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise CalculationError("it is not one arithmetic expression") from error


def _value_of(node: ast.expr) -> float:
    """Return the value of a node of the syntax tree; raises ``CalculationError`` if it is not allowed or has none."""
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return _checked(lambda: number)
        case ast.Name(id=name) if name in CONSTANTS:
            return CONSTANTS[name]
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in _SIGNS:
            signed = _value_of(operand)
            return _checked(lambda: _SIGNS[type(sign)](signed))
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATORS:
            return _value_of_operation(type(sign), _value_of(left), _value_of(right))
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
            number = _value_of(argument)
            return _checked(lambda: FUNCTIONS[name](number))
    raise CalculationError(f"{ast.unparse(node)!r} is not arithmetic on numbers")


def _value_of_operation(sign: type[ast.AST], left: float, right: float) -> float:
    is_power_of_ints = sign is ast.Pow and isinstance(left, int) and isinstance(right, int) and abs(left) > 1
    # Large integer powers take much memory: refused before evaluation.
    if is_power_of_ints and right * abs(int(left)).bit_length() > MAX_BITS:
        raise CalculationError("the result is too large")
    return _checked(lambda: _OPERATORS[sign](left, right))


def _checked(work: Callable[[], float]) -> float:
    try:
        number = work()
    except ZeroDivisionError as error:
        raise CalculationError("division by zero") from error
    except OverflowError as error:
        raise CalculationError("the result is too large") from error
    except ValueError as error:
        raise CalculationError("the result is no real number") from error
    if isinstance(number, complex) or (isinstance(number, float) and math.isnan(number)):
        raise CalculationError("the result is no real number")
    if abs(number) > sys.float_info.max:
        raise CalculationError("the result is too large")
    return number
