"""Lays the cells of HTML tables out in rows and columns, so that a value has the heads that a reader sees above and beside it."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

FROM_LEFT, FROM_ABOVE = "\ue003", "\ue004"
"""In a place that the cell before it, or the one above it, covers too."""
_TAG = re.compile(r"<(?P<close>/?)(?P<tag>table|tr|t[dh])\b(?P<rest>[^<>]*)>\s*", re.IGNORECASE)
_SPAN = re.compile(r"\b(col|row)span\s*=\s*[\"']?(\d{1,3})", re.IGNORECASE)
_MAX_COLUMNS = 100


@dataclass
class _Table:
    """What is known of a table after some of its tags."""

    column: int = 0
    covered: Counter[int] = field(default_factory=Counter)
    """Per column, how many of the next rows a cell above covers."""
    wide: int = 0
    """How many further columns the last cell covers."""

    def begin_cell(self, rest: str) -> str:
        """Return what stands before a cell in its row."""
        spans = {name.lower(): min(int(count), _MAX_COLUMNS) for name, count in _SPAN.findall(rest)}
        before = self._passed(is_last=False)
        width = max(spans.get("col", 1), 1)
        for column in range(self.column, self.column + width):
            self.covered[column] = max(spans.get("row", 1), 1) - 1
        self.column, self.wide = self.column + width, width - 1
        return before

    def end_row(self) -> str:
        """Return what stands behind the last cell of a row."""
        behind = self._passed(is_last=True) if self.column else ""
        self.column = 0
        return behind

    def _passed(self, *, is_last: bool) -> str:
        """Return the borders and the covered places behind the last cell; up to the next one, or to the end of the row."""
        cells, last = [FROM_LEFT] * self.wide, max(self.covered, default=0) if is_last else _MAX_COLUMNS
        is_first, self.wide = self.column == 0, 0
        while self.covered[self.column] > 0 and self.column <= last:
            self.covered[self.column] -= 1
            self.column += 1
            cells.append(FROM_ABOVE)
        borders = "\t".join(cells)
        if is_first:
            return borders + "\t" * bool(cells)
        return "\t" * bool(cells) + borders + "\t" * (not is_last)


def laid_out(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Yield the edits that make each row of the tables in a part of a text one line, with tabs between its cells."""
    tables: list[_Table] = []
    done = start
    for tag in _TAG.finditer(text, start, end):
        low, name, is_end = tag.start(), tag["tag"].lower(), bool(tag["close"])
        while low > done and text[low - 1].isspace():
            low -= 1
        done = tag.end()
        if name == "table" and not is_end:
            tables.append(_Table())
            yield low, done, "\n\n"
        elif tables and name == "table":
            yield low, done, tables.pop().end_row() + "\n\n"
        elif tables and name == "tr":
            yield low, done, tables[-1].end_row() + "\n\n"
        elif tables:
            yield low, done, "" if is_end else tables[-1].begin_cell(tag["rest"])
