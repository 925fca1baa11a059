"""Reads Python's syntax in any thread."""

import ast
from contextlib import suppress

_ATTEMPTS = 20


def parse_expression(text: str) -> ast.expr:
    """Return the syntax tree of one Python expression.

    Python 3.11 may fail with a ``SystemError`` if several threads parse at once, whatever the text; the next attempt rarely does
    (https://github.com/python/cpython/issues/106905).

    Raises:
        SyntaxError: If the text is no expression.
        ValueError: If it holds a null character or a lone surrogate.
        RecursionError: If it is nested too deeply; a ``MemoryError`` says the same.

    Example:
        >>> type(parse_expression("2 * (3 + 4)")).__name__
        'BinOp'
    """
    for _ in range(_ATTEMPTS - 1):
        with suppress(SystemError):
            return ast.parse(text, mode="eval").body
    return ast.parse(text, mode="eval").body
