"""Finds JSON in a model's text, so that an answer in a fence or in prose costs no further call."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, NamedTuple

from answergraph.json_text.json_syntax_repair import MAX_MENDED_LENGTH, mend_json
from answergraph.json_text.strict_json import is_json, load_json

MAX_TEXT_LENGTH = 1_000_000
"""In characters; longer texts are not searched."""

MAX_RESTARTS = 8
"""Maximum number of unclosed braces that are skipped, to keep the search linear."""

Origin = Literal["whole", "fence", "prose"]

MAX_OBJECTS = 1_000
"""Maximum objects in prose; a text with more is data."""

MAX_MENDED = 64
"""Maximum values whose syntax is repaired."""

MAX_PASSED_OVER_CHARACTERS = 2_000_000
"""Maximum number of characters that are read without finding a value, over all brackets."""

BRACKET_COST_CHARACTERS = 20
"""The cost of each bracket in that sum."""

_FENCE_LINES = [re.compile(rf"^[ \t]*{mark}([^\n`]*)$", re.MULTILINE) for mark in ("```", "~~~")]
_MARK = re.compile(r'[{}\[\]"]|\\["\\]')
_PARTNERS = {"}": "{", "]": "["}
# A list in prose is often a remark, so lists count only at the start of a text or fence.
_OPENINGS = re.compile(r"(?:\A|^[ \t]*+(?:```|~~~)[^\n`]*+\n)\s*+\[|\{", re.MULTILINE)
_BEGINS_JSON = re.compile(r"""\{\s*+(?:["'}]|\Z)|\[""")
_FENCE_END = re.compile(r"\s*+(?:```|~~~)")
# Each family of models has its own tags around its thoughts; a server may leave them in the text.
_THOUGHT = r"(?:\w++:)?(?:think(?:ing)?|thoughts?|reasoning)"
_OPENING = rf"(?:[<\[◁]{_THOUGHT}[>\]▷]|<\|START_THINKING\|>|<\|channel\|>analysis<\|message\|>)"
_CLOSING = rf"(?:[<\[◁]/{_THOUGHT}[>\]▷]|<\|END_THINKING\|>|<\|end\|>)"
_THOUGHTS = re.compile(rf"(?:\s*+{_OPENING}.*?{_CLOSING})*+", re.DOTALL | re.IGNORECASE)
_THOUGHTS_BEGIN = re.compile(rf"\s*+{_OPENING}", re.IGNORECASE)
_THOUGHTS_ANYWHERE = re.compile(_OPENING, re.IGNORECASE)
_OPENING_DROPPED = re.compile(rf"[<\[◁]/{_THOUGHT}[>\]▷][ \t]*+(?:\n|\Z)", re.IGNORECASE)


@dataclass(frozen=True)
class JsonFinding:
    """A JSON value in a text."""

    data: Any
    origin: Origin
    mended: bool = False  # whether its syntax was repaired

    @property
    def repairs(self) -> tuple[str, ...]:
        extractions = {"whole": (), "fence": ("JSON taken out of a code fence",), "prose": ("JSON taken out of prose",)}
        return (*extractions[self.origin], *(("JSON syntax mended",) if self.mended else ()))


def find_json(text: str) -> list[JsonFinding]:
    """Find the JSON values in a text: the whole text, else its fences, else its outermost objects.

    Thoughts that the text begins with do not count, and values with small syntax errors only if there are no others. ``NaN``,
    ``Infinity`` and repeated keys make a value unreadable: reading them would change data.
    """
    return _search(text, lambda item: bool(item.data) or item.origin != "prose")


def parse_structured_output(text: str, *, objects_only: bool = True) -> Any:
    """Return the JSON object in a model's text: the whole text, else the first in a code fence, else the only one in prose.

    Every strategy of this package uses this search.

    Args:
        text: What the model wrote.
        objects_only: Whether only objects count. Otherwise lists and other values count too, as the whole text or in a fence.

    Returns:
        The object; ``None`` if there is none, or if prose holds several different ones.

    Example:
        >>> parse_structured_output('The result is {"step": 1, "reason": "done"}.')
        {'step': 1, 'reason': 'done'}
    """
    findings = _search(text, lambda item: not objects_only or isinstance(item.data, dict))
    is_ambiguous = any(item.origin == "prose" and item.data != findings[0].data for item in findings)
    return None if is_ambiguous or not findings or not is_json(findings[0].data) else findings[0].data


class ValueAt(NamedTuple):
    """The value at a bracket."""

    data: Any
    end: int | None
    """The end of the bracket, ``None`` if it is not closed."""


def value_at(text: str, start: int, closings: Mapping[int, int]) -> ValueAt:
    """Read the JSON value that begins at a bracket."""
    end = closings.get(start)
    return ValueAt(None if end is None else load_json(text[start:end]), end)


def begins_json(text: str, start: int) -> bool:
    """Return whether a bracket begins JSON, even broken or cut, not prose."""
    return _BEGINS_JSON.match(text, start) is not None


def closed_value(text: str) -> str | None:
    """Return a cut text up to its last complete JSON value; ``None`` without one, or if a different open value follows."""
    end: int | None = None
    begin = 0
    position, passed_over, closings = 0, 0, closings_in(text)
    while passed_over < MAX_PASSED_OVER_CHARACTERS and (opening := _OPENINGS.search(text, position)):
        start = opening.end() - 1
        value = value_at(text, start, closings)
        passed_over += BRACKET_COST_CHARACTERS
        if value.data is None and not begins_json(text, start):
            passed_over += (value.end or len(text)) - start
            position = start + 1
        elif value.end is None:
            if end is None or not _squeezed(text[begin:end]).startswith(_squeezed(text[start:])):
                return None
            break
        else:
            begin, end = start, value.end
            position = end
    if end is None or passed_over >= MAX_PASSED_OVER_CHARACTERS:
        return None
    fence_is_open = any(len(lines.findall(text, 0, end)) % 2 for lines in _FENCE_LINES)
    fence_end = _FENCE_END.match(text, end) if fence_is_open else None
    return text[: fence_end.end() if fence_end else end]


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _search(text: str, counts: Callable[[JsonFinding], bool]) -> list[JsonFinding]:
    if not text or len(text) > MAX_TEXT_LENGTH:
        return []
    text = text[end_of_thoughts(text) :]
    objects = list(islice(_outermost_objects(text), MAX_OBJECTS + 1))
    groups: list[tuple[Origin, list[str]]] = [
        ("whole", [text.strip()]),
        ("fence", _fenced(text)),
        ("prose", objects if len(objects) <= MAX_OBJECTS else []),
    ]
    strictly = _values_in(groups, load_json, counts, mended=False)
    return strictly or _values_in([group for group in groups if _is_mendable(group[1])], mend_json, counts, mended=True)


def _values_in(
    groups: list[tuple[Origin, list[str]]], load: Callable[[str], object], counts: Callable[[JsonFinding], bool], *, mended: bool
) -> list[JsonFinding]:
    for origin, candidates in groups:
        loaded = [JsonFinding(data, origin, mended) for data in map(load, candidates) if data is not None]
        counted = [item for item in loaded if counts(item)]
        if counted:
            return counted
    return []


def _is_mendable(candidates: list[str]) -> bool:
    # Repairs cost far more than reading.
    return len(candidates) <= MAX_MENDED and sum(map(len, candidates)) <= MAX_MENDED_LENGTH


def _fenced(text: str) -> list[str]:
    """Return the contents of fences in order, in linear time."""
    fences: list[tuple[int, str]] = []
    for lines in _FENCE_LINES:
        start: int | None = None
        for line in lines.finditer(text):
            if start is None:
                start = line.end() + 1
            elif not line[1].strip():
                fences.append((start, text[start : line.start()]))
                start = None
    return [content for _, content in sorted(fences)]


def _outermost_objects(text: str) -> Iterator[str]:
    position = text.find("{")
    restarts, closings = 0, closings_in(text)
    while position >= 0 and restarts <= MAX_RESTARTS and text.find("}", position) >= 0:
        end = closings.get(position)
        if end is None:
            # This brace is prose; an answer may follow.
            restarts += 1
            end = position + 1
        else:
            yield text[position:end]
        position = text.find("{", end)


def closings_in(text: str) -> dict[int, int]:
    """Return the end of each closed bracket, in one pass.

    A bracket in a string may begin a value, as in quoted JSON: its partner is on the same side of the quotes.
    """
    closings: dict[int, int] = {}
    opened: dict[tuple[str, bool], list[int]] = defaultdict(list)
    in_string = False
    for match in _MARK.finditer(text):
        mark = match[0]
        if mark == '"':
            in_string = not in_string
        elif mark in _PARTNERS:
            if waiting := opened[_PARTNERS[mark], in_string]:
                closings[waiting.pop()] = match.end()
        else:
            opened[mark, in_string].append(match.start())
    return closings


def end_of_thoughts(text: str) -> int:
    """Return where the blocks of thoughts end that a text begins with: at its end, if one is not closed."""
    end = _end_of_blocks(text)
    if _THOUGHTS_BEGIN.match(text, end):
        return len(text)
    # A server may drop the opening tag. JSON strings have no line breaks.
    if end or (dropped := _OPENING_DROPPED.search(text)) is None:
        return end
    opening = _THOUGHTS_ANYWHERE.search(text, 0, dropped.start())
    return 0 if opening and "{" in text[: opening.start()] else dropped.end()


def ends_in_thoughts(text: str) -> bool:
    """Return whether the thoughts that a text begins with are not closed."""
    return _THOUGHTS_BEGIN.match(text, _end_of_blocks(text)) is not None


def _end_of_blocks(text: str) -> int:
    return blocks.end() if (blocks := _THOUGHTS.match(text)) else 0
