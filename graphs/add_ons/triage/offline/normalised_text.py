"""Texts of failures without their values, so that two failures can be compared."""

import re

_VALUES = (
    (re.compile(r"\x1b\[[\d;]*m|\?\[[\d;]*m"), ""),
    (re.compile(r"\b[a-z][a-z0-9+.-]{0,20}://[^\s'\")>]+", re.IGNORECASE), "<url>"),
    (re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?\S*)?"), "<time>"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE), "<id>"),
    (re.compile(r"\b0x[0-9a-f]+\b|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,}\b", re.IGNORECASE), "<hex>"),
    (re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|«[^«»\n]*»"), "<text>"),
    (re.compile(r"(?<![\w<./\\-])(?:[A-Za-z]:)?(?:[\w.-]*[/\\])+[\w.-]+"), "<path>"),
    (re.compile(r"\d+(?:[.,:]\d+)*"), "<n>"),
)


def normalised(text: str) -> str:
    """Return a failure's text without values: ``KeyError: <text> after <n> s``."""
    for pattern, instead in _VALUES:
        text = pattern.sub(instead, text)
    return " ".join(text.split())
