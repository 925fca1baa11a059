"""Whether a value is the value of a label: in the same row, sentence or pair, or below it in its column."""

import re
from collections.abc import Iterable

from answergraph.evidence.texts.value_text import ValueText, words_of

_REACH = 300
"""Characters between a label and its value."""
_IN_BRACKETS = re.compile(r"\([^()]{0,80}\)|\[[^\[\]]{0,80}\]")
_PAIR = re.compile(r"[:=](?!//)")
_SENTENCE_END = re.compile(r"[.!?。！？](?=\s)\s?|[;。]")
_NUMBER_THEN_WORD = re.compile(r"\d[\s\S]*?[^\W\d_]{2}")
_OWN_BEFORE, _OWN_BEHIND = re.compile(r"\d ?\Z"), re.compile(r" ?[:=]? ?\(?[-+]?[^\w\s,;:.]?\d")
"""The label's own value, on its other side."""


def is_labelled(searched: ValueText, start: int, end: int, labels: Iterable[str]) -> bool:
    """Return whether a place of a value belongs to one of the labels."""
    return any(_belongs(searched, start, end, label) for label in labels if words_of(label))


def _belongs(searched: ValueText, start: int, end: int, name: str) -> bool:
    label, stop = words_of(name), "." if name.rstrip().endswith(".") else ""
    low, high = searched.line_at(start)
    cells = searched.cells(low, high)
    row_head = cells[:1] if len(cells) > 1 and start >= cells[0][1] else []
    heads = (f" {' '.join(words_of(searched.text[slice(*cell)]))} " for cell in (*searched.heads(start), *row_head))
    if any(f" {' '.join(label)} " in head for head in heads):
        return True
    before = _before(searched, max(low, start - _REACH), start, label, stop, is_row=len(cells) > 1)
    has_word = re.search(r"[^\W\d_]\W*\Z", searched.text[low:start]) is not None
    if before or _behind(searched.text[end : min(high, end + _REACH)], label, has_word=has_word):
        return True
    # The line above may be only the label, where the value begins its own line.
    above = searched.line_before(low)
    is_first = not any(map(str.isalnum, searched.text[low:start]))
    return above is not None and is_first and words_of(searched.text[slice(*above)]) == label


def _before(searched: ValueText, low: int, start: int, label: list[str], stop: str, *, is_row: bool) -> bool:
    """Return whether a label stands before the value with no other value between them; ``stop`` is the end of an abbreviation."""
    part = ValueText(searched.text[low:start])
    places = list(part.runs(label))
    if not places:
        # A sentence may go on over a soft line break.
        above = None if is_row else searched.line_before(low)
        if above is None or start - above[0] > _REACH:
            return False
        part = ValueText(searched.text[above[0] : start])
        places = list(part.runs(label))
        if not places or "\n" in part.text[places[-1][1] :].strip(" ")[:1]:
            return False
    if _OWN_BEFORE.search(part.text[: places[-1][0]]) and part.text[places[-1][1] :].startswith(","):
        return False  # "3 failed, 12": the label has its value
    between = _IN_BRACKETS.sub(" ", part.text[places[-1][1] :].removeprefix(stop))
    is_other = _NUMBER_THEN_WORD.search(between) or len(_PAIR.findall(between)) > 1 or _SENTENCE_END.search(between)
    return not is_other


def _behind(after: str, label: list[str], *, has_word: bool) -> bool:
    """Return whether a label follows the value at once: ``3 failed``; not in ``net 90 total 100``, where the value has a word."""
    if has_word and (own := next(ValueText(after).runs(label), None)) and _OWN_BEHIND.match(after, own[1]):
        return False
    first = re.split(r"[,;:|\t\d]|\s{2,}|\.\s", after, maxsplit=1)[0]
    words = words_of(first)
    return words[: len(label)] == label or words[1 : len(label) + 1] == label
