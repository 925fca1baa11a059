"""Views of a tool's text, each without some markup.

A quote must be in one of them word for word. A view may lack terminal colours, invisible characters, line numbers, comment marks,
Markdown marks, HTML tags or JSON spaces.
"""

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise
from re import Match, Pattern

from answergraph.evidence.texts.cell_grids import laid_out
from answergraph.evidence.texts.folding import MappedText, folded
from answergraph.evidence.texts.line_breaks import WIDE, borders, hyphens_joined, joined
from answergraph.evidence.texts.value_text import ValueText

# Escapes for concealed and struck-out text (8 and 9) and cursor movement stay, because a reader does not see that text.
_ESCAPES = re.compile(r"\x1b\[(?!(?:\d+;)*[89][;m])[\d;:]*[mK]|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\(B|\x0f")
_INVISIBLE = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0001-\U000e007f]+")
_NUMBERED = re.compile(r"[ \t]*(?:[\w./-]+[:-])?(\d+)(?:\t|→|:| ?[│|](?: |$))")
_MARKED = re.compile(r"[ \t]*(//[/!]?|#+(?= |\t|$)|--(?= |$)|;+(?= |$)|%+(?= |$)|\*(?= |$|/)|>+(?= |$)|\+)[ \t]?", re.MULTILINE)
_COMMENT_OPENS = re.compile(r"\s*/\*")
_DIFF = re.compile(r"^(?:@@ |\+\+\+ )", re.MULTILINE)
_MARKDOWN = re.compile(
    r"(?=[`!\[*_])(?:(?P<code>(?<![`\w])(?P<ticks>`{1,2})(?=[^\s`])(?P<coded>[^`\n]{1,300})(?P=ticks)(?![`\w]))"
    r"|(?<![\w\])])!?\[(?P<link>[^\[\]\n]{1,300})\](?:\([^()\s]{1,500}(?: [\"'][^\"'\n]{0,200}[\"'])?\)|\[[^\[\]\n]{1,100}\])"
    r"|(?<![\w*\\])(?P<stars>\*{1,3})(?=[^\s*])(?P<starred>[^*\n]{1,300}(?:\n[^*\n]{1,300})?)(?<!\s)(?P=stars)(?![\w*])"
    r"|(?<![\w_\\])_(?=[^\s_])(?P<under>[^\W\d_]+|(?=[^\s_]+ )[^_\n]{1,300})(?<!\s)_(?![\w_])"
    r"|(?<![\w_\\])__(?=[^\s_])(?P<underlined>(?=[^\s_]+ )[^_\n]{1,300})(?<!\s)__(?![\w_]))"
)
_HTML = re.compile(r"\s*<(?:!doctype html|\?xml|!--|[a-z][a-z0-9]*[\s>/])", re.IGNORECASE)
_PAGE = re.compile(r"<(?:html|body|div|table|span|p|h[1-6])[\s>]", re.IGNORECASE)
_HTML_PART = re.compile(
    r"<!--(?:.*?-->|.*)|<(script|style|template)\b(?:.*?</\1\s*>|.*)|</?(?P<tag>[a-zA-Z][a-zA-Z0-9]*)\b[^<>]*>|&#?\w{1,10};",
    re.DOTALL,
)
_HIDDEN = (
    r"<!--(?:.*?-->|.*)|<(?P<tag>(?!(?:input|img|br|hr|meta|link|area|col|source)\b)[a-z][a-z0-9]{0,20})\b[^<>]{0,500}?"
    r"\s(?:hidden(?=[\s=>/])|style\s*=\s*(?:\"[^\"<>]{0,300}|'[^'<>]{0,300}|[^\s\"'<>]{0,300})"
    r"(?:display\s*:\s*none|visibility\s*:\s*hidden|(?:font-size|opacity)\s*:\s*0(?:\.0+)?(?![.\d])))[^<>]*>"
)
_UNSHOWN = r"<(script|style)\b[^<>]*>(?:.*?</\1\s*>|.*)|<(?P<inert>template)\b[^<>]*>|"
"""Elements that a page never shows; in other XML they are data."""
_HIDES, _HIDES_IN_PAGE = (re.compile(form + _HIDDEN, re.DOTALL | re.IGNORECASE) for form in ("", _UNSHOWN))
_TABLE, _TABLE_END = re.compile(r"<table[\s>]", re.IGNORECASE), "</table>"
_INLINE_TAGS = "a abbr b bdi bdo cite code dfn em font i kbd mark q samp small span strong tt u var wbr"
_GONE = "\ue000"
"""Replaces comments, scripts and struck-out tags; no quote may cross it."""
_JSON_SPACES = re.compile(r"(?<=') ?:[ \n]?|,[ \n](?=['\[{\w-])|(?<=[\[{])[ \n]|[ \n](?=[\]}])")

