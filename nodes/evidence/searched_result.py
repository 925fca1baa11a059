"""A tool result made ready to be searched: each of its texts folded, with the way back to what is stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cached_property
from itertools import accumulate

from answergraph.nodes.evidence.folding import fold, folded
from answergraph.nodes.evidence.json_text import separated, unescaped
from answergraph.nodes.evidence.mapped_text import MappedText
from answergraph.nodes.evidence.numerals import Numeral, key_before, numbers_in
from answergraph.nodes.evidence.tool_results import ToolRun

_SHORTEST_ECHO = 4
"""How long an argument is at least for its return in the result to be an echo and no coincidence."""


class SearchedResult:
    """One result with its views; made once per check, for folding a long text costs more than searching it.

    Attributes:
        run: The tool call and its result.
    """

    def __init__(self, run: ToolRun) -> None:
        """Take a result; nothing is folded yet."""
        self.run = run

    @cached_property
    def said(self) -> list[MappedText]:
        """Per text of the result what it says, folded; for JSON that is the text with escapes undone."""
        return [folded(unescaped(text) or MappedText.unchanged(text)) for text in self.run.texts]

    @cached_property
    def counted(self) -> list[MappedText]:
        """Per text of the result what its numbers are read from."""
        apart = [separated(text) for text in self.run.texts]
        return [said if view is None else folded(view) for view, said in zip(apart, self.said, strict=True)]

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
        """The texts that the tool was called with, the longest first."""
        texts = {fold(text) for text in _strings(self.run.args)}
        return sorted((text for text in texts if len(text) >= _SHORTEST_ECHO), key=len, reverse=True)

    def echoes(self, part: int, numeral: Numeral) -> bool:
        """Return whether a number in the result only repeats what the tool was called with.

        Args:
            part: The text it stands in.
            numeral: The number.
        """
        text = self.counted[part].text
        if (numeral.start, numeral.end) == (0, len(text.rstrip())):
            # All that the tool said is this number: the result of a calculation, which may equal an operand.
            return False
        key = key_before(numeral, text)
        return any(numeral.value == value and key in {None, name} for name, value in self.echoed_numbers)

    def without_echo(self, text: str, start: int, end: int) -> str:
        """Return what a span of the result says beyond what the tool was called with.

        Args:
            text: A folded view of the result.
            start: Where the span begins.
            end: Where it ends.
        """
        kept = [True] * (end - start)
        for echo in self.echoed_texts:
            at = text.find(echo, max(start - len(echo) + 1, 0), end + len(echo) - 1)
            while at >= 0:
                low, high = max(at, start), min(at + len(echo), end)
                kept[low - start : high - start] = [False] * (high - low)
                at = text.find(echo, at + 1, end + len(echo) - 1)
        left = "".join(character if keep else " " for character, keep in zip(text[start:end], kept, strict=True))
        return " ".join(left.split())


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
