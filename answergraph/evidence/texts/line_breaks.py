"""Separates wrapped lines from the borders of rows, list items, headings and paragraphs, and finds the lines around a place."""

import re
from collections.abc import Iterator
from re import Match

from answergraph.evidence.texts.folding import LINE_BREAKS, MappedText

_BREAK = re.compile(rf"(?<!\s)[^\S{LINE_BREAKS}]*[{LINE_BREAKS}]\s*")
WIDE = "\u2e80-\u9fff\uff00-\uffef"
"""Characters of scripts without spaces, for the brackets of a regular expression."""
_WIDE_SIGN = re.compile(f"[{WIDE}]")
_AT_HYPHEN = r"[-\u2010](?<=[^\W\d_].)\r?\n[ \t]*(?=[^\W\d_])"
_HYPHENATED = re.compile(_AT_HYPHEN)
_JOINABLE = re.compile(rf"(?=[-\u2010\r\n])(?:{_AT_HYPHEN}|(?<=[{WIDE}])\r?\n[ \t]*(?=[{WIDE}]))")
_MIN_WRAPPED_COLUMNS = 36  # minimum width of a wrapped block
_MAX_LOOK_CHARACTERS = 400  # characters read per line

_ITEM = re.compile(
    r"(?:[-*+•‣◦·o](?=[ \t])|\(?[0-9a-zA-Z]{1,3}[.)](?=[ \t])|#|=|\||>|@@|`{3}|~{3}|\.\. |:\w+:|\$ |</?\w)"
    r"|\[?[0-9]{1,4}[-/.:][0-9]{2}[-/.:]|[\w./-]+:[0-9]+:|[0-9]{1,6}[,;](?!\s|[0-9]+(?:[\s.,%]|$))"
    r"|(?:[A-Z]{3,}|[\w.-]+)(?:\[\w.]+\])?[:=](?:[ \t]|$|\S*$)"
    r"|(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|PASSED|FAILED|SKIPPED|E  )\b"
)
"""The beginning of a row, a list item, a heading, an entry with its key, or a line of a log."""
_RULE = re.compile(r"[\W_]+$")
_COLUMNS = re.compile(r"\t|\S {3,}\S")
_CELLS = re.compile(r"[,;|](?=[^\s,;|])")
_SENTENCE_END = re.compile(r"[.!?;][\"'”’»)\]]*(?=\s|\Z)|[。！？；]")
_INTRODUCES = re.compile(r"#{1,6} \S|.*[:：]\Z")
_MAX_LINES = 6
"""Lines added above or below a place."""
_MAX_ITEMS = 12
"""Items between one and the line that introduces the list."""
_MAX_SPACES = 200


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
    line_start = max(text.rfind("\n", 0, start) + 1, start - _MAX_LOOK_CHARACTERS)
    lead = found.group().rpartition("\n")[2]
    return _may_go_on(text[line_start:start], lead + text[end : end + _MAX_LOOK_CHARACTERS].partition("\n")[0])


def _may_go_on(line: str, following: str) -> bool:
    """Return whether prose may go on in the following line. Evidence shows whole lines, so the break is always seen."""
    one, other = line.strip()[-_MAX_LOOK_CHARACTERS:], following.strip()[:_MAX_LOOK_CHARACTERS]
    is_indented = _indent(following) > _indent(line) and one[-1:] not in {":", "{"}
    is_long = _columns(one) >= _MIN_WRAPPED_COLUMNS and not one[-1].isdigit() and one[-1] not in ".!?{};:"
    if not one or not other or other[0] in "{}" or not (is_indented or is_long):
        return False
    return not (_ITEM.match(other) or one.startswith("#") or any(map(_RULE.match, (one, other))) or _in_columns(one, other))


def _columns(text: str) -> int:
    return len(text) + len(_WIDE_SIGN.findall(text))


def _in_columns(one: str, other: str) -> bool:
    if _COLUMNS.search(one[:_MAX_LOOK_CHARACTERS]) or _COLUMNS.search(other[:_MAX_LOOK_CHARACTERS]):
        return True
    cells = len(_CELLS.findall(one))
    return cells > 0 and cells == len(_CELLS.findall(other))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def lines_around(text: str, first: int, last: int, low: int, high: int) -> tuple[int, int]:
    """Return the start and end of the lines of a place between two bounds, with those in which its sentence begins and ends."""
    start, end = text.rfind("\n", low, first) + 1 or low, _line_end(text, last, high)
    for _ in range(_MAX_LINES):
        above = _end_above(text, low, start)
        if above <= low or _SENTENCE_END.search(text, start, first) or not _goes_on(text, above, start):
            break
        start = text.rfind("\n", low, above) + 1 or low
    for _ in range(_MAX_LINES):
        below = end + 1
        is_over = below >= high or _SENTENCE_END.search(text, max(last - 1, start), end)
        if is_over or not _goes_on(text, _end_above(text, start, below), below):
            break
        end = _line_end(text, below, high)
    return _introduced(text, low, start), end


def sentence_around(text: str, first: int, last: int) -> str:
    """Return the sentence of a place in a unit."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    before, after = [end for end in ends if end <= first], [end for end in ends if end >= last]
    return text[before[-1] if before else 0 : after[0] if after else len(text)]


def _line_end(text: str, at: int, high: int) -> int:
    end = text.find("\n", at, high)
    return high if end < 0 else end


def _end_above(text: str, low: int, start: int) -> int:
    """Return the end of the words above a line."""
    at = start
    while at > max(low, start - _MAX_SPACES) and text[at - 1].isspace():
        at -= 1
    return at


def _goes_on(text: str, end: int, start: int) -> bool:
    """Return whether the line that starts here goes on with the sentence of the line that ended."""
    return not (_SENTENCE_END.search(text, max(end - 3, 0), end) or any(borders(text, end, start)))


def _introduced(text: str, low: int, start: int) -> int:
    """Return the start of the heading above some lines, or of the line ``Not allowed:`` above a list; else their own start."""
    is_list, at = is_item(text[start : start + _MAX_SPACES]), start
    for _ in range(_MAX_ITEMS):
        end = _end_above(text, low, at)
        if end <= low or end == at:
            break
        at = text.rfind("\n", low, end) + 1 or low
        line = text[at:end].strip()
        if _INTRODUCES.match(line):
            return at
        if not (is_list and is_item(line)):
            break
    return start
