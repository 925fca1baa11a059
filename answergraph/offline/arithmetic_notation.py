"""Reads an arithmetic expression into a plan of single operations, in order, on numbers of the user and earlier results."""

import ast
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from answergraph.runtime.python_expression import parse_expression

MAX_CHARACTERS = 2_000
"""Longer expressions are refused: each operation costs a model call and a tool call."""

TokenKind = Literal["number", "sign", "operator", "open", "close", "space", "prose"]
ToolName = Literal["add", "subtract", "multiply", "divide"]

TOOL_OF_OPERATOR: dict[str, ToolName] = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}
_TOOLS: dict[type[ast.operator], ToolName] = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide"}
SYMBOL_OF_TOOL: dict[str, str] = {"add": "+", "subtract": "-", "multiply": "×", "divide": "÷"}

_MISSING = "a number or an operator is missing"
_PROBLEMS = {
    "never closed": "a parenthesis is not closed",
    "unmatched": "a closing parenthesis has no opening one",
    "too many nested": "it is nested too deep",
}
"""Our message for each part of Python's message."""

_TOKEN = re.compile(
    r"(?P<number>[0-9]+(?:,[0-9]+)*(?:\.[0-9]+)?|\.[0-9]+)|(?P<sign>[+\-])|(?P<operator>[*/])|(?P<open>\()|(?P<close>\))"
    r"|(?P<space>\s+)|(?P<prose>[^0-9+\-*/()\s]+)"
)
_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?")

_FULL_WIDTH = "".join(chr(code) for code in range(ord("０"), ord("９") + 1))
_SAME_MEANING = str.maketrans(
    _FULL_WIDTH + "＋－−–＊×∗⋅／÷∕（）．，\u3000",
    "0123456789" + "+---****///().,\u0020",
)


class ExpressionError(ValueError):
    """An expression cannot be read; the message says why."""


class NotationToken(NamedTuple):
    """A piece of a text, and its place there in characters."""

    kind: TokenKind
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Result:
    """An operand that is the result of an earlier operation."""

    step: int
    """The position of that operation in the plan."""


Operand = int | float | Result


@dataclass(frozen=True)
class Operation:
    """One operation on two operands."""

    tool: ToolName
    left: Operand
    right: Operand


@dataclass(frozen=True)
class OperationPlan:
    """The operations that evaluate an expression."""

    expression: str
    """The expression as the user wrote it, white space collapsed."""
    operations: tuple[Operation, ...]
    """Each operation after those it depends on."""
    result: Operand  # the value of the whole expression


def tokens_of(text: str) -> list[NotationToken]:
    """Split a text into tokens, with ASCII digits and operators and the original positions."""
    # `lastgroup` is the one named group that matched; the names are the token kinds
    return [
        NotationToken(match.lastgroup, match.group(), match.start(), match.end())  # type: ignore[arg-type]  # it is a TokenKind
        for match in _TOKEN.finditer(text.translate(_SAME_MEANING))  # a character for each
    ]


def read_plan(tokens: Sequence[NotationToken], expression: str) -> OperationPlan:
    """Read the tokens of an expression, without its white space, into a plan; raise ``ExpressionError`` if that is impossible."""
    if tokens and tokens[-1].end - tokens[0].start > MAX_CHARACTERS:
        raise ExpressionError(f"it is longer than {MAX_CHARACTERS:,} characters")
    source = " ".join(repr(_number(token.text)) if token.kind == "number" else token.text for token in tokens)
    operations: list[Operation] = []
    try:
        result = _noted(parse_expression(source), operations)
    except SyntaxError as error:
        raise ExpressionError(next((problem for sign, problem in _PROBLEMS.items() if sign in error.msg), _MISSING)) from error
    except (MemoryError, RecursionError) as error:
        raise ExpressionError("it is nested too deep") from error
    return OperationPlan(" ".join(expression.split()), tuple(operations), result)


def _noted(node: ast.expr, operations: list[Operation]) -> Operand:
    """Append the operations of a syntax tree, and return the operand that is its value."""
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case (
            ast.UnaryOp(op=ast.UAdd(), operand=operand)
            | ast.UnaryOp(op=ast.USub(), operand=ast.UnaryOp(op=ast.USub(), operand=operand))
        ):
            return _noted(operand, operations)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = _noted(operand, operations)
            if not isinstance(value, Result):
                return -value
            operations.append(Operation("subtract", 0, value))
        case ast.BinOp(op=sign) if type(sign) in _TOOLS:
            return _noted_chain(node, operations)
        case _:
            raise ExpressionError(_MISSING)
    return Result(len(operations) - 1)


def _noted_chain(node: ast.expr, operations: list[Operation]) -> Operand:
    """Do the same for a chain such as ``1 + 2 + 3``, without recursion: its syntax tree is as deep as the chain is long."""
    chain: list[ast.BinOp] = []
    while isinstance(node, ast.BinOp) and type(node.op) in _TOOLS:
        chain.append(node)
        node = node.left
    value = _noted(node, operations)
    for each in reversed(chain):
        operations.append(Operation(_TOOLS[type(each.op)], value, _noted(each.right, operations)))
        value = Result(len(operations) - 1)
    return value


def _number(text: str) -> int | float:
    """Return the number a text writes: whole numbers exactly, others as floats."""
    if "," in text and not _THOUSANDS.fullmatch(text):
        raise ExpressionError(f"it is not clear what the comma in {text!r} separates")
    if math.isinf(float(digits := text.replace(",", ""))):
        raise ExpressionError(f"the number {digits[:12]}… is too large")
    return float(digits) if "." in digits else int(digits)
