"""The names of months, of parts of the day and of currencies, and words such as million, in every language that CLDR knows."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from decimal import Decimal
from functools import cache
from importlib.util import find_spec
from itertools import product
from typing import Any

from answergraph.evidence.texts import language_words
from answergraph.evidence.texts.value_text import COMBINED, UNACCENTED, plain, spoken_words
from answergraph.runtime.extras import extra_needed

ARE_KNOWN = find_spec("babel") is not None
"""Whether the package is installed that knows the names."""
_RARE = 3
"""A meaning that so many times fewer languages have does not count: the May of English is the October of another."""
_MIN_LETTERS = 4
_AHEAD = " 0"
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
_POINTED = frozenset(map(chr, range(0xE00, 0xF00)))
_INVISIBLE = re.compile("[\u200c-\u200f]")
"""Sources are read without them."""
_GLUED = re.compile(r"([^\W\d_ydMG]*)MMMM'?([^\W\d_ydMG]*)")
"""What a language writes on to a month: Hebrew puts the word for "in" before it."""


Sizes = Mapping[str, frozenset[Decimal]]
"""What each word multiplies a number with."""


@cache
def month_names() -> Mapping[str, tuple[int, ...]]:
    """Return the months by their name in lower case; a name may mean several."""
    languages: dict[str, Counter[int]] = {}
    named = {each for locale in _locales() for each in _months_of(locale)}
    named |= {(form, month) for word, month in named for form in _in_capitals(word)}
    for name, month in named:
        words = [word for word, _, _ in spoken_words(name)]
        # Where letters have cases, two of them are a word such as "de" or "no". Thai shortens a name to two letters with points,
        # which are two words.
        least = 1 if name[0] in _POINTED else 2 + (name.lower() != name.upper())
        # Mongolian counts its months, "11-р сарын"; a number alone, or with letters at once, is no name.
        is_counted = words and words[0].isdigit() and words[-1].isalpha() and len(words[-1]) >= least
        if is_counted or (len("".join(words)) >= least and not words[0][0].isdigit()):
            languages.setdefault(" ".join(words), Counter())[month] += 1
    # "de mai" is found as "mai".
    return {
        name: tuple(sorted(month for month, count in counts.items() if count * _RARE > max(counts.values())))
        for name, counts in languages.items()
        if languages.get(name.partition(" ")[2], Counter()).keys() != counts.keys()
    }


@cache
def list_words() -> Set[str]:
    """Return the words and signs that stand between two items of a list, such as ``and``."""
    styles = (style for locale in _locales() for name, style in locale.list_patterns.items() if name.startswith("standard"))
    between = {str(style.get("2", "")).removeprefix("{0}").removesuffix("{1}") for style in styles}
    return {word for each in between if (word := _INVISIBLE.sub("", plain(each)).strip(" ,،、፣"))}


@cache
def size_words(locale: str | None = None) -> Sizes:
    """Return what words such as ``miljoonaa``, and short forms with their point such as ``mil.``, multiply a number with.

    Languages may differ, unless a locale says which one counts: there is one factor for each meaning.
    """
    sizes: dict[str, set[Decimal]] = {}
    for word, size in (each for language in (_locales(locale) if ARE_KNOWN else ()) for each in _sizes_of(language)):
        sizes.setdefault(word, set()).add(size)
    return {word: frozenset(found) for word, found in sizes.items()}


@cache
def sizes_before() -> Set[str]:
    """Return the words that multiply a number behind them: ``elfu 5``."""
    ahead = {word.removesuffix(_AHEAD) for word in size_words() if word.endswith(_AHEAD)}
    return ahead.union(language_words.words("numbers", "ahead"))


@cache
def unit_words() -> frozenset[str]:
    """Return the names of minutes and miles, in another language each a thousand, and the signs of all units."""
    if not ARE_KNOWN:
        return frozenset()
    from babel.units import format_unit  # noqa: PLC0415 - an extra

    forms = list(product((1, 5), ("duration-minute", "length-mile"), _locales()))
    forms += ((5, unit, locale) for locale in _locales("en") for unit in locale.unit_display_names)
    named = (format_unit(count, unit, "short", locale=locale) for count, unit, locale in forms)
    return frozenset(word for name in named for word, _, _ in spoken_words(name))


@cache
def currencies() -> frozenset[str]:
    """Return the codes of the currencies."""
    return frozenset(code for locale in _locales() for code in locale.currencies) if ARE_KNOWN else frozenset()


@cache
def _currency_words() -> frozenset[str]:
    names = "\n".join({name for locale in _locales() for name in locale.currencies.values()}) if ARE_KNOWN else ""
    return frozenset(re.findall(rf"(?:[^\W\d_]|[{COMBINED}]){{4,}}", plain(names).casefold()))


def is_currency_name(word: str) -> bool:
    """Return whether a word is in the name of a currency, but for an ending of two letters at most: ``Euro``, ``dollars``."""
    name = plain(word).casefold()
    return any(name[: len(name) - ending] in _currency_words() for ending in range(3))


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


@cache
def short_afternoons() -> Mapping[str, Set[str]]:
    """Return the languages of each short form for the second half of the day, in capitals or with points: ``CH``, ``e.m.``."""
    languages: dict[str, set[str]] = {}
    for locale in _locales():
        for name, words in _day_parts_of(locale):
            is_short = 1 < len(day_letters(words)) < _MIN_LETTERS and day_letters(words).isascii()
            if is_short and (words.isupper() or "." in words) and name in {"pm", "afternoon1"}:
                languages.setdefault(plain(words), set()).add(str(locale))
    return languages


def day_letters(words: str) -> str:
    """Return words without spaces and full stops, which languages write and leave out."""
    return _BREAKS.sub("", words.casefold())


def are_read() -> bool:
    """Return whether no names are left to read: it takes half a second and reads files, which no event loop should wait for."""
    return not ARE_KNOWN or month_names.cache_info().currsize > 0


def _locales(only: str | None = None) -> Iterator[Any]:
    with extra_needed("documents", "a date with a month's name"):
        from babel import Locale, localedata  # noqa: PLC0415 - an extra

    # Regions of a language have its names; but a billion of Portugal is not that of Brazil.
    every = (each for each in localedata.locale_identifiers() if "_" not in each or each == "pt_PT")
    return map(Locale.parse, every if only is None else {only.lower().replace("-", "_").split("_")[0]}.intersection(every))


def _in_capitals(name: str) -> Iterator[str]:
    """Yield a name without its accents, as capitals are often written: ``FEVRIER``, ``ΜΑΪΟΥ``."""
    letters = unicodedata.normalize("NFD", name)
    for marks in ({"\u0301"}, {*filter(unicodedata.combining, letters)}):
        form = unicodedata.normalize("NFC", "".join(letter for letter in letters if letter not in marks))
        if len(form) == len(name) >= _MIN_LETTERS:
            yield form


def _months_of(locale: Any) -> Iterator[tuple[str, int]]:
    glued = _GLUED.search(str(locale.date_formats["long"].pattern))
    before, behind = glued.groups() if glued else ("", "")
    for month, name in {each for form in locale.months.values() for names in form.values() for each in names.items()}:
        yield _INVISIBLE.sub("", name), month
        yield _INVISIBLE.sub("", f"{before}{name}{behind}"), month


def _day_parts_of(locale: Any) -> Iterator[tuple[str, str]]:
    for widths in locale.day_periods.values():
        yield from (each for width in ("wide", "abbreviated") for each in widths.get(width, {}).items())


def _sizes_of(locale: Any) -> Iterator[tuple[str, Decimal]]:
    every = locale.compact_decimal_formats
    for size, form in (each for width in ("long", "short") for forms in every.get(width, {}).values() for each in forms.items()):
        # Swahili says the sign of a negative number apart, behind a semicolon; Hebrew begins with a mark of its direction.
        pattern = _INVISIBLE.sub("", str(form.pattern).partition(";")[0].replace("'", "")).strip()
        word = re.sub(r"[\s0]+", " ", pattern).strip().casefold().translate(UNACCENTED)
        yield (
            word + _AHEAD * (pattern[:1].isalpha() and pattern.endswith("0")),
            Decimal(int(size) // 10 ** max(pattern.count("0") - 1, 0)),
        )
