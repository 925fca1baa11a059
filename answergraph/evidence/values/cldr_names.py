"""The names of the months, and the words of thousands and millions, in every language that CLDR knows."""

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
def size_words() -> Mapping[str, Decimal]:
    """Return what words such as ``miljoonaa`` multiply a number with, where all languages agree; not short ones."""
    sizes: dict[str, set[int]] = {}
    for word, size in (each for locale in _locales() for each in _sizes_of(locale)):
        sizes.setdefault(word, set()).add(size)
    agreed = {word: min(found) for word, found in sizes.items() if len(found) == 1 and len(word) >= _MIN_LETTERS}
    return {word: Decimal(size) for word, size in agreed.items() if size >= _MILLION}


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


def _sizes_of(locale: Any) -> Iterator[tuple[str, int]]:
    for forms in locale.compact_decimal_formats.get("long", {}).values():
        for size, form in forms.items():
            zeros = form.pattern.count("0")
            yield re.sub(r"[\s0'’]+", " ", form.pattern).strip().casefold(), int(size) // 10 ** max(zeros - 1, 0)