_BULLET = re.compile(r"^[ \t]*(?:[-*•‣◦·]|[0-9]{1,3}[.)])[ \t]+(?=[^\W\d]|[`'\"\[(<_])", re.MULTILINE)
_LITERALS = re.compile(r"(?<![\"'\\])([\"'])[ \t]*(?:\+[ \t]*)?\\?\r?\n[ \t]*(?:\+[ \t]*)?[rbfuRBFU]?\1(?![\"'])")
_BETWEEN_SCRIPTS = re.compile(rf"(?<=[{WIDE}]) (?=[A-Za-z0-9])|(?<=[A-Za-z0-9]) (?=[{WIDE}])")
_PAIR_MARK = re.compile(r"'? ?[:=] ?'?|(?<=\w)'(?= ?[,}\]\n]|\Z)|(?:(?<=[{,\[] )|(?<=[{,\[\n])|\A)'(?=\w)")
_LONE_MARK = re.compile(r"(?<!\w)'|'(?!\w)")
_PIPE, _TAB = re.compile(r"(?: ?\| ?)+"), re.compile(r"\t")
_COMMA, _TIGHT_COMMA = re.compile(r"(?<!\d) ?, ?| ?, ?(?!\d)"), re.compile(r" ?, ?")
_BORDER_OF_CELLS = "\ue002"

WHOLE, LINES = "whole", "lines"
"""``whole``: one JSON value, in which line breaks are spaces; ``lines``: JSON lines."""


@dataclass(frozen=True)
class View:
    """A view of a text, with its lines."""

    folded: MappedText
    plain: MappedText
    """The view before folding."""
    loosened: Callable[[str], str] = str
    """Changes the layout of a quote as that of the text was changed."""

    def is_crossed(self, start: int, end: int, form: str) -> bool:
        """Return whether a span crosses a border at which the quote has no line break."""
        low, high = self.folded.span(start, end)
        plain_low, plain_high = self.plain.position(low), self.plain.position(high)
        borders_in = [self.plain.span(*border) for border in borders(self.plain.text, plain_low, plain_high)]
        breaks = [self.folded.span(start + at, start + at + 1) for at, character in enumerate(form) if character == "\n"]
        return any(not any(first < stop and begin < last for begin, stop in breaks) for first, last in borders_in)


def views_of(text: MappedText, *, is_json: str) -> Iterator[View]:
    """Yield a text's distinct views, the most literal first."""
    seen: set[str] = set()
    for folded_text, plain in _views(text, is_json=is_json):
        if folded_text.text not in seen:
            seen.add(folded_text.text)
            yield View(folded_text, plain)
    yield from _loose_views(_shown(text), is_json=is_json)


