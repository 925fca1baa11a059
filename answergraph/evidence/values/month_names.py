"""The names of the months in every language that CLDR knows."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec

from answergraph.evidence.texts.value_text import words_of
from answergraph.runtime.extras import extra_needed

ARE_KNOWN = find_spec("babel") is not None
"""Whether the package is installed that knows the names."""
_RARE = 3
"""A meaning that so many times fewer languages have does not count: the May of English is the October of another."""


@cache
def month_names() -> Mapping[str, tuple[int, ...]]:
    """Return the months by their name in lower case; a name may mean several."""
    languages: dict[str, Counter[int]] = {}
    for name, month in _names():
        words = words_of(name)
        if words and len(words[0]) > 1 and not words[0].isdigit():
            languages.setdefault(" ".join(words), Counter())[month] += 1
    return {
        name: tuple(sorted(month for month, count in counts.items() if count * _RARE > max(counts.values())))
        for name, counts in languages.items()
    }


def are_read() -> bool:
    """Return whether no names are left to read: it takes half a second and reads files, which no event loop should wait for."""
    return not ARE_KNOWN or month_names.cache_info().currsize > 0


def _names() -> Iterator[tuple[str, int]]:
    """Yield the names with their months, once per language."""
    with extra_needed("documents", "a date with a month's name"):
        from babel import Locale, localedata  # noqa: PLC0415 - an extra

    for identifier in localedata.locale_identifiers():
        # Regions of a language have its names.
        if "_" not in identifier:
            months = Locale.parse(identifier).months
            yield from {(name, month) for form in months.values() for names in form.values() for month, name in names.items()}
