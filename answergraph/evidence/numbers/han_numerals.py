"""Reads numbers in Chinese characters, alone or with digits: 一千二百三十四, 二〇二五, 5億3000万."""

import re
import unicodedata
from decimal import Decimal

_DIGITS, _SIZES = "〇零一二三四五六七八九", "万萬億亿兆만억조"
HAN_SIZES = f"十百千백천{_SIZES}"
_EVERY = f"0-9{_DIGITS}{HAN_SIZES}"
_SPACE = rf"(?: (?=[0-9][0-9.,]*[{HAN_SIZES}]|[0-9]{{1,4}}[원円元]))?"
"""Korean writes 3만 5천원."""
HAN_NUMBER = re.compile(
    rf"(?<![0-9])(?<![0-9][.,])(?:[0-9][0-9.,]*[{HAN_SIZES}]+{_SPACE})+[0-9]*"
    rf"|(?<![{_EVERY}两兩壹贰貳參叁肆伍陆陸柒捌玖拾佰仟])(?:(?<![\u3400-\u9fff])|(?=[十{_DIGITS}]))[{_DIGITS}{HAN_SIZES}]{{2,}}"
    rf"(?![{_EVERY}余餘多几幾数數月日号號時时点點分秒割折成])"
    rf"|(?<![第期周週{_EVERY}两両兩几幾数數])[{_DIGITS}](?=[つ个個箇])"
)
"""Digits with sizes, or characters alone: not behind "some", before "and some", or in a date or a time; one before a counter."""
_VALUES = {
    **dict.fromkeys("兆조", Decimal(10**12)),
    **dict.fromkeys("億亿억", Decimal(10**8)),
    **dict.fromkeys("万萬만", Decimal(10**4)),
    **dict.fromkeys("千천", Decimal(1_000)),
    **dict.fromkeys("百백", Decimal(100)),
    "十": Decimal(10),
}
"""The sizes, the largest first."""
_PLAIN = re.compile(rf"|[0-9][0-9,]*(?:\.[0-9]+)?|[{_DIGITS}]|零[{_DIGITS}]+|[{_DIGITS}]{{3,}}")
"""Digits; two characters in a row are "two or three"."""
_CUT = re.compile(rf"[百千{_SIZES}][一二三四五六七八九]\Z")
"""三百五 may be 350."""


def value_of(text: str) -> Decimal | None:
    """Return the value of a number, 0 for nothing; ``None`` if its sizes do not fall, or the last one is left out."""
    sign = next((sign for sign in _VALUES if sign in text), None)
    if sign is None:
        return _plain_value(text)
    head, _, rest = text.partition(sign)
    if sign in rest:
        return None
    count, more = value_of(head) if sign in _SIZES else _plain_value(head or "一"), value_of(rest)
    if not count or more is None or more >= _VALUES[sign] or _CUT.search(text):
        return None
    return count * _VALUES[sign] + more


def _plain_value(digits: str) -> Decimal | None:
    if not _PLAIN.fullmatch(digits := digits.strip()):
        return None
    return Decimal(digits.replace(",", "") or 0) if digits.isascii() else Decimal(counted(digits))


def counted(digits: str) -> int:
    """Return the value of digits or Chinese numerals, one by one (二〇二五) or with tens (二十五)."""
    if digits.isdecimal():
        return int(digits)
    total = ones = 0
    for value in (int(unicodedata.numeric(character)) for character in digits):
        if value < 10:  # noqa: PLR2004 - a digit
            ones = ones * 10 + value
        else:
            total, ones = total + (ones or 1) * value, 0
    return total + ones
