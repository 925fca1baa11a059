"""Reads the text of a rule: tokens with their positions, and the expression of a ``when(...)``."""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NoReturn

from answergraph.errors import RuleSyntaxError
from answergraph.graphs.add_ons.judge.rules import when_expression as when
from answergraph.graphs.add_ons.judge.rules.when_expression import Expression

MAX_DEPTH = 40

_TOKEN = re.compile(
    r"""(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
    r"""|(?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w.]))"""
    r"""|(?P<operator>&&|\|\||==|!=|<=|>=|[<>!(),])"""
    r"""|(?P<name>[^\W0-9][\w-]*(?:\.[\w-]+|\[[0-9]+\])*)"""
)
_SPACE = re.compile(r"\s*")
_WORDS = {"true": True, "false": False, "null": None}
_SYNONYMS = {"and": "&&", "or": "||", "not": "!"}
_ORDERS = ("<", "<=", ">", ">=")
_COMPARISONS = ("==", "!=", *_ORDERS)


@dataclass(frozen=True)
class RuleToken:
    """One token of a rule."""

    kind: str
    """``string``, ``number``, ``operator``, ``name`` or ``end``."""
    text: str
    position: int
    end: int


class RuleReader:
    """Reads one rule from left to right, from a position on."""

    def __init__(self, rule: str, position: int = 0) -> None:
        self.rule = rule
        self.position = position
        self.names: list[str] = []  # the names of the state that were read
        self._depth = 0
        self._lists = 0

    def peek(self) -> RuleToken:
        """Return the next token without taking it; raise ``RuleSyntaxError`` if the text is not a token."""
        start = self._start()
        if start == len(self.rule):
            return RuleToken("end", "", start, start)
        match = _TOKEN.match(self.rule, start)
        if match is None or match.lastgroup is None:
            raise RuleSyntaxError(self.rule, start, f"{self.rule[start]!r} is not understood here")
        if match.lastgroup == "name" and match.group() in _SYNONYMS:
            return RuleToken("operator", _SYNONYMS[match.group()], start, match.end())
        return RuleToken(match.lastgroup, match.group(), start, match.end())

    def take(self) -> RuleToken:
        token = self.peek()
        self.position = token.end
        return token

    def accept(self, *operators: str) -> RuleToken | None:
        """Take the next token if it is one of these operators."""
        token = self.peek()
        return self.take() if token.kind == "operator" and token.text in operators else None

    def expect(self, wanted: str) -> RuleToken:
        """Take an operator; raises ``RuleSyntaxError`` for any other token."""
        return self.accept(wanted) or self.fail(f"{wanted!r} is missing")

    def fail(self, problem: str) -> NoReturn:
        """Raise ``RuleSyntaxError`` at the next token."""
        token = self.peek()
        detail = "the rule ends there" if token.kind == "end" else f"found {token.text!r} instead"
        raise RuleSyntaxError(self.rule, token.position, f"{problem}; {detail}")

    def string(self) -> str:
        """Read a text in quotes; raises ``RuleSyntaxError`` for any other token."""
        token = self.peek()
        if token.kind != "string":
            self.fail("a quoted string is missing")
        return _unquoted(self.take(), self.rule)

    def truth(self) -> Expression:
        """Read a condition; raises ``RuleSyntaxError`` if it can be neither true nor false."""
        return self._true_or_false(self._start(), self._condition())

    def _condition(self) -> Expression:
        """Read alternatives, each of which is one or more clauses."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self.fail(f"parentheses may be nested at most {MAX_DEPTH} deep")
        condition = self._joined(self._clauses, "||", any)
        self._depth -= 1
        return condition

    def _clauses(self) -> Expression:
        return self._joined(self._clause, "&&", all)

    def _joined(self, read: Callable[[], Expression], joint: str, of: Callable[[Iterable[bool]], bool]) -> Expression:
        starts = [self._start()]
        parts = [read()]
        while self.accept(joint):
            starts.append(self._start())
            parts.append(read())
        if len(parts) == 1:
            return parts[0]
        return when.joined(self._since(starts[0]), list(map(self._true_or_false, starts, parts)), of)

    def _clause(self) -> Expression:
        start = self._start()
        # Counted instead of nested, because there may be thousands.
        turns = 0
        while self.accept("!"):
            turns += 1
        begin = self._start()
        clause = self._comparison()
        if turns:
            self._true_or_false(begin, clause)
        for _ in range(turns % 2 or 2 * bool(turns)):
            clause = when.negation(self._since(start), clause)
        return clause

    def _comparison(self) -> Expression:
        start = self._start()
        left = self._operand()
        token = self.accept(*_COMPARISONS)
        if token is None:
            return left
        right = self._operand()
        text = self._since(start)
        if left.is_constant and right.is_constant:
            raise RuleSyntaxError(self.rule, start, f"{text} compares two constants: it is always true or always false")
        for side in (left, right) if token.text in _ORDERS else ():
            if side.kind not in ("number", "any"):
                raise RuleSyntaxError(self.rule, start, f"{token.text} compares numbers, and {side.text} is not a number")
        return when.comparison(text, left, token.text, right)

    def _operand(self) -> Expression:
        token = self.peek()
        if self.accept("("):
            condition = self._condition()
            self.expect(")")
            return condition
        if token.kind in ("string", "number"):
            self.take()
            return when.constant(token.text, _unquoted(token, self.rule) if token.kind == "string" else json.loads(token.text))
        if token.kind != "name":
            self.fail("a value is missing")
        self.take()
        return self._named(token)

    def _named(self, token: RuleToken) -> Expression:
        if token.text in _WORDS:
            return when.constant(token.text, _WORDS[token.text])
        if not self.accept("("):
            return when.path(self._path(token))
        if token.text in ("exists", "count"):
            return self._of_items(token)
        if token.text == "contains":
            container = self._operand()
            self.expect(",")
            wanted = self._operand()
            self.expect(")")
            return when.contains(self._since(token.position), container, wanted)
        known = "the functions are exists, count and contains"
        raise RuleSyntaxError(self.rule, token.position, f"there is no function {token.text!r}; {known}")

    def _of_items(self, token: RuleToken) -> Expression:
        """Read a condition on list items; ``exists`` also takes any name."""
        name = self.take()
        if name.kind != "name" or name.text in _WORDS:
            raise RuleSyntaxError(self.rule, name.position, f"{token.text} needs a name")
        path, condition = self._path(name), None
        if token.text == "count" or self.peek().text == ",":
            self.expect(",")
            self._lists += 1
            condition = self.truth()
            self._lists -= 1
        self.expect(")")
        text = self._since(token.position)
        if condition is None:
            return when.exists(text, path)
        return when.any_item(text, path, condition) if token.text == "exists" else when.count(text, path, condition)

    def _path(self, token: RuleToken) -> str:
        if re.split(r"[.\[]", token.text)[0] == when.ITEM and not self._lists:
            problem = f"{when.ITEM} is a list item: use it in exists(list, ...) and count(list, ...)"
            raise RuleSyntaxError(self.rule, token.position, problem)
        self.names.append(token.text)
        return token.text

    def _true_or_false(self, start: int, part: Expression) -> Expression:
        if part.kind not in ("truth", "any"):
            raise RuleSyntaxError(self.rule, start, f"{part.text} is neither true nor false")
        return part

    def _start(self) -> int:
        space = _SPACE.match(self.rule, self.position)
        return space.end() if space else self.position

    def _since(self, start: int) -> str:
        return self.rule[start : self.position]


def _unquoted(token: RuleToken, rule: str) -> str:
    if token.text.startswith("'"):
        return re.sub(r"\\(.)", r"\1", token.text[1:-1])
    try:
        text: str = json.loads(token.text)
    except ValueError as error:
        raise RuleSyntaxError(rule, token.position, f"{token.text} is not a JSON string") from error
    return text