def _loose_views(text: MappedText, *, is_json: str) -> Iterator[View]:
    """Yield views in which the marks of layout are no words: of lists, cells, pairs and string literals.

    Lines keep their borders, so that no quote goes from one item or row to another unnoticed.
    """
    flat = text.translated({ord("\n"): " "}) if is_json == WHOLE else text
    if is_json:
        yield View(_without_pair_marks(folded(text)), flat, _as_pair)
        return
    if (rows := _border_of_rows(text.text)) is not None:
        marked = folded(text.changed(rows, lambda _: _BORDER_OF_CELLS))
        yield View(marked, text, partial(_with_borders, rows))
        yield View(marked.translated({ord(_BORDER_OF_CELLS): " "}), text)
    elif _LITERALS.search(text.text):
        literals = text.changed(_LITERALS, lambda _: "")
        yield View(folded(literals), literals)
    if len(_BULLET.findall(text.text)) > 1:
        yield View(folded(text.changed(_BULLET, lambda _: "")), text)
    if _BETWEEN_SCRIPTS.search(text.text) or re.search(rf"[A-Za-z0-9][{WIDE}]|[{WIDE}][A-Za-z0-9]", text.text):
        closed = folded(text).changed(_BETWEEN_SCRIPTS, lambda _: "")
        yield View(closed, text, partial(_BETWEEN_SCRIPTS.sub, ""))


def _border_of_rows(text: str) -> Pattern[str] | None:
    for mark, border in (("|", _PIPE), ("\t", _TAB)):
        if mark in text:
            return border
    return _TIGHT_COMMA if ValueText(text).has_comma_cells else None


def _with_borders(rows: Pattern[str], form: str) -> str:
    commas = _TIGHT_COMMA if rows is _TIGHT_COMMA else _COMMA
    borders = _PIPE if "|" in form else commas
    return borders.sub(_BORDER_OF_CELLS, form)


def _without_pair_marks(text: MappedText) -> MappedText:
    return text.changed(_PAIR_MARK, lambda match: ": " if match.group().strip("' ") else "")


def _as_pair(form: str) -> str:
    # Marks in a quote say where a value begins and ends.
    return form if _LONE_MARK.search(form) else _without_pair_marks(MappedText(form)).text


def without_json_spaces(text: MappedText) -> MappedText:
    """Remove the spaces of folded JSON, in a text or a quote of it."""
    return text.changed(_JSON_SPACES, lambda match: match.group().strip(" \n"))


def without_markdown(text: MappedText, *, links: bool) -> MappedText:
    # Link targets in a quote stay: a wrong target makes the quote wrong.
    return text.edited(_marks_of(text.text, links=links))


def as_read(text: MappedText) -> MappedText:
    """Return a text without terminal colours and invisible characters, and a web page, or the tables of a text, without tags."""
    shown = _shown(text)
    table, start, stop = _TABLE.search(shown.text), 0, len(shown.text)
    if not (_PAGE.search(shown.text) and is_html(shown.text)):
        start, stop = table.start() if table else stop, shown.text.lower().rfind(_TABLE_END) + len(_TABLE_END)
    rows = shown.edited(laid_out(shown.text, start, stop))
    parts = _HTML_PART.finditer(rows.text, start, stop + len(rows.text) - len(shown.text))
    return rows.edited((*part.span(), _without_tag(part)) for part in parts)


def visible(text: MappedText) -> MappedText:
    """Return a web page without its comments, scripts and hidden elements, which no reader sees."""
    return text.edited(_hidden_in(text.text)) if "<" in text.text and is_html(text.text) else text


def _hidden_in(text: str) -> Iterator[tuple[int, int, str]]:
    hides, at = _HIDES_IN_PAGE if _PAGE.search(text) else _HIDES, 0
    while opening := hides.search(text, at):
        tag = opening[opening.lastgroup] if opening.lastgroup else None
        at = opening.end() if tag is None else _end_of_element(text, tag, opening.end())
        yield opening.start(), at, _GONE


def _end_of_element(text: str, tag: str, at: int) -> int:
    depth = 1
    for part in re.compile(rf"<(/?){tag}\b[^<>]*>", re.IGNORECASE).finditer(text, at):
        depth += -1 if part[1] else 1
        if depth == 0:
            return part.end()
    return len(text)


