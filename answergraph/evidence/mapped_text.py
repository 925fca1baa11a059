"""A changed text with a map from its characters to those of the original."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from re import Match, Pattern


@dataclass(frozen=True)
class MappedText:
    """A changed text in pieces, each with its span of the original."""

    text: str
    starts: tuple[int, ...]
    """Where each piece begins, ascending from 0."""
    origins: tuple[tuple[int, int], ...]
    """The span of the original that each piece came from."""

    def translated(self, table: Mapping[int, str]) -> MappedText:
        """Return the text with single characters replaced by single characters, as by ``str.translate``."""
        return MappedText(self.text.translate(table), self.starts, self.origins)

    @classmethod
    def unchanged(cls, text: str) -> MappedText:
        return cls(text, (0,), ((0, len(text)),))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original behind a span that is not empty; a piece of changed length counts as a whole."""
        return self._place(start)[0], self._place(end - 1)[1]

    def changed(self, pattern: Pattern[str], replace: Callable[[Match[str]], str]) -> MappedText:
        """Return the text with each match replaced; it still maps to this one's original."""
        pieces: list[str] = []
        inner: list[tuple[int, int]] = []
        done = 0
        for match in pattern.finditer(self.text):
            start, end = match.span()
            new = replace(match)
            if new == match.group():
                continue
            if start > done:
                pieces.append(self.text[done:start])
                inner.append((done, start))
            if new:
                pieces.append(new)
                inner.append((start, end))
            done = end
        if done == 0:
            return self
        if done < len(self.text):
            pieces.append(self.text[done:])
            inner.append((done, len(self.text)))
        # A text that is still its own original is looked up in itself.
        origins = inner if len(self.starts) == 1 else [self.span(*piece) for piece in inner]
        return MappedText("".join(pieces), tuple(accumulate(map(len, pieces[:-1]), initial=0)), tuple(origins))

    def _place(self, position: int) -> tuple[int, int]:
        index = bisect_right(self.starts, position) - 1
        start, end = self.origins[index]
        following = self.starts[index + 1] if index + 1 < len(self.starts) else len(self.text)
        if end - start != following - self.starts[index]:
            return start, end
        offset = position - self.starts[index]
        return start + offset, start + offset + 1
