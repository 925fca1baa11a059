"""A tool result prepared for search: escapes of JSON undone, texts folded, with a map back to the stored texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cached_property
from itertools import accumulate
from re import Match

from answergraph.evidence.folding import MappedText, fold, folded
from answergraph.evidence.numerals import Numeral, key_before, numbers_in
from answergraph.evidence.quote_borders import GROUPING_SPACES
from answergraph.state.tool_results import ToolRun

_ESCAPE = re.compile(r"(?:\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\(?:u[0-9a-fA-F]{4}|[\"\\/bfnrt])")
_COMMA_IN_DIGITS = re.compile(r"[0-9],-?[0-9]")
_STRING_OR_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|(?<=[0-9]),(?=-?[0-9])')
_SHORT = {"\\n": "\n", '\\"': '"', "\\\\": "\\", "\\t": "\t", "\\r": "\r"}
_GROUPING = re.compile(rf"(?<=[0-9])[{GROUPING_SPACES}](?=[0-9]{{3}}(?![0-9]))")
_MIN_ECHO_CHARACTERS = 4
"""Length from which an argument that returns in the result is an echo and no coincidence."""


class SearchedResult:
    """One result with its views; made once per check, because folding a long text costs more than searching it."""

    def __init__(self, run: ToolRun) -> None:
        self.run = run

    @cached_property
    def said(self) -> list[MappedText]:
        """Each text of the result folded, JSON with its escapes undone: where quotes are searched."""
        return [folded(text) for text in self._unescaped]

    @cached_property
    def counted(self) -> list[MappedText]:
        """Each text of the result in the form from which numbers are read."""
        return [self._counted(part, text) for part, text in enumerate(self.run.texts)]

    def _counted(self, part: int, text: str) -> MappedText:
        apart = separated(text)
        plain = apart or self._unescaped[part]
        grouped = plain.changed(_GROUPING, lambda _: "_")
        return self.said[part] if apart is None and grouped is plain else folded(grouped)

    @cached_property
    def _unescaped(self) -> list[MappedText]:
        return [unescaped(text) or MappedText.unchanged(text) for text in self.run.texts]

    @cached_property
    def offsets(self) -> list[int]:
        return [0, *accumulate(map(len, self.run.texts))]

    @cached_property
    def echoed_numbers(self) -> frozenset[tuple[str | None, Decimal]]:
        """The numbers among the call's arguments, each with its name: the model's own words."""
        return frozenset(numbers_in(self.run.args))

    @cached_property
    def echoed_texts(self) -> list[str]:
        """The texts among the call's arguments in lower case, the longest first."""
        texts = {fold(text).lower() for text in _strings(self.run.args)}
        return sorted((text for text in texts if len(text) >= _MIN_ECHO_CHARACTERS), key=len, reverse=True)

    def echoes(self, part: int, numeral: Numeral) -> bool:
        """Return whether a number in one text of the result only repeats an argument of the call."""
        text = self.counted[part].text
        if (numeral.start, numeral.end) == (0, len(text.rstrip())) and not self._repeats_its_argument(text):
            # The number is the whole result, of a calculation, which may equal an operand.
            return False
        key = key_before(numeral, text)
        return any(numeral.value == value and key in {None, name} for name, value in self.echoed_numbers)

    def _repeats_its_argument(self, text: str) -> bool:
        # A result that equals the only argument was not calculated from it.
        arguments = list(self.run.args.values())
        return len(arguments) == 1 and fold(str(arguments[0])) == text.strip()

    def without_echo(self, text: str, start: int, end: int) -> str:
        """Return the words in a span of a folded text that the call's arguments do not contain."""
        kept = [True] * (end - start)
        for echo in self.echoed_texts:
            if text[start:end].lower() in echo:
                return ""
            low = max(start - len(echo) + 1, 0)
            said = text[low : end + len(echo) - 1].lower()
            at = said.find(echo)
            while at >= 0:
                first, last = max(low + at, start), min(low + at + len(echo), end)
                kept[first - start : last - start] = [False] * (last - first)
                at = said.find(echo, at + 1)
        left = "".join(character if keep else " " for character, keep in zip(text[start:end], kept, strict=True))
        return " ".join(left.split())


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key)
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def unescaped(text: str) -> MappedText | None:
    """Return a JSON text, or lines of JSON, with escapes undone; ``None`` if it is no JSON or has none."""
    if "\\" not in text or not _is_json(text):
        return None
    return without_escapes(MappedText.unchanged(text))


def separated(text: str) -> MappedText | None:
    """Return a JSON text with escapes undone and list items apart: in ``[1,234]`` the comma groups no digits.

    ``None`` if it is no JSON, or no comma stands between digits.
    """
    if _COMMA_IN_DIGITS.search(text) is None or not _is_json(text):
        return None
    return without_escapes(MappedText.unchanged(text).changed(_STRING_OR_COMMA, _apart))


def without_escapes(text: MappedText) -> MappedText:
    """Return a text with escapes of JSON undone, whether it is JSON or not."""
    return text.changed(_ESCAPE, _undone)


def _is_json(text: str) -> bool:
    return _parses(text) or all(_parses(line) for line in text.splitlines() if line.strip())


def _parses(text: str) -> bool:
    if text.lstrip()[:1] not in {"{", "[", '"'}:
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _undone(match: Match[str]) -> str:
    escape = match.group()
    return _SHORT.get(escape) or str(json.loads(f'"{escape}"'))


def _apart(match: Match[str]) -> str:
    return ", " if match.group() == "," else match.group()
