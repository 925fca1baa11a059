"""Separates wrapped lines from the borders of rows, list items, headings and paragraphs."""

import re
from collections.abc import Iterator
from itertools import pairwise, takewhile
from re import Match

from answergraph.evidence.texts.folding import LINE_BREAKS, MappedText
from answergraph.evidence.texts.language_words import alternatives

_BREAK = re.compile(rf"(?<!\s)[^\S{LINE_BREAKS}]*[{LINE_BREAKS}]\s*")
WIDE = "\u2e80-\u9fff\uff00-\uffef"
"""Characters of scripts without spaces, for the brackets of a regular expression."""
_WIDE_SIGN = re.compile(f"[{WIDE}]")
_SIGNS_KEPT_TOGETHER = 2
_AT_HYPHEN = r"(?<=[^\W\d_])[-\u2010]\r?\n[ \t]*(?=[^\W\d_])"
_HYPHENATED = re.compile(_AT_HYPHEN)
_JOINABLE = re.compile(rf"{_AT_HYPHEN}|(?<=[{WIDE}])\r?\n[ \t]*(?=[{WIDE}])")
_MAX_BLOCK_CHARACTERS = 4000
"""Context read around a break."""
_MIN_WRAPPED_COLUMNS = 36  # minimum width of a wrapped block
_MIN_LINES_OF_PROSE = 3
_MAX_LINES = 12
"""Lines read on either side of a break."""
_MAX_LOOK_CHARACTERS = 400  # characters read per line

_ITEM = re.compile(
    r"(?:[-*+•‣◦·o](?=[ \t])|\(?[0-9a-zA-Z]{1,3}[.)](?=[ \t])|#|=|\||>|@@|`{3}|~{3}|\.\. |:\w+:|\$ |</?\w)"
    r"|\[?[0-9]{1,4}[-/.:][0-9]{2}[-/.:]|[\w./-]+:[0-9]+:"
    r"|(?:[A-Z]{3,}|[\w.-]+)(?:\[\w.]+\])?[:=](?:[ \t]|$|\S*$)"
    r"|(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|PASSED|FAILED|SKIPPED|E  )\b"
)
"""The beginning of a row, a list item, a heading, an entry with its key, or a line of a log."""
_RULE = re.compile(r"[\W_]+$")
_COLUMNS = re.compile(r"\t|\S {3,}\S")
_CELLS = re.compile(r"[,;|](?=[^\s,;|])")
_GLUE_WORDS = alternatives("quotes", "glue")
_GOES_ON = re.compile(rf"(?:[^\W\d_][,(]|\b(?:{_GLUE_WORDS}))$", re.IGNORECASE)
_GOES_ON_WITH = re.compile(rf"(?:{_GLUE_WORDS}) ")


def joined(text: MappedText) -> MappedText:
    """Join hyphenated words, and lines of scripts without spaces."""
    return text.changed(_JOINABLE, lambda _: "") if "\n" in text.text else text


def hyphens_joined(text: MappedText) -> MappedText:
    """Join lines after the hyphens of compounds."""
    return text.changed(_HYPHENATED, lambda match: match.group()[0])


