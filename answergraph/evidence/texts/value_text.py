"""A text prepared for finding values: characters of one width and kind, its words, rows and cells, all at their own positions."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from operator import itemgetter

from answergraph.evidence.texts.cell_grids import FROM_ABOVE, FROM_LEFT
from answergraph.evidence.texts.folding import has_other_value, translated

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Thai, Lao, Burmese and Khmer."""
BORDERLESS = f"{_UNSPACED}\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
"""Scripts that write words without spaces or with endings: each character is a word."""
COMBINED = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3"
    "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff"
)
"""Marks that belong to a letter before them, and scripts that write vowels so."""
_WORD = re.compile(rf"[{BORDERLESS}]|(?:[^\W_{BORDERLESS}]|[{COMBINED}])+")
_SPOKEN = re.compile(rf"[{_UNSPACED}]+|(?:[^\W_{BORDERLESS}]|[{COMBINED}])+")
_CELL = re.compile(r"\t| *\| *| {2,}|;")
_COMMA = re.compile(r'"(?:[^"\n]|"")*"|(,)')
_TIGHT_COMMA = re.compile(r"(?<![0-9]),(?! )|,(?![0-9]{3}(?![0-9])| )")
_SAME = {
    **dict.fromkeys("\u2212\u2043\u2796", "-"),
    **dict.fromkeys("\u2044\u2215", "/"),
    **dict.fromkeys("\u2018\u2019\u02bc", "'"),
    "\u066c": ",",
    "\u066b": ".",
}
"""Marks that are written in several ways."""
UNACCENTED = {code: unicodedata.normalize("NFD", chr(code))[0] for code in (*range(0x386, 0x3D0), *range(0x1F00, 0x1FFD))}
"""Greek capitals are written without accents."""
_GROUPING = re.compile("(?<=[0-9])[\u00a0\u2007\u2009\u202f](?=[0-9]{3}(?![0-9]))")
"""No cell ends with a space that keeps words together."""
_MISREAD = re.compile("(?<=[א-ת])[à-ú]+|(?<![à-ú])[à-ú]+(?=[א-ת])")
"""Old fonts name נ (0xF0) as ð, and a PDF gives that: no Hebrew word holds a Latin letter."""


def plain(text: str) -> str:
    """Return a text of the same length with digits, spaces, hyphens and wide characters in their usual form."""
    if text.isascii():
        return text
    text = _GROUPING.sub("'", text)
    text = _MISREAD.sub(lambda match: match.group().encode("latin-1").decode("cp1255"), text)
    return translated(text, {ord(character): _plain_character(character) for character in set(text) if not character.isascii()})


