"""Reads the words of size behind a number, such as million, and what else they may mean."""

import re
import unicodedata
from decimal import Decimal
from itertools import chain
from typing import NamedTuple

from answergraph.evidence.numbers import number_words as words
from answergraph.evidence.texts.cldr_names import Sizes, currencies, is_currency_name, size_words, sizes_before, unit_words
from answergraph.evidence.texts.value_text import BORDERLESS, UNACCENTED

MONEY_SIZES = {"T": Decimal(1_000), "K": Decimal(1_000), "M": Decimal(1_000_000)}
"""Letters that stand at a currency: ``TEUR``, ``5 M€``."""
WIDE = re.compile(f"[{BORDERLESS}]")
_AT_MONEY = re.compile(r" ?([TtKkM])([^\W\d_]{3}(?!\w)|[$€£¥₹])")
_ONE = re.compile(r"(?<![\w.,])1\Z")
_NEXT = re.compile(r" ?([^\W\d_]+|[$€£¥₹₺₽])")
_LAST_WORD = re.compile(r"([^\W\d_]+) \Z")
_CURRENCY = re.compile(r"[A-Z]{3}|kr|Kč|zł|Ft|Rs|lei|TL|Rp|RM")
_LATIN = re.compile("[a-z\u00e0-\u024f]")
_MIN_LETTERS, _MIN_LATIN, _MIN_FULL, _SURE = 2, 4, 6, 1_000_000
"""What is shorter, and in Latin letters what is a smaller size too, may be another word: ``5 bin``."""


class Size(NamedTuple):
    """What a word multiplies the number before it with."""

    factors: frozenset[Decimal]
    """Nothing if nobody knows; 1 among others if it may be another word."""
    end: int


def sized(
    values: tuple[Decimal, ...], text: str, end: int, *, is_money: bool, locale: str | None = None
) -> tuple[tuple[Decimal, ...], int]:
    """Return what a number may mean with the words of size behind it, and where they end: "5 mil millones" has two."""
    while size := size_at(text, end, is_money=is_money, locale=locale):
        values, end = tuple(value * factor for value in values for factor in sorted(size.factors)), size.end
    return values, end


def size_at(text: str, end: int, *, is_money: bool = False, locale: str | None = None) -> Size | None:
    """Return what the word behind a number multiplies it with; ``None`` if no language, or not that of the locale, has it."""
    if (short := _AT_MONEY.match(text, end)) and (len(short[2]) == 1 or short[2] in currencies()):
        return Size(frozenset({MONEY_SIZES[short[1].upper()]}), short.end(1))
    if size := words.CJK_SIZE.match(text, end):
        return Size(frozenset({words.MAGNITUDES[size[1]]}), size.end())
    size = words.SIZE_WORD.match(text, end)
    word = size[1].casefold().translate(UNACCENTED) if size else ""
    found = size and _size_of(size, word, size_words(locale), is_money=is_money, is_read=locale is not None)
    unknown = words.UNKNOWN_SIZE.match(text, end)
    return found or (unknown and Size(frozenset(), unknown.end())) or (size and _unread(size, word))


def follows_size(before: str) -> bool:
    """Return whether a number in another language stands behind its size: ``elfu 5``."""
    word = _LAST_WORD.search(before)
    return word is not None and word[1].casefold() in sizes_before()


def _may_be_short(word: str, text: str, end: int) -> bool:
    if len(word) != _MIN_LETTERS or _LATIN.match(word):
        return len(word) > _MIN_LETTERS or (len(word) == _MIN_LETTERS and word not in unit_words())
    # Two letters of an Indian script may be a common word, such as the Hindi "of", which has another word behind it.
    following = words.SIZE_WORD.match(text, end)
    return following is None or is_currency_name(following[1])


def _unread(match: re.Match[str], word: str) -> Size | None:
    """Return a size that nobody knows where a word goes on behind one (``hundredths``), or may be one share: ``1 tenth``."""
    is_longer = any(len(known) >= _MIN_FULL and word.startswith(known) for known in words.MAGNITUDES)
    is_one = _ONE.search(match.string, max(match.start() - 2, 0), match.start()) is not None
    is_share = is_one and any(_is_singular(word, share) for share in words.SHARES)
    return Size(frozenset(), match.end()) if is_longer or is_share else None


def _is_singular(word: str, share: str) -> bool:
    """Return whether a word is the name of several shares but for its ending: ``tenth``, ``decimo``, ``десятая``."""
    is_stem = word == share[:-1] or (len(word) >= _MIN_FULL and word == share[:-2])
    return is_stem or (len(word) == len(share) and word[:-2] == share[:-2])


def _size_of(match: re.Match[str], word: str, named: Sizes, *, is_money: bool, is_read: bool) -> Size | None:
    """Return the size of a word; ``is_read`` says that its language is known."""
    text, end = match.string, match.end()
    if WIDE.match(word):
        return _size_within(word, match.start(1), named)
    # Romanian counts "25 de milioane".
    following = words.SIZE_WORD.match(text, end)
    if following and (both := named.get(f"{word} {following[1].casefold()}")):
        return Size(both, following.end())
    own = words.MAGNITUDES.get(word) if is_money or word not in words.LETTERS else None
    is_sure = is_read or _is_before_currency(text, end)
    may_be_short = is_sure or is_money or _may_be_short(word, text, end)
    factors = _factors(word, own, named if may_be_short else {}, has_point=text[end - 1] == ".", is_sure=is_sure)
    factors = factors if is_sure or factors == {own} else _doubted(word, factors)
    return Size(factors, end) if factors else None


def _size_within(word: str, start: int, named: Sizes) -> Size | None:
    """Return the size that a word of a script without spaces begins with: ``ล้านบาท``."""
    known = max((each for each in words.MAGNITUDES.keys() | named if word.startswith(each)), key=len, default="")
    return Size(named.get(known) or frozenset({words.MAGNITUDES[known]}), start + len(known)) if known else None


def _doubted(word: str, factors: frozenset[Decimal]) -> frozenset[Decimal]:
    """Return what a word means if nothing around it says that it is a size, not a unit or a word of another language."""
    is_sure = len(word) > _MIN_LETTERS and not _LATIN.match(word)
    if not factors or is_sure or (len(word) >= _MIN_LATIN and min(factors) >= _SURE):
        return factors
    return frozenset() if max(factors) < _SURE and word in unit_words() else factors | {Decimal(1)}


def _factors(word: str, own: Decimal | None, named: Sizes, *, has_point: bool, is_sure: bool) -> frozenset[Decimal]:
    """Return what a word means in full and, with its point or where it is surely a size, as a short form: ``mil``, ``mil.``."""
    full = named.get(word, frozenset()) if own is None else frozenset({own})
    short = named.get(f"{word}.", frozenset())
    if has_point and not full | short:  # "εκατ." is one of the words that begin so
        short = frozenset(chain.from_iterable(named[each] for each in named if each.startswith(word)))
    if has_point and is_sure:
        return short or full
    return full | short if has_point or is_sure else full


def _is_before_currency(text: str, end: int) -> bool:
    following = _NEXT.match(text, end)
    return following is not None and is_currency(following[1])


def is_currency(word: str) -> bool:
    """Return whether a word joined to a number is the sign, the code or the short name of a currency."""
    return _CURRENCY.fullmatch(word) is not None or any(unicodedata.category(character) == "Sc" for character in word)
