"""Writes the patterns of strings for servers that make a grammar of them.

Grammars like llama.cpp's know plain classes only, and drop any other pattern without a word. They also match the JSON text, in
which a negated class would take the quote that ends the string.
"""

from __future__ import annotations

import re

_PIECE = re.compile(r"\\(?P<short>[dwsDWS])|\\.|(?P<open>\[\^?)|(?P<close>\])|(?P<any>\.)", re.DOTALL)
_NOT_IN_A_STRING = r'"\\\x00-\x1f'
"""The quote, the backslash and control characters, which JSON escapes."""
_CLASSES = {"d": "0-9", "w": "A-Za-z0-9_", "s": " "}
"""As in ECMA-262, whose patterns JSON Schema names; of white space only the space stands in a string as it is."""


def plain_pattern(pattern: str) -> str:
    r"""Return a pattern with its short classes written out, and without what would end a string in JSON.

    Example:
        >>> print(plain_pattern(r"^\d+[^@\s]$"))
        ^[0-9]+[^"\\\x00-\x1f@ ]$
    """
    written: list[str] = []
    position, in_class = 0, False
    for piece in _PIECE.finditer(pattern):
        kind, said = piece.lastgroup, piece[0]
        if in_class and kind == "short" and said[1].isupper():
            return pattern  # a class without another: no plain class says it
        written += [pattern[position : piece.start()], _plain(kind, said, in_class=in_class)]
        in_class = kind == "open" or (in_class and kind != "close")
        position = piece.end()
    return "".join([*written, pattern[position:]])


def _plain(kind: str | None, said: str, *, in_class: bool) -> str:
    if kind == "short":
        chosen = _CLASSES[said[1].lower()]
        return chosen if in_class else f"[{chosen}]" if said[1].islower() else f"[^{_NOT_IN_A_STRING}{chosen}]"
    if in_class:
        return said
    return {"[^": f"[^{_NOT_IN_A_STRING}", ".": f"[^{_NOT_IN_A_STRING}]"}.get(said, said)