def borders(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the line breaks within a span that are borders, not wraps."""
    for match in _BREAK.finditer(text, start, end):
        if not _only_wraps(text, match):
            yield match.span()


def is_item(line: str) -> bool:
    """Return whether a line begins a row, a list item, a heading, or an entry with its key."""
    return _ITEM.match(line.lstrip()) is not None


def _only_wraps(text: str, found: Match[str]) -> bool:
    start, end = found.span()
    if start and _HYPHENATED.match(text, start - 1) and text[end].islower():
        return True
    if len(found.group().splitlines()) > 1 and found.group().strip(" \t").count("\n") > 1:
        return False
    before = text[max(start - _MAX_BLOCK_CHARACTERS, 0) : start].splitlines()
    lead = found.group().replace("\r\n", "\n")[1:]
    after = (lead.rpartition("\n")[2] + text[end : end + _MAX_BLOCK_CHARACTERS]).splitlines()
    above = _until_blank(reversed(before))[::-1]
    below = _until_blank(iter(after))
    return bool(above and below) and (_may_go_on(above[-1], below[0]) or _is_wrapped(above, below))


def _until_blank(lines: Iterator[str]) -> list[str]:
    taken = [line.rstrip() for line in takewhile(str.strip, lines)]
    return taken[:_MAX_LINES]


def _may_go_on(line: str, following: str) -> bool:
    """Return whether prose may go on in the following line. Evidence shows whole lines, so the break is always seen."""
    one, other = line.strip()[-_MAX_LOOK_CHARACTERS:], following.strip()[:_MAX_LOOK_CHARACTERS]
    if _columns(one) < _MIN_WRAPPED_COLUMNS or one[-1].isdigit() or one[-1] in ".!?{};:" or other[0] in "{}":
        return False
    return not (_ITEM.match(other) or one.startswith("#") or any(map(_RULE.match, (one, other))) or _in_columns(one, other))


def _is_wrapped(above: list[str], below: list[str]) -> bool:
    block = [*above, *below]
    width = max(map(_columns, block))
    fits = [_columns(line) + 1 + _columns(_first_word(following)) <= width for line, following in pairwise(block)]
    is_prose = len(block) >= _MIN_LINES_OF_PROSE and width >= _MIN_WRAPPED_COLUMNS and not any(fits)
    is_full = width >= _MIN_WRAPPED_COLUMNS and not fits[len(above) - 1]
    return _continues(above[-1], below[0], is_full=is_full, is_prose=is_prose)


def _columns(text: str) -> int:
    return len(text) + len(_WIDE_SIGN.findall(text))


def _first_word(line: str) -> str:
    # In scripts without spaces, a line may break after any character, but not before closing punctuation.
    return line.strip()[:_SIGNS_KEPT_TOGETHER] if _WIDE_SIGN.match(line.strip()) else line.split(None, 1)[0]


def _continues(line: str, following: str, *, is_full: bool, is_prose: bool) -> bool:
    one, other = line.strip(), following.strip()
    if _ITEM.match(other) or one.startswith("#") or _RULE.match(one) or _RULE.match(other) or _in_columns(one, other):
        return False
    if _indent(following) > _indent(line) and one[-1] not in ":{":
        return True
    if one.isupper() and other.isupper():
        other = other.lower()
    if _GOES_ON.search(one[-_MAX_LOOK_CHARACTERS:]) and (other[0].islower() or other[0].isdigit()):
        return True
    if _GOES_ON_WITH.match(other) and len(one) >= _MIN_WRAPPED_COLUMNS and one[-1] not in ".!?:;":
        return True
    if not is_full or _begins_alike(one, other) or (_WIDE_SIGN.match(other) and (not is_prose or one[-1] in "。！？：；")):
        return False
    begins = other.lstrip("([{\"'“‘«*_`")[:1]
    return begins.isalpha() and (is_prose or not begins.isupper() or one[-1] in ".!?:;,")


def _in_columns(one: str, other: str) -> bool:
    if _COLUMNS.search(one[:_MAX_LOOK_CHARACTERS]) or _COLUMNS.search(other[:_MAX_LOOK_CHARACTERS]):
        return True
    cells = len(_CELLS.findall(one))
    return cells > 0 and cells == len(_CELLS.findall(other))


def _begins_alike(one: str, other: str) -> bool:
    """Return whether two lines begin with the same word or pattern."""
    first, second = one.split(None, 1)[0], other.split(None, 1)[0]
    form = _form(first)
    return first == second or (form == _form(second) and form not in {"a", "A", "Aa", "aA", "a,", "a.", "Aa,"})


def _form(word: str) -> str:
    return re.sub(r"(.)\1+", r"\1", re.sub(r"[^\W\d_]", lambda m: "A" if m.group().isupper() else "a", re.sub(r"\d", "9", word)))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
