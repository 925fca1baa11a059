"""Accepted variants of a faithful quote: added marks, omitted parts."""

import re
from collections.abc import Callable, Iterator
from functools import partial

from answergraph.evidence.searched_result import without_escapes
from answergraph.evidence.texts.folding import MappedText, folded
from answergraph.evidence.texts.line_breaks import WIDE
from answergraph.evidence.texts.source_views import without_json_spaces, without_markdown

_ELLIPSIS = r"[\[(]?\.{3,4}[\])]?"
_OUTER_ELLIPSIS = re.compile(rf"^(?:{_ELLIPSIS}\s*)|(?:\s*{_ELLIPSIS})$")
# Dots that cling to what follows are code: ``f(...args)``.
_MIDDLE_ELLIPSIS = re.compile(r"\s*(?:\[\.{3,4}\]|\(\.{3,4}\))\s*|(?<=[^\s(\[{])\s*\.{3,4}\s+|(?<=\w)\.{3,4}(?=\w)")
_SPACED_DOTS = re.compile(r"\.(?: \.){2,3}")
_FENCE = re.compile(r"\A'{3,}[\w+-]*\n(.*)\n'{3,}\Z", re.DOTALL)
_CITED = re.compile(r"^(?:> ?)+", re.MULTILINE)
_FINAL_STOP = re.compile(r"(?<=[^\s,，、])[.,。，、]\Z")
_FIRST_WORD = re.compile(r"([^\W\d_])([^\W\d_]*)(?=[ \n,;:.]|$)")
_NEEDLESS_BREAK = re.compile(rf"(?<=[^\W\d_]-)\n(?=[^\W\d_])|(?<=[{WIDE}])\n(?=[{WIDE}])")
_MARK = re.compile("[\"'\u2018-\u201f]")
_JSON = re.compile(r"' ?:|[\[{]")
_SINGLE = frozenset("'\u2018\u2019\u201a\u201b")
_MAX_FORMS = 64


def forms_of(text: str) -> list[str]:
    """Return the folded variants of a quote, the most literal first."""
    plain = MappedText(text)
    forms = [folded(form).text.strip(" \n") for form in (plain, without_escapes(plain), without_markdown(plain, links=False))]
    for change in _CHANGES:
        forms = list(dict.fromkeys([*forms, *map(change, forms)]))[:_MAX_FORMS]
    return [form for form in forms if form]


def parts_of(text: str) -> Iterator[list[str]]:
    """Yield the parts of a quote with ellipses, for each of its variants."""
    for form in forms_of(text):
        parts = _MIDDLE_ELLIPSIS.split(form)
        if len(parts) > 1 and all(parts):
            yield parts


def _undressed(form: str) -> str:
    """Remove the fence around code, the marks of a citation, and spaces in an ellipsis."""
    lines = form.split("\n")
    cited = _CITED.sub("", form) if all(line.startswith(">") for line in lines) else form
    return _SPACED_DOTS.sub("...", _FENCE.sub(r"\1", cited))


def _with_other_first_letter(form: str) -> str:
    """Swap the case of the first letter if it begins an ordinary word."""
    match = _FIRST_WORD.match(form)
    if match is None or match.group(2) != match.group(2).lower() or len(form) == match.end():
        return form
    other = form[0].swapcase()
    return other + form[1:] if len(other) == 1 else form


def _closed_up(form: str) -> str:
    return without_json_spaces(MappedText(form)).text if _JSON.search(form) else form


_CHANGES: tuple[Callable[[str], str], ...] = (
    _undressed,
    partial(_NEEDLESS_BREAK.sub, ""),
    _closed_up,
    partial(_OUTER_ELLIPSIS.sub, ""),
    partial(re.compile(r"\A'[ \n]*(.+?)[ \n]*'\Z", re.DOTALL).sub, r"\1"),
    partial(_FINAL_STOP.sub, ""),
    _with_other_first_letter,
)


def marks_agree(quote: str, source: str) -> bool:
    """Return whether single and double marks agree where they matter: in shell words and after digits.

    ``'$x'`` is not ``"$x"``, and 6' is not 6". A mark that closes a quotation does not mean feet or inches.
    """
    if "$" in quote and _kinds(quote) != _kinds(source):
        # Marks around the whole quote belong to it.
        return _kinds(quote.strip()[1:-1]) == _kinds(source)
    return _measures(source) in (_measures(quote), _measures(quote.strip()[1:-1]))


def _kinds(text: str) -> list[bool]:
    return [mark in _SINGLE for mark in _MARK.findall(text)]


def _measures(text: str) -> list[bool]:
    """Return, for each unmatched mark after a digit, whether it is a single one."""
    measures: list[bool] = []
    is_open = False
    for match in _MARK.finditer(text):
        before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
        if match.group() in _SINGLE and before.isalpha() and after.isalpha():
            continue
        if before.isdigit() and not is_open:
            measures.append(match.group() in _SINGLE)
        else:
            is_open = not is_open
    return measures
