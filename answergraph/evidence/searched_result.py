"""A tool result made ready to be searched: each of its texts folded, with the way back to what is stored."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cached_property
from itertools import accumulate

from answergraph.evidence.folding import fold, folded
from answergraph.evidence.json_text import separated, unescaped
from answergraph.evidence.mapped_text import MappedText
from answergraph.evidence.numerals import Numeral, key_before, numbers_in
from answergraph.evidence.quote_borders import GROUPING_SPACES
from answergraph.state.tool_results import ToolRun

_GROUPING = re.compile(rf"(?<=[0-9])[{GROUPING_SPACES}](?=[0-9]{{3}}(?![0-9]))")
_MIN_ECHO_CHARACTERS = 4
"""How long an argument is at least for its return in the result to be an echo and no coincidence."""


class SearchedResult:
    """One result with its views; made once per check, for folding a long text costs more than searching it."""

    def __init__(self, run: ToolRun) -> None:
        """Take a result; nothing is folded yet."""
        self.run = run

    @cached_property
    def said(self) -> list[MappedText]:
        """Per text of the result what it says, folded; for JSON that is the text with escapes undone."""
        return [folded(text) for text in self._unescaped]

    @cached_property
    def counted(self) -> list[MappedText]:
        """Per text of the result what its numbers are read from."""
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
        """Where each text of the result begins in the message's text."""
        return [0, *accumulate(map(len, self.run.texts))]

    @cached_property
    def echoed_numbers(self) -> frozenset[tuple[str | None, Decimal]]:
        """The numbers that the tool was called with, each with the name it was given: the model's own words."""
        return frozenset(numbers_in(self.run.args))

    @cached_property
    def echoed_texts(self) -> list[str]:
        """The texts that the tool was called with, in small letters, the longest first."""
        texts = {fold(text).lower() for text in _strings(self.run.args)}
        return sorted((text for text in texts if len(text) >= _MIN_ECHO_CHARACTERS), key=len, reverse=True)

    def echoes(self, part: int, numeral: Numeral) -> bool:
        """Return whether a number in the result only repeats what the tool was called with."""
        text = self.counted[part].text
        if (numeral.start, numeral.end) == (0, len(text.rstrip())) and not self._repeats_its_argument(text):
            # All that the tool said is this number: the result of a calculation, which may equal an operand.
            return False
        key = key_before(numeral, text)
        return any(numeral.value == value and key in {None, name} for name, value in self.echoed_numbers)

    def _repeats_its_argument(self, text: str) -> bool:
        # Nothing is calculated from a single number without changing it, or nothing that it would be evidence of.
        arguments = list(self.run.args.values())
        return len(arguments) == 1 and fold(str(arguments[0])) == text.strip()

    def without_echo(self, text: str, start: int, end: int) -> str:
        """Return what a span of the result says beyond what the tool was called with."""
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
