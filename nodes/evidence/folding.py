"""Folding: what may differ between a quote and the text it is taken from without making it another quote.

Folded are Unicode's compatibility forms (NFKC), white space, and quotation marks. Nothing else: not case, not punctuation, not
characters that cannot be seen.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from re import Match, Pattern

from answergraph.nodes.evidence.mapped_text import MappedText

QUOTATION_MARK = "'"
"""What every quotation mark becomes."""

_MARKS = (
    "\"'`´\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2032\u2033\u2039\u203a«»"
    "\u300c\u300d\u300e\u300f\uff02\uff07\uff40\uff62\uff63"
)
_TO_ONE_MARK = str.maketrans(dict.fromkeys(_MARKS, QUOTATION_MARK))
_VALUE_CHANGING = ("<super>", "<sub>", "<fraction>", "<circle>")
_JAMO_VOWELS_AND_FINALS = range(0x1160, 0x1200)


def fold(text: str) -> str:
    """Return a text folded and stripped, to compare it with others.

    Args:
        text: The text.

    Example:
        >>> fold(" the “disk”   is ｆｕｌｌ ")
        "the 'disk' is full"
    """
    return folded(MappedText.unchanged(text)).text.strip()


def folded(text: MappedText) -> MappedText:
    """Return a text folded, with the way back.

    Args:
        text: The text.
    """
    # One mark for one mark: the places stay.
    marked = MappedText(text.text.translate(_TO_ONE_MARK), text.starts, text.origins)
    pattern = _pattern("" if marked.text.isascii() else "".join(sorted(set(marked.text))))
    return marked.changed(pattern, _folded_match)


@lru_cache(maxsize=64)
def _pattern(characters: str) -> Pattern[str]:
    """Return what has to be replaced in a text of these characters; the plain rest is not looked at one by one."""
    joining = "".join(c for c in characters if not c.isspace() and _joins_what_is_before(c))
    changing = "".join(c for c in characters if not c.isspace() and unicodedata.normalize("NFKC", c) != c)
    parts = [r"\s\s+", r"[^\S ]"]
    if joining:
        parts.append(f"[^\\s]?[{re.escape(joining)}]+")
    if changing:
        parts.append(f"[{re.escape(changing)}]")
    return re.compile("|".join(parts))


def _joins_what_is_before(character: str) -> bool:
    first = unicodedata.normalize("NFKD", character)[0]
    return unicodedata.category(first)[0] == "M" or ord(first) in _JAMO_VOWELS_AND_FINALS


def _folded_match(match: Match[str]) -> str:
    found = match.group()
    if found.isspace():
        return " "
    before = match.string[match.start() - 1] if match.start() else ""
    if _changes_value(found, before):
        return found
    return unicodedata.normalize("NFKC", found).translate(_TO_ONE_MARK)


def _changes_value(found: str, before: str) -> bool:
    # Ten squared is not one hundred and two: a raised or encircled digit right after a digit stays what it is.
    return before.isdigit() and unicodedata.decomposition(found[0]).startswith(_VALUE_CHANGING)
