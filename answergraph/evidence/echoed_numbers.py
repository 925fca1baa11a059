"""Separates numbers that a tool found from those it only repeats."""

from __future__ import annotations

import re

from answergraph.evidence.numbers.numerals import Numeral
from answergraph.evidence.quotes import says_nothing_around
from answergraph.evidence.searched_result import SearchedResult
from answergraph.evidence.texts.folding import fold

_LOOK_CHARACTERS = 80
_KEY = re.compile(r"'([^'\n]+)' ?: ?'?\Z")


def is_echoed(numeral: Numeral, text: str, result: SearchedResult) -> bool:
    """Return whether a number only repeats the model's words: beside the same word, or with nothing else around it.

    Equal digits in an argument alone do not make a number an echo.
    """
    written, upto = result.written, result.upto
    number = abs(numeral.value)
    if written.numbers.get(number, upto + 1) > upto:
        return False
    before, after = (
        text[max(numeral.start - _LOOK_CHARACTERS, 0) : numeral.start],
        text[numeral.end : numeral.end + _LOOK_CHARACTERS],
    )
    if not (before.strip() or after.strip()):
        # The whole result is a number: of a calculation, which may equal an operand.
        return _repeats_its_argument(result, text.strip()) or written.repeats(text.strip(), upto)
    line_before, line_after = before.rpartition("\n")[2], after.partition("\n")[0]
    if written.names(line_before, number, line_after, upto):
        return True
    return _KEY.search(before) is None and says_nothing_around(f"{line_before} {line_after}")


def _repeats_its_argument(result: SearchedResult, text: str) -> bool:
    # A result that equals the only argument was not calculated from it.
    arguments = list(result.run.args.values())
    return len(arguments) == 1 and fold(str(arguments[0])) == text
