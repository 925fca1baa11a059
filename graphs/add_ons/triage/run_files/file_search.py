"""Reads lines by number or pattern in one pass, bounded memory and linear time.

Patterns are RE2's, which match in linear time.
"""

from bisect import bisect_right
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate, islice
from typing import Any

import re2

from answergraph.graphs.add_ons.triage.run_files.read_only_folder import FileEntry, Folder, FolderError
from answergraph.graphs.add_ons.triage.run_files.text_stream import MAX_BYTES, TextFile, as_text

MAX_LINES = 400
"""Lines returned per call."""
MAX_CHARACTERS = 40_000
"""Text returned per call."""
MAX_LINE_CHARACTERS = 2_000
"""Part of a line that is returned."""
MAX_MATCHES = 60
"""Matching lines returned per call."""
MAX_PATTERN_CHARACTERS = 2_000
MAX_KEPT_SEARCHES = 128
MAX_CONTEXT_BYTES = 4_000

_TOP_TWO_BITS, _WITHIN_CHARACTER = 0b11000000, 0b10000000  # of an invalid UTF-8 byte
_MAX_RE2_MEMORY_BYTES = 8 << 20  # larger patterns are refused


@dataclass(frozen=True)
class Lines:
    """A range of lines of a file."""

    first: int
    """The number of the first line returned, counted from 1."""
    lines: tuple[str, ...]
    total: int
    """How many lines the file has."""
    encoding: str
    is_cut: bool = False
    """Whether lines are missing because of the text limit."""


@dataclass(frozen=True)
class Match:
    """A line that matches."""

    path: str
    number: int
    line: str
    before: str = field(default="", compare=False, repr=False)
    """The text before it, ``MAX_CONTEXT_BYTES`` at most."""


@dataclass(frozen=True)
class SearchResult:
    """The result of a search."""

    matches: tuple[Match, ...]
    is_cut: bool
    """Whether there are more."""
    problems: tuple[str, ...]
    """One sentence for each file that could not be searched."""


def read_lines(folder: Folder, path: str, start: int, count: int) -> Lines:
    """Return lines of a file, ``MAX_LINES`` at most, from a start counted from 1; -1 is the last line.

    Raises:
        FolderError: If the file cannot be read, or is binary.
    """
    with folder.open(path) as file:
        text = TextFile.of(path, file)
        if start < 0:
            _, total = _lines_between(text, 0, 0)
            start += total + 1
        first = max(1, start)
        lines, total = _lines_between(text, first, first + max(1, min(count, MAX_LINES)))
    fitting = bisect_right(list(accumulate(map(len, lines))), MAX_CHARACTERS)
    excerpt = lines[: max(1, fitting)]
    is_cut = len(excerpt) < len(lines) or (count > MAX_LINES and first + len(excerpt) <= total)
    return Lines(first, tuple(excerpt), total, text.encoding, is_cut)


@lru_cache(maxsize=MAX_KEPT_SEARCHES)
def search(folder: Folder, text: str, files: tuple[FileEntry, ...], *, regex: bool) -> SearchResult:
    """Return the lines that match a text or an RE2 expression, ignoring case, in file order; once for each look at the folder.

    Raises:
        FolderError: If the pattern is empty, too long or invalid.
    """
    pattern = _compiled(text, regex=regex)
    matches: list[Match] = []
    problems: list[str] = []
    left = MAX_BYTES
    for entry in files:
        if len(matches) > MAX_MATCHES:
            break
        if left <= 0:
            problems.append(f"{entry.path!r} was not searched: {MAX_BYTES} bytes were.")
            continue
        try:
            with closing(_matches_in(folder, entry.path, pattern)) as in_file:
                matches += islice(in_file, MAX_MATCHES + 1 - len(matches))
            # Not before: binary files that sort first must not hide the logs.
            left -= entry.size
        except FolderError as error:
            problems.append(str(error))
    return SearchResult(tuple(matches[:MAX_MATCHES]), len(matches) > MAX_MATCHES, tuple(problems))


def _compiled(pattern: str, *, regex: bool) -> object:
    if not pattern or len(pattern) > MAX_PATTERN_CHARACTERS:
        raise FolderError(f"A search takes 1 to {MAX_PATTERN_CHARACTERS} characters, not {len(pattern)}.")
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.max_mem = _MAX_RE2_MEMORY_BYTES
    options.never_nl = True
    try:
        expression = f"(?m){pattern}" if regex else re2.escape(pattern)
        return re2.compile(expression.encode(errors="replace"), options)
    except re2.error as error:
        reason = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else error
        raise FolderError(f"{pattern!r} is no regular expression of RE2: {reason}.") from error


def _matches_in(folder: Folder, path: str, pattern: object) -> Generator[Match]:
    with folder.open(path) as file:
        first, last_block = 1, b""
        for block in TextFile.of(path, file).blocks():
            for start, number, line in _matches_of_block(block, first, pattern):
                before = (last_block + block[max(0, start - MAX_CONTEXT_BYTES) : start])[-MAX_CONTEXT_BYTES:]
                yield Match(path, number, line, as_text(before))
            first += block.count(b"\n")
            last_block = block[-MAX_CONTEXT_BYTES:]


def _matches_of_block(block: bytes, first: int, pattern: Any) -> Iterator[tuple[int, int, str]]:
    """Yield where a matching line begins in the block, its number, and the line."""
    number, counted, position = first, 0, 0
    while position < len(block) and (match := pattern.search(block, position)):
        start = block.rfind(b"\n", 0, match.start()) + 1
        end = block.find(b"\n", match.start())
        end = len(block) if end < 0 else end
        number, counted = number + block.count(b"\n", counted, start), start
        yield start, number, _shown(block[start:end], match.start() - start)
        position = end + 1


def _lines_between(text: TextFile, first: int, end: int) -> tuple[list[str], int]:
    """Return the lines from ``first`` up to, not including, ``end``, and how many the file has, in one pass."""
    lines: list[str] = []
    number, goes_on = 1, False
    for block in text.blocks():
        count = block.count(b"\n")
        if number + count >= first and number < end:
            # A line longer than a block keeps its beginning. A lone carriage return does not end a line, as in other programs.
            beginnings = enumerate(block.removesuffix(b"\n").split(b"\n"), start=number)
            lines += [_shown(line, 0) for at, line in beginnings if first <= at < end and not (goes_on and at == number)]
        number += count
        goes_on = not block.endswith(b"\n")
    return lines, number - 1 + goes_on


def _shown(line: bytes, around: int) -> str:
    """Return a line, or the part of a long line around a position."""
    start = max(0, around - MAX_LINE_CHARACTERS // 2) if len(line) > MAX_LINE_CHARACTERS else 0
    while 0 < start < len(line) and line[start] & _TOP_TWO_BITS == _WITHIN_CHARACTER:
        start += 1
    return as_text(line[start : start + 4 * MAX_LINE_CHARACTERS]).rstrip("\r")[:MAX_LINE_CHARACTERS]
