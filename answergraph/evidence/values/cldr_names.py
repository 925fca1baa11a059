"""The names of months, of parts of the day and of currencies, and words such as million, in every language that CLDR knows."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache
from importlib.util import find_spec
from typing import Any

from answergraph.evidence.texts.value_text import spoken_words
from answergraph.runtime.extras import extra_needed

ARE_KNOWN = find_spec("babel") is not None
"""Whether the package is installed that knows the names."""
_RARE = 3
"""A meaning that so many times fewer languages have does not count: the May of English is the October of another."""
_MIN_LETTERS, _MILLION = 4, 1_000_000
_MIN_LETTERS_OF_MONEY = 3
_LATIN = re.compile("[a-z\u00e0-\u024f]")
_BREAKS = re.compile(r"[\s.\u200c]+")
_PARTS = {
    **dict.fromkeys(("am", "morning"), "morning"),
    **dict.fromkeys(("noon", "afternoon"), "noon"),
    **dict.fromkeys(("pm", "evening"), "evening"),
    **dict.fromkeys(("midnight", "night"), "night"),
}
_AGREED = {
    **{frozenset({part}): part for part in _PARTS.values()},
    frozenset({"noon", "evening"}): "evening",
    frozenset({"evening", "night"}): "night",
}
_GLUED = re.compile(r"([^\W\d_ydMG]*)MMMM'?([^\W\d_ydMG]*)")
"""What a language writes on to a month: Hebrew puts the word for "in" before it."""


@cache
def month_names() -> Mapping[str, tuple[int, ...]]:
    """Return the months by their name in lower case; a name may mean several."""
    languages: dict[str, Counter[int]] = {}
    for name, month in {each for locale in _locales() for each in _months_of(locale)}:
        words = [word for word, _, _ in spoken_words(name)]
        if words and len(words[0]) > 1 and not words[0].isdigit():
            languages.setdefault(" ".join(words), Counter())[month] += 1
    return {
        name: tuple(sorted(month for month, count in counts.items() if count * _RARE > max(counts.values())))
        for name, counts in languages.items()
    }


@cache
def size_words(*, of_money: bool = False) -> Mapping[str, Decimal]:
    """Return what words such as ``miljoonaa`` multiply a number with, where all languages agree; short ones only of money.

    A short word in Latin letters may be another one elsewhere: ``5 bin``.
    """
    sizes: dict[str, set[int]] = {}
    for word, size in (each for locale in (_locales() if ARE_KNOWN else ()) for each in _sizes_of(locale)):
        sizes.setdefault(word, set()).add(size)
    agreed = {word: min(found) for word, found in sizes.items() if len(found) == 1 and len(word) >= _MIN_LETTERS_OF_MONEY}
    sure = {word for word, size in agreed.items() if not _LATIN.match(word) or (len(word) >= _MIN_LETTERS and size >= _MILLION)}
    return {word: Decimal(size) for word, size in agreed.items() if of_money or word in sure}


@cache
def currencies() -> frozenset[str]:
    """Return the codes of the currencies."""
    return frozenset(code for locale in _locales() for code in locale.currencies) if ARE_KNOWN else frozenset()


@cache
def day_parts() -> tuple[str, Mapping[str, str]]:
    """Return a pattern for words such as ``de la tarde``, and the part of the day that each says, by its letters."""
    parts: dict[str, set[str]] = {}
    forms: dict[str, str] = {}
    for name, words in {each for locale in _locales() for each in _day_parts_of(locale)}:
        letters = day_letters(words)
        if len(letters) >= _MIN_LETTERS or not letters.isascii():
            parts.setdefault(letters, set()).add(_PARTS[name.rstrip("12")])
            forms[letters] = r"[\s.\u200c]{0,3}".join(map(re.escape, _BREAKS.split(words.casefold())))
    # What some languages call evening may be afternoon to others; 2 at night is early in all.
    known = {letters: part for letters, found in parts.items() if (part := _AGREED.get(frozenset(found)))}
    return "|".join(forms[letters] for letters in sorted(known, key=len, reverse=True)), known


def day_letters(words: str) -> str:
    """Return words without spaces and full stops, which languages write and leave out."""
    return _BREAKS.sub("", words.casefold())


def are_read() -> bool:
    """Return whether no names are left to read: it takes half a second and reads files, which no event loop should wait for."""
    return not ARE_KNOWN or month_names.cache_info().currsize > 0


def _locales() -> Iterator[Any]:
    with extra_needed("documents", "a date with a month's name"):
        from babel import Locale, localedata  # noqa: PLC0415 - an extra

    # Regions of a language have its names.
    return (Locale.parse(identifier) for identifier in localedata.locale_identifiers() if "_" not in identifier)


def _months_of(locale: Any) -> Iterator[tuple[str, int]]:
    glued = _GLUED.search(str(locale.date_formats["long"].pattern))
    before, behind = glued.groups() if glued else ("", "")
    for month, name in {each for form in locale.months.values() for names in form.values() for each in names.items()}:
        yield name, month
        yield f"{before}{name}{behind}", month


def _day_parts_of(locale: Any) -> Iterator[tuple[str, str]]:
    for widths in locale.day_periods.values():
        yield from (each for width in ("wide", "abbreviated") for each in widths.get(width, {}).items())


def _sizes_of(locale: Any) -> Iterator[tuple[str, int]]:
    every = locale.compact_decimal_formats
    for size, form in (each for width in ("long", "short") for forms in every.get(width, {}).values() for each in forms.items()):
        zeros, word = form.pattern.count("0"), re.sub(r"[\s0'’.]+", " ", form.pattern).strip().casefold()
        yield word, int(size) // 10 ** max(zeros - 1, 0)