def is_html(text: str) -> bool:
    return _HTML.match(text) is not None and text.rstrip().endswith(">") and "</" in text


def _views(text: MappedText, *, is_json: str) -> Iterator[tuple[MappedText, MappedText]]:
    shown = _shown(text)
    yield folded(hyphens_joined(text)), text
    if shown is not text:
        yield folded(hyphens_joined(shown)), shown
    if is_json:
        yield without_json_spaces(folded(shown)), shown.translated({ord("\n"): " "}) if is_json == WHOLE else shown
    if is_html(shown.text):
        untagged = shown.changed(_HTML_PART, _without_tag)
        yield folded(untagged), untagged
    numbered = _without_prefixes(shown, _number_prefixes)
    for plain in _distinct(shown, numbered, _without_prefixes(numbered, _mark_prefixes)):
        closed = joined(plain)
        for form in _distinct(plain, closed, without_markdown(closed, links=True)):
            if form is not shown:
                yield folded(form), plain


def _distinct(*texts: MappedText) -> list[MappedText]:
    return [text for text, before in zip(texts, (None, *texts), strict=False) if text is not before]


def _shown(text: MappedText) -> MappedText:
    escaped = text.changed(_ESCAPES, lambda _: "") if "\x1b" in text.text else text
    return escaped if escaped.text.isascii() else escaped.changed(_INVISIBLE, lambda _: "")


def _marks_of(text: str, *, links: bool) -> Iterator[tuple[int, int, str]]:
    if not any(mark in text for mark in "*_`["):
        return
    for match in _MARKDOWN.finditer(text):
        if match["link"] is not None and not links:
            continue
        name = str(next(name for name in ("coded", "link", "starred", "under", "underlined") if match[name] is not None))
        yield match.start(), match.start(name), ""
        yield match.end(name), match.end(), ""


def _without_tag(match: Match[str]) -> str:
    found, tag = match.group(), match["tag"]
    if tag is None:
        return html.unescape(found) if found.startswith("&") else _GONE
    if tag.lower() in {"del", "s", "strike"}:
        return _GONE
    return "" if tag.lower() in _INLINE_TAGS.split() else "\n\n"


def _without_prefixes(text: MappedText, find: Callable[[list[str], str], list[int]]) -> MappedText:
    lines = text.text.splitlines(keepends=True)
    starts = accumulate(map(len, lines), initial=0)
    return text.edited((start, start + length, "") for start, length in zip(starts, find(lines, text.text), strict=False))


def _number_prefixes(lines: list[str], text: str) -> list[int]:
    """Return the length of each line's number; 0 unless the line before or after has the neighbouring number."""
    found = [_NUMBERED.match(line) for line in lines]
    numbers = [int(match.group(1)[:9]) if match else None for match in found]
    counts = [one is not None and other == one + 1 for one, other in pairwise([*numbers, None])]
    return [m.end() if m and (counts[i] or (i > 0 and counts[i - 1])) else 0 for i, m in enumerate(found)]


def _mark_prefixes(lines: list[str], text: str) -> list[int]:
    """Return the length of each line's comment or citation mark; 0 unless the line before or after has the same one."""
    found = [_MARKED.match(line.rstrip("\n")) for line in lines]
    marks = [match.group(1) if match else None for match in found]
    is_diff = _DIFF.search(text) is not None
    lengths: list[int] = []
    in_comment = False
    for index, (line, mark) in enumerate(zip(lines, marks, strict=True)):
        in_comment = bool(_COMMENT_OPENS.match(line)) or (in_comment and mark == "*")
        beside = (marks[index - 1] if index else None, marks[index + 1] if index + 1 < len(marks) else None)
        counts = mark is not None and (mark in beside or in_comment) and (mark != "*" or in_comment) and (mark != "+" or is_diff)
        match = found[index]
        lengths.append(match.end() if match and counts else 0)
    return lengths
