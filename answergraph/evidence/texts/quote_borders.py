"""Checks that a quote begins and ends at word borders and does not omit a negation."""

import re
import unicodedata
from operator import or_

from answergraph.evidence.texts.language_words import alternatives

CLINGING = (
    "\u00ad\u0300-\u036f\u0483-\u0489\u061c\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\U000e0000-\U000e01ef"
)
"""Combining marks and invisible characters, for the brackets of a regular expression."""
HYPHENS = "\\-\u2010\u2011\u2012\u2013\u2014\u2212"
_JOINS_WORDS = f"{HYPHENS}'."
_JOINS_DIGITS = ",:/٫٬·^"
_SIGNS = f"{HYPHENS}+±.√"
CURRENCIES = "$€£¥₩₹"
_DENIES = "!~¬≠"

_BEGINS = re.compile(
    rf"(?<![{CLINGING}])(?:"
    rf"(?=\d)(?<![\w{_SIGNS}{_DENIES}{CURRENCIES}])(?<!\d[*{_JOINS_DIGITS}])(?<!\d\*\*)(?<!\w')"
    rf"|(?=[^\W\d])(?<![\w{_DENIES}])(?<!\w[{_JOINS_WORDS}])"
    rf"|(?=[{_SIGNS}'])(?<![\w{_SIGNS}])"
    rf"|(?=[{_JOINS_DIGITS}])(?<!\d)"
    rf"|(?![\w{_SIGNS}'{_JOINS_DIGITS}{CLINGING}]))"
)
_ENDS = re.compile(
    rf"(?![{CLINGING}])(?:"
    rf"(?<=\d)(?!\w)(?![{_JOINS_WORDS}]\w)(?![{_JOINS_DIGITS}]\d)(?![%‰°])"
    rf"|(?<=[^\W\d])(?!\w)(?![{_JOINS_WORDS}]\w)"
    rf"|(?<=[{_JOINS_WORDS}])(?!\w)"
    rf"|(?<=[{_JOINS_DIGITS}])(?!\d)"
    rf"|(?<![\w{_JOINS_WORDS}{_JOINS_DIGITS}]))"
)

_BEHIND_WIDE = "(?<=[\u2e80-\u9fff])"  # no space need stand between scripts
_TURNED = rf"(?:\w+['’]t|\bn['’]\w+|{alternatives('quotes', 'denials')})"
# A line break before the negation may be an escape. "to", an adverb, or an opening mark may follow it.
_NEGATION = re.compile(
    rf"(?:^|\W|\\[nrt]|{_BEHIND_WIDE}){_TURNED}"
    rf"(?:[{CLINGING}]* (?:{alternatives('quotes', 'behind_denials')}))*[{CLINGING}]*"
    rf"(?: [*_`'(\[<{CLINGING}]*|[*_`'(\[]+)\Z",
    re.IGNORECASE,
)
_MAX_NEGATION_CHARACTERS = 44
"""Length of the longest negation with its borders."""
_DENIED = re.compile(rf"(?:(?<!\w)|{_BEHIND_WIDE}){_TURNED}(?!\w)", re.IGNORECASE)

GROUPING_SPACES = "\u00a0\u2009\u202f"
_GROUP_BEFORE = re.compile(rf"[0-9][{GROUPING_SPACES}]\Z")
_GROUP_AFTER = re.compile(rf"[{GROUPING_SPACES}][0-9]{{3}}(?![0-9])")


def begins_at_border(text: str, start: int) -> bool:
    """Return whether a quote may begin here: it cuts no word, number, sign or negating prefix."""
    return _BEGINS.match(text, start) is not None and not _is_within_word(text, start)


def ends_at_border(text: str, end: int) -> bool:
    """Return whether a quote may end here: it cuts no word, number or unit."""
    return _ENDS.match(text, end) is not None and not _is_within_word(text, end)


def _is_within_word(text: str, place: int) -> bool:
    """Return whether a combining mark, which is a vowel in many scripts, joins the characters before and after a place."""
    beside = text[max(place - 1, 0) : place + 1]
    marks = [unicodedata.category(character)[0] == "M" for character in beside]
    return 0 < place < len(text) and any(marks) and all(map(or_, marks, map(str.isalnum, beside)))


def follows_negation(text: str, start: int) -> bool:
    return _NEGATION.search(text[max(start - _MAX_NEGATION_CHARACTERS, 0) : start]) is not None


def holds_negation(text: str) -> bool:
    return _DENIED.search(text) is not None


def cuts_grouped_number(text: str, start: int, end: int) -> bool:
    """Return whether a span of the stored text cuts a number grouped by spaces, ``12 345``."""
    before = text[start].isdigit() and _GROUP_BEFORE.search(text[max(start - 2, 0) : start])
    return bool(before or (text[end - 1].isdigit() and _GROUP_AFTER.match(text, end)))
