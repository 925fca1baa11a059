"""The lines that a place is read with: those of its sentence over wrapped lines, and the line that introduces them."""

import re

from answergraph.evidence.texts.line_breaks import borders, is_item

_SENTENCE_END = re.compile(r"[.!?;][\"'”’»)\]]*(?=\s|\Z)|[。！？；]")
_INTRODUCES = re.compile(r"#{1,6} \S|.*[:：]\Z")
_MAX_LINES = 6
"""Lines added above or below a place."""
_MAX_ITEMS = 12
"""Items between one and the line that introduces the list."""
_MAX_SPACES = 200


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
