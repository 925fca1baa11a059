"""A tool result prepared for search: views for quotes and numbers, mapped back to the stored texts."""

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from answergraph.evidence.numbers.numerals import GROUP_SPACE, Numerals
from answergraph.evidence.texts.folding import MappedText, folded
from answergraph.evidence.texts.language_words import marks_of
from answergraph.evidence.texts.quote_borders import GROUPING_SPACES
from answergraph.evidence.texts.source_views import LINES, WHOLE, View, as_read, views_of, visible
from answergraph.evidence.texts.written_words import WrittenWords
from answergraph.evidence.values.finder import ValueFinder
from answergraph.state.tool_results import ToolRun

_ESCAPE = re.compile(r"(?:\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\(?:u[0-9a-fA-F]{4}|[\"\\/bfnrt])")
_COMMA_IN_DIGITS = re.compile(r"[0-9],-?[0-9]")
_STRING_OR_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|(?<=[0-9]),(?=-?[0-9])')
_SHORT = {"\\n": "\n", '\\"': '"', "\\\\": "\\", "\\t": "\t", "\\r": "\r"}
_CELL_BORDER = "\ue002"
_DECOMPOSED = re.compile("\\w[\u0300-\u036f\u3099\u309a]+|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?")
_GROUPING = re.compile(rf"(?<=[0-9])[{GROUPING_SPACES}](?=[0-9]{{3}}(?![0-9]))")
_GROUPED_BY_SPACES = re.compile(r"(?<![\w.,:/+-])[1-9][0-9]{0,2}(?: [0-9]{3})+(?![0-9])")


class ReadText(NamedTuple):
    """A text without what its reader does not see, and the finder of its values."""

    mapped: MappedText
    finder: ValueFinder


class SearchedResult:
    """One result with its views, cached per check: folding costs more than searching."""

    def __init__(self, run: ToolRun, written: WrittenWords | None = None, upto: int = 0) -> None:
        self.run = run
        self.written = written or WrittenWords([run])
        self.upto = upto
        self._views: dict[int, tuple[list[View], Iterator[View]]] = {}
        self._counted: dict[tuple[int, str | None], tuple[MappedText, Numerals]] = {}
        self._read: dict[int, ReadText] = {}

    @property
    def is_shown(self) -> bool:
        return self.run.shown is not None and self.run.texts == (self.run.shown,)  # what the model saw instead of the result

    def as_shown(self) -> "SearchedResult":
        """Return the result as shown to the model; itself if unchanged."""
        if self.run.shown is None or self.is_shown:
            return self
        return SearchedResult(replace(self.run, texts=(self.run.shown,)), self.written, self.upto)

    def views(self, part: int) -> Iterator[View]:
        """Yield the views of one text for quotes, the most literal first; built lazily."""
        known, unread = self._views.setdefault(part, ([], self._views_of(part)))
        yield from known
        for view in unread:
            known.append(view)
            yield view

    def _views_of(self, part: int) -> Iterator[View]:
        # A generator: most results are never searched, because a newer one supports the claim.
        text, is_json = self._unescaped[part]
        yield from views_of(text, is_json=is_json)

    def counted(self, part: int, locale: str | None) -> tuple[MappedText, Numerals]:
        """Return one text prepared for reading numbers, and its numbers."""
        key = (part, locale)
        if key not in self._counted:
            view = self._prepared(part, locale)
            self._counted[key] = view, Numerals(view.text, locale)
        return self._counted[key]

    def _prepared(self, part: int, locale: str | None) -> MappedText:
        text, unescaped = self.run.texts[part], self._unescaped[part][0]
        plain = self._separated[part].changed(_GROUPING, lambda _: "_")
        if locale is None or str(marks_of(locale)).startswith(" "):
            plain = plain.changed(_GROUPED_BY_SPACES, lambda match: match.group().replace(" ", GROUP_SPACE))
        is_known = plain is unescaped and not {"-", "\t"}.intersection(text)
        # A tab is a border of cells: "5\tb" is not 5 billion.
        view = next(self.views(part)).folded if is_known else folded(plain.translated({ord("\t"): _CELL_BORDER}))
        return _with_plain_digits(view).translated({ord(_CELL_BORDER): "\t"})

    def read(self, part: int) -> ReadText:
        """Return one text as a reader sees it, for finding values."""
        if part not in self._read:
            text = self._separated[part]
            shown = text if self._unescaped[part][1] else as_read(text)
            mapped = shown.changed(_DECOMPOSED, lambda match: unicodedata.normalize("NFC", match.group()))
            self._read[part] = ReadText(mapped, ValueFinder(mapped.text))
        return self._read[part]

    @cached_property
    def _unescaped(self) -> list[tuple[MappedText, str]]:
        texts = [(visible(MappedText(text)), json_form(text)) for text in self.run.texts]
        return [(without_escapes(text) if is_json else text, is_json) for text, is_json in texts]

    @cached_property
    def _separated(self) -> list[MappedText]:
        """The texts without escapes, and with the items of JSON apart."""
        every = zip(self.run.texts, self._unescaped, strict=True)
        return [separated(text) if is_json and _COMMA_IN_DIGITS.search(text) else plain for text, (plain, is_json) in every]

    @cached_property
    def offsets(self) -> list[int]:
        return [0, *accumulate(map(len, self.run.texts))]


def _with_plain_digits(text: MappedText) -> MappedText:
    if text.text.isascii():
        return text
    digits = {ord(c): str(unicodedata.decimal(c)) for c in set(text.text) if c.isdecimal() and not c.isascii()}
    return text.translated({**digits, ord("٫"): ".", ord("٬"): ","}) if digits else text


def separated(text: str) -> MappedText:
    """Return a JSON text with decoded escapes and separated items, because the comma in ``[1,234]`` groups no digits."""
    return without_escapes(
        MappedText(text).changed(_STRING_OR_COMMA, lambda match: ", " if match.group() == "," else match.group())
    )


def without_escapes(text: MappedText) -> MappedText:  # those of JSON
    if "\\" not in text.text:
        return text
    return text.changed(_ESCAPE, lambda match: _SHORT.get(match.group()) or str(json.loads(f'"{match.group()}"')))


def json_form(text: str) -> str:
    """Return ``WHOLE`` for a JSON text and ``LINES`` for JSON lines, otherwise an empty string."""
    if _parses(text):
        return WHOLE
    return LINES if all(_parses(line) for line in text.splitlines() if line.strip()) else ""


def _parses(text: str) -> bool:
    if text.lstrip()[:1] not in {"{", "[", '"'}:
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
