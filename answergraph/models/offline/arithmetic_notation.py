"""Arithmetic notation: an expression, read into a plan of single operations.

Nothing is computed here. A plan names operations in the order in which they can be carried out; their operands are the numbers
the user wrote, or the results of earlier operations.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

MAX_CHARACTERS = 2_000
"""Longer expressions are refused: each operation costs a model call and a tool call."""

MAX_DEPTH = 50
"""Deeper nested parentheses are refused, so that reading stays far from Python's recursion limit."""

TokenKind = Literal["number", "sign", "operator", "open", "close", "space", "prose"]
ToolName = Literal["add", "subtract", "multiply", "divide"]

TOOL_OF_OPERATOR: dict[str, ToolName] = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}
SYMBOL_OF_TOOL: dict[str, str] = {"add": "+", "subtract": "-", "multiply": "×", "divide": "÷"}

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
    """The operations that work an expression out."""

    expression: str
    """The expression as the user wrote it, white space collapsed."""

    operations: tuple[Operation, ...]
    """The operations, each after those whose results it needs."""

    result: Operand
    """The value of the whole expression."""


def tokens_of(text: str) -> list[NotationToken]:
    """Cut any text into tokens; their text has ASCII digits and operators, their places are those of the text."""
    same_length = text.translate(_SAME_MEANING)
    # `lastgroup` is the one named group that matched; the names are the token kinds
    return [
        NotationToken(match.lastgroup, match.group(), match.start(), match.end())  # type: ignore[arg-type]  # it is a TokenKind
        for match in _TOKEN.finditer(same_length)
    ]


def read_plan(tokens: Sequence[NotationToken], expression: str) -> OperationPlan:
    """Read the tokens of an expression, without its white space, into a plan, in linear time.

    Raises:
        ExpressionError: The tokens are no expression, or it is too long or nested too deep.
    """
    if tokens and tokens[-1].end - tokens[0].start > MAX_CHARACTERS:
        raise ExpressionError(f"it is longer than {MAX_CHARACTERS:,} characters")
    reader = _Reader(tokens)
    result = reader.whole()
    return OperationPlan(" ".join(expression.split()), tuple(reader.operations), result)


class _Reader:
    """Reads sums of products of signed operands, noting operations on the way."""

    def __init__(self, tokens: Sequence[NotationToken]) -> None:
        self.operations: list[Operation] = []
        self._tokens: Iterator[NotationToken] = iter(tokens)
        self._next = next(self._tokens, None)
        self._depth = 0

    def whole(self) -> Operand:
        value = self._sum()
        if self._next is None:
            return value
        if self._next.kind == "close":
            raise ExpressionError("a closing parenthesis has no opening one")
        raise ExpressionError(f"there is no operator before {self._next.text!r}")

    def _sum(self) -> Operand:
        value = self._product()
        while sign := self._take("sign"):
            value = self._note(TOOL_OF_OPERATOR[sign.text], value, self._product())
        return value

    def _product(self) -> Operand:
        value = self._signed()
        while operator := self._take("operator"):
            value = self._note(TOOL_OF_OPERATOR[operator.text], value, self._signed())
        return value

    def _signed(self) -> Operand:
        """Read an operand and its signs: a number's sign belongs to it, anything else is subtracted from zero."""
        negative = False
        while sign := self._take("sign"):
            negative ^= sign.text == "-"
        value = self._operand()
        if not negative:
            return value
        return self._note("subtract", 0, value) if isinstance(value, Result) else -value

    def _operand(self) -> Operand:
        if number := self._take("number"):
            return _number(number.text)
        if self._take("open"):
            self._depth += 1
            if self._depth > MAX_DEPTH:
                raise ExpressionError(f"its parentheses are nested deeper than {MAX_DEPTH}")
            value = self._sum()
            if not self._take("close"):
                raise ExpressionError(f"a parenthesis is not closed{self._before_next()}")
            self._depth -= 1
            return value
        raise ExpressionError(f"a number is missing{self._before_next() or ' at its end'}")

    def _note(self, tool: ToolName, left: Operand, right: Operand) -> Result:
        self.operations.append(Operation(tool, left, right))
        return Result(len(self.operations) - 1)

    def _take(self, kind: TokenKind) -> NotationToken | None:
        token = self._next
        if token is None or token.kind != kind:
            return None
        self._next = next(self._tokens, None)
        return token

    def _before_next(self) -> str:
        return f" before {self._next.text!r}" if self._next else ""


def _number(text: str) -> int | float:
    """Return the number a text writes: whole numbers exactly, others as floats."""
    if "," in text and not _THOUSANDS.fullmatch(text):
        raise ExpressionError(f"it is not clear what the comma in {text!r} separates")
    digits = text.replace(",", "")
    if math.isinf(float(digits)):
        raise ExpressionError(f"the number {digits[:12]}… is too large")
    return float(digits) if "." in digits else int(digits)