def _plain_character(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category in {"Zs", "Pd"}:
        return " " if category == "Zs" else "-"
    if character in _SAME:
        return _SAME[character]
    folded = unicodedata.normalize("NFKC", character)
    # 10² is not 102.
    return folded if len(folded) == 1 and not has_other_value(character) else character


def spoken_words(text: str) -> list[tuple[str, int, int]]:
    """Return the words of a text with their places, a run of Thai, Lao, Burmese or Khmer letters as one word."""
    return [(caseless(match.group()), *match.span()) for match in _SPOKEN.finditer(plain(text))]


def words_of(text: str) -> list[str]:
    """Return the words of a text, without case and marks."""
    return [caseless(match.group()) for match in _WORD.finditer(plain(unicodedata.normalize("NFC", text)))]


def caseless(word: str) -> str:
    """Return a word without case, its accents joined to its letters."""
    return word.casefold() if word.isascii() else unicodedata.normalize("NFC", word.casefold())


class ValueText:
    """One text, with what finding values in it needs."""

    def __init__(self, text: str) -> None:
        self.text = plain(text)
        self._cells: dict[tuple[int, int], list[tuple[int, int]]] = {}

    @cached_property
    def _words(self) -> tuple[list[str], list[tuple[int, int]]]:
        matches = list(_WORD.finditer(self.text))
        return [caseless(match.group()) for match in matches], [match.span() for match in matches]

    @property
    def words(self) -> list[str]:
        return self._words[0]

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The places of the words."""
        return self._words[1]

    @cached_property
    def _joined(self) -> dict[str, tuple[str, list[int]]]:
        return {mark: _joined(self.words, mark) for mark in (" ", "")}

    def runs(self, words: list[str], mark: str = " ") -> Iterator[tuple[int, int]]:
        """Yield the places of whole words in a row; without a mark, also of those that the text spaces in another way."""
        text, starts = self._joined[mark]
        needle = f"{mark}{mark.join(words)}{mark}".translate(UNACCENTED)
        at = text.find(needle) if needle.strip() else -1
        while at >= 0:
            first, end = bisect_left(starts, at + len(mark)), at + len(needle)
            last = bisect_left(starts, end) - 1
            following = starts[last + 1] if last + 1 < len(starts) else len(text)
            if first < len(self.spans) and starts[first] == at + len(mark) and following == end:
                yield self.spans[first][0], self.spans[last][1]
            at = text.find(needle, at + 1)

    @cached_property
    def lines(self) -> list[int]:
        """Where each line starts."""
        return [0, *(match.end() for match in re.finditer(r"[\n\f\v\r]", self.text))]

    def line_at(self, place: int) -> tuple[int, int]:
        """Return the line around a place, without its break."""
        return self._line(bisect_left(self.lines, place + 1) - 1)

    def line_before(self, place: int) -> tuple[int, int] | None:
        """Return the line above that is not blank."""
        index = bisect_left(self.lines, place + 1) - 2
        above = next(filter(self._is_filled, range(index, -1, -1)), None)
        return None if above is None else self._line(above)

    def _line(self, index: int) -> tuple[int, int]:
        end = self.lines[index + 1] - 1 if index + 1 < len(self.lines) else len(self.text)
        return self.lines[index], end

    @cached_property
    def has_comma_cells(self) -> bool:
        """Whether the commas of the text are borders of cells: every line has as many, none has a space, not all group digits."""
        if not _TIGHT_COMMA.search(self.text):
            return False
        counts = {len(self._commas(*self._line(index))) for index in range(len(self.lines)) if self._is_filled(index)}
        if any(self.text[end : end + 1] == " " for _, end in self._commas(0, len(self.text))):
            return False
        return len(counts) == 1 and counts != {0} and sum(map(self._is_filled, range(len(self.lines)))) > 1

    def _is_filled(self, index: int) -> bool:
        start, end = self._line(index)
        return start < end and not self.text[start:end].isspace()

    def _has_words(self, index: int) -> bool:
        return any(map(str.isalnum, self.text[slice(*self._line(index))]))

    def _commas(self, start: int, end: int) -> list[tuple[int, int]]:
        return [match.span(1) for match in _COMMA.finditer(self.text, start, end) if match.group(1)]

    def cells(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return the cells of a line; one if it has no borders."""
        if (start, end) in self._cells:
            return self._cells[start, end]
        borders = self._commas(start, end) if self.has_comma_cells else [m.span() for m in _CELL.finditer(self.text, start, end)]
        starts = [start, *(border_end for _, border_end in borders)]
        ends = [*(border_start for border_start, _ in borders), end]
        return self._cells.setdefault((start, end), list(zip(starts, ends, strict=True)))

    def column_of(self, place: int) -> int:
        """Return the index of the cell around a place in its line, 0 if it is in none."""
        cells = self.cells(*self.line_at(place))
        column = bisect_right(cells, place, key=itemgetter(0)) - 1
        return column if place <= cells[column][1] else 0

    def reach_of(self, words: list[str]) -> Iterator[tuple[int, int]]:
        """Yield where the value of each place of a label may stand: on its line or the next; not in a table of several rows."""
        for place, _ in self.runs(words):
            index = bisect_left(self.lines, place + 1) - 1
            below = [*islice(filter(self._has_words, range(index + 1, len(self.lines))), 2)]
            head, *rows = (len(self.cells(*self._line(each))) for each in (index, *below))
            is_table = head > 1 and rows == [head, head]
            last = index if is_table or not below else below[0]
            yield self._line(index)[0], self._line(last)[1]

    def row_heads(self, place: int) -> Iterator[tuple[int, int]]:
        """Yield the first cell of a row of several, if the place is behind it, and those that a cell of a row above covers."""
        start, end = self.line_at(place)
        cells = self.cells(start, end)
        before = bisect_right(cells, place, 0, len(cells) - 1, key=itemgetter(1))
        # Most rows have no cell that goes on from above.
        for low, high in cells[: before if self.text.find(FROM_ABOVE, start, place) >= 0 else min(before, 1)]:
            if self.text[low:high] == FROM_ABOVE:
                yield next((cell for cell in self.heads(low) if self.text[slice(*cell)] != FROM_ABOVE), (low, high))
            elif low == start:
                yield low, high

    def _cover_of(self, row: list[tuple[int, int]], below: list[tuple[int, int]], column: int) -> int:
        """Return the column of the cell that covers a place of a head: the one before an empty one, above a row of heads."""
        own = self.text[slice(*row[column])]
        if any(map(str.isalnum, own)):
            return column
        cells = [self.text[slice(*cell)] for cell in below]
        is_upper = _is_of_heads(cells)
        while column and (own == FROM_LEFT or (is_upper and not any(map(str.isalnum, own)) and _has_letter(cells[column - 1]))):
            column -= 1
            own = self.text[slice(*row[column])]
        return column

    def heads(self, place: int, rows: int | None = None) -> Iterator[tuple[int, int]]:
        """Yield the cells above a place in its column, the nearest last line first, up to a line of another shape."""
        start, end = self.line_at(place)
        cells, column = self.cells(start, end), self.column_of(place)
        above, below = self.line_before(start), cells
        for _ in range(len(self.lines) if rows is None else rows):
            if above is None or len(cells) == 1:
                return
            row = self.cells(*above)
            if len(row) == len(cells):
                yield row[self._cover_of(row, below, column)]
                # A row of marks is a border of the head.
                below = row if any(map(str.isalnum, self.text[slice(*above)])) else below
            elif any(map(str.isalnum, self.text[slice(*above)])):
                return
            above = self.line_before(above[0])


def _has_letter(cell: str) -> bool:
    return any(map(str.isalpha, cell))


def _is_of_heads(cells: list[str]) -> bool:
    """Return whether the cells of a row name columns: several words, and no number."""
    return sum(map(_has_letter, cells)) > 1 and not any(map(str.isdecimal, "".join(cells)))


def _joined(words: list[str], mark: str) -> tuple[str, list[int]]:
    starts, at = [], len(mark)
    for word in words:
        starts.append(at)
        at += len(word) + len(mark)
    return translated(mark + mark.join(words) + mark, UNACCENTED), starts
