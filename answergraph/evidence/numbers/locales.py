"""Number formats by locale: the mark of digit groups and the decimal mark."""

from __future__ import annotations

_MARKS_OF_LOCALES = {
    ",.": "en ja ko zh he th hi bn ta te ms en_in",
    ".,": "de es it pt nl da id tr el hr sl sr ro vi is ca gl",
    " ,": "fr ru pl cs sk uk bg sv nb nn no fi hu et lt lv",
    "'.": "de_ch de_li it_ch fr_ch rm",
}
_LOCALES = {locale: marks for marks, locales in _MARKS_OF_LOCALES.items() for locale in locales.split()}
"""Group mark and decimal mark of each locale; a space means any space."""


def marks_of(locale: str) -> str:
    """Return group mark and decimal mark of a known locale such as ``de`` or ``fr_CA``."""
    name = locale.replace("-", "_").lower()
    return _LOCALES.get(name) or _LOCALES[name.split("_")[0]]


def knows_locale(locale: str) -> bool:
    return locale.replace("-", "_").lower().split("_")[0] in _LOCALES
