"""Words around numbers: multipliers such as million, signs, bounds, and context such as versions."""

import re
from decimal import Decimal

from answergraph.evidence.texts.language_words import alternatives, word_tables, words
from answergraph.evidence.texts.value_text import COMBINED

MAGNITUDES = {word: Decimal(size) for size, listed in word_tables()["numbers"]["sizes"].items() for word in listed.split()}
"""Multipliers after a number."""

SHARES = (*(word for word, size in MAGNITUDES.items() if size < 1), *words("numbers", "parts"))
"""Tenths, thirds and others."""

LETTERS = frozenset({"m", "b", "t"})
"""Multipliers that may also be units: they count only after amounts of money."""

SIZE_WORD = re.compile(rf"(?: ?|\s?[\t|]\s?(?=\w{{6}}))((?:[^\W\d_]|[{COMBINED}])+)(?!\w)\.?")
"""A long word may stand in the next cell."""
CJK_SIZE = re.compile(r" ?([百千万萬億亿兆백천만억조])(?![克米瓦卡分])")
UNKNOWN_SIZE = re.compile(
    rf" (?:\w*(?:illion|illiard|illón)(?:e|en|er|es|s|ths?)?|myriads?|{alternatives('numbers', 'parts')})\b", re.IGNORECASE
)
OLD_SIZE = re.compile(r" (?:score|gross)\b", re.IGNORECASE)

BOUND_BEFORE = re.compile(
    rf"(?:(?<![-=<\w\"'/])(?:[<>≤≥~≈≲≳]|<=|>=)|(?<!\w)(?:{alternatives('numbers', 'bounds')})\.?"
    r"|[约約至少最多超过不到近大概])\s?\Z",
    re.IGNORECASE,
)
BOUND_AFTER = re.compile(
    rf"\+(?![\w+])|\s?(?:{alternatives('numbers', 'or')})\s(?:{alternatives('numbers', 'more')})\b"
    r"|\s?[\w]{0,3}(?:以上|以下|未満|未满|左右|多)",
    re.IGNORECASE,
)
_TO = rf"(?:\.\.\.?|(?<!\n)[-\u2012-\u2015~〜～]|{alternatives('numbers', 'to')})"
RANGE_BEFORE = re.compile(
    rf"[0-9][%°\w]{{0,3}} ?{_TO}\s?\Z|(?:{alternatives('numbers', 'between')})\s[0-9.,]+\s\w{{1,3}}\s\Z", re.IGNORECASE
)
RANGE_AFTER = re.compile(rf" ?[%°]? ?{_TO}\s?[0-9]", re.IGNORECASE)

NAMED_BEFORE = re.compile(rf"(?:(?<!\w)(?:{alternatives('numbers', 'names')})\s|#|第)\Z", re.IGNORECASE)
_MONTHS = alternatives("numbers", "months")
DATE_BEFORE = re.compile(rf"(?<!\w)(?:{_MONTHS})\.?\s(?:[0-9]{{1,2}}(?:st|nd|rd|th)?,?\s)?\Z", re.IGNORECASE)
DATE_AFTER = re.compile(rf"\.?\s(?:{_MONTHS})\.?(?!\w)", re.IGNORECASE)

MINUS_WORD = re.compile(
    rf"(?<!\w)(?:{alternatives('numbers', 'minus')})\s\Z|(?:マイナス|负|負|零下|氷点下|冰点下|영하)\s?\Z", re.IGNORECASE
)
_FIRST_UNIT = r"(?:d|days?|h|hrs?|hours?|m|min|mins|minutes?|ft|feet|lbs?|°|std{})"
COMPOUND_AFTER = re.compile(
    rf"\s?{_FIRST_UNIT.format('')}\s[0-9]+\s?(?:h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?|in|oz)\b", re.IGNORECASE
)
COMPOUND_BEFORE = re.compile(rf"[0-9]\s?{_FIRST_UNIT.format('|j|時間|小时|分')}\s?\Z", re.IGNORECASE)
