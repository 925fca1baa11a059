"""The words that the checks know in several languages, read from ``language_words.toml``."""

import tomllib
from functools import cache
from importlib import resources
from typing import Any


def words(table: str, name: str) -> list[str]:
    return [word.replace("_", " ") for word in word_tables()[table][name].split()]


def alternatives(table: str, *names: str) -> str:
    """Return words and phrases as alternatives for a regular expression."""
    return "|".join(word for name in names for word in words(table, name))


@cache
def word_tables() -> dict[str, dict[str, Any]]:
    return tomllib.loads(resources.files(__package__).joinpath("language_words.toml").read_text(encoding="utf-8"))


@cache
def marks_of(locale: str) -> str | None:
    """Return the group mark and the decimal mark of a locale such as ``de`` or ``fr_CA``; ``None`` for an unknown locale."""
    name = locale.replace("-", "_").lower()
    known = {each: marks for marks, locales in word_tables()["locales"].items() for each in locales.split()}
    return known.get(name, known.get(name.split("_")[0]))
