"""Finds the arithmetic expression in a sentence, or says why it is ambiguous.

Ambiguity (a letter next to a number, a root sign, a second expression) is refused rather than guessed.
"""

import re
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from answergraph.offline.arithmetic_notation import ExpressionError, NotationToken, OperationPlan, read_plan, tokens_of

_KIND_LETTER = {"number": "n", "sign": "s", "operator": "o", "open": "(", "close": ")", "space": " ", "prose": "p"}
_RUN = re.compile(r"[^p ](?:[^p]*[^p ])?")
_CALCULATION = re.compile(r"[n)] *[so][s ]*[n(]")
_ATTACHED_SIGN = re.compile(r"(?<![n)])sn")

_CATEGORIES_THAT_CHANGE_MEANING = frozenset({"Sm", "Sc", "No", "Nl", "Nd"})
"""Unicode categories of mathematical and currency signs, superscripts, fractions, and digits of other scripts."""

_SIGNS_THAT_CHANGE_MEANING = frozenset("^%!°‰#&@\\_")
_DECIMAL_MARKS = frozenset(".,")

_FIRST_LETTER_OF_SPACELESS_SCRIPTS = "\u1100"
"""Korean, Japanese and Chinese, which are written without spaces, begin at this code point."""


def find_expression(text: str) -> OperationPlan | None:
    """Return the plan of the one expression in a text, or ``None`` if it has none.

    A number alone is an expression only if it is the whole text. Raise ``ExpressionError`` if it is ambiguous or malformed.
    """
    runs = [run for run in _runs(_without_prose_parentheses(tokens_of(text))) if "n" in run.kinds]
    calculations = [run for run in runs if run.is_calculation]
    for run in runs:
        if not run.is_calculation and run.is_fragment and not run.touching(text).strip():
            return _signed_number(run, text)
    if len(calculations) > 1:
        raise ExpressionError("there is more than one expression, and only one can be worked out at a time")
    if calculations:
        return calculations[0].plan(text)
    return runs[0].plan(text) if runs and runs[0].text(text) == text.strip() else None


def _signed_number(run: "_Run", text: str) -> OperationPlan:
    """Read a run with an operator but no calculation: valid only as the whole text, such as ``-(3)``."""
    if run.text(text) == text.strip():
        with suppress(ExpressionError):
            return run.plan(text)
    raise ExpressionError(f"{run.text(text)!r} is not a whole expression")


@dataclass(frozen=True)
class _Run:
    """Adjacent tokens that may form an expression."""

    tokens: Sequence[NotationToken]
    kinds: str
    """The kinds of the tokens, one letter each, for regular expressions."""

    @property
    def is_calculation(self) -> bool:
        """Whether two operands have an operator between them."""
        return bool(_CALCULATION.search(self.kinds))

    @property
    def is_fragment(self) -> bool:
        """Whether there is an operator, other than a sign attached to its number."""
        return bool(re.search("[so]", _ATTACHED_SIGN.sub("n", self.kinds)))

    def text(self, source: str) -> str:
        return source[self.tokens[0].start : self.tokens[-1].end]

    def plan(self, source: str) -> OperationPlan:
        """Read the run, unless its neighbours change its meaning."""
        before, after = source[: self.tokens[0].start].rstrip(), source[self.tokens[-1].end :].lstrip()
        if before and self.kinds.startswith("s "):
            raise ExpressionError(f"a number is missing before {self.tokens[0].text!r}")
        touching = self.touching(source)
        if touching[:1] in _DECIMAL_MARKS and before:
            raise ExpressionError(f"it is not clear what the {touching[:1]!r} before it means")
        for neighbour in (before[-1:], after[:1]):
            _check_neighbour(neighbour, touches=neighbour in touching)
        return read_plan([token for token in self.tokens if token.kind != "space"], self.text(source))

    def touching(self, source: str) -> str:
        """Return the character before the run and the one after it."""
        start, end = self.tokens[0].start, self.tokens[-1].end
        return source[max(0, start - 1) : start] + source[end : end + 1]


def _without_prose_parentheses(tokens: Sequence[NotationToken]) -> list[NotationToken]:
    prose_so_far = 0
    opened: list[tuple[int, int]] = []
    result = list(tokens)
    for position, token in enumerate(tokens):
        if token.kind == "prose":
            prose_so_far += 1
        elif token.kind == "open":
            opened.append((position, prose_so_far))
        elif token.kind == "close" and opened:
            start, prose_before = opened.pop()
            if prose_so_far > prose_before:
                result[start] = tokens[start]._replace(kind="prose")
                result[position] = token._replace(kind="prose")
    return result


def _runs(tokens: Sequence[NotationToken]) -> list[_Run]:
    kinds = "".join(_KIND_LETTER[token.kind] for token in tokens)
    return [_Run(tokens[match.start() : match.end()], match.group()) for match in _RUN.finditer(kinds)]


def _check_neighbour(character: str, *, touches: bool) -> None:
    """Refuse a neighbour that might belong to the expression."""
    if not character or character == "=":
        return
    is_word = character.isalpha() and character < _FIRST_LETTER_OF_SPACELESS_SCRIPTS
    is_sign = unicodedata.category(character) in _CATEGORIES_THAT_CHANGE_MEANING or character in _SIGNS_THAT_CHANGE_MEANING
    if is_sign or (is_word and touches):
        raise ExpressionError(f"it is not clear what {character!r} beside it means")
