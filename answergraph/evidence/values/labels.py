"""Whether a value is the value of a label: in the same row, sentence or pair, or below it in its column."""

import re
from collections.abc import Iterable

from answergraph.evidence.texts.value_text import ValueText, words_of

_REACH = 300
"""Characters between a label and its value."""
_IN_BRACKETS = re.compile(r"\([^()]{0,80}\)|\[[^\[\]]{0,80}\]")
_PAIR = re.compile(r"[:=](?!//)")
_SENTENCE_END = re.compile(r"[.!?。！？](?=\s)\s?|[;。]")
_NUMBER_THEN_WORD = re.compile(r"\d[^\n]*?[^\W\d_]{2}")


def is_labelled(searched: ValueText, start: int, end: int, labels: Iterable[str]) -> bool:
    """Return whether a place of a value belongs to one of the labels."""
    return any(_belongs(searched, start, end, label) for label in labels if words_of(label))


def _belongs(searched: ValueText, start: int, end: int, name: str) -> bool:
    label, stop = words_of(name), "." if name.rstrip().endswith(".") else ""
    low, high = searched.line_at(start)
    cells = searched.cells(low, high)
    row_head = cells[:1] if len(cells) > 1 and start >= cells[0][1] else []
    if any(_has(searched.text[slice(*cell)], label) for cell in (*searched.heads(start), *row_head)):
        return True
    before = _before(searched, max(low, start - _REACH), start, label, stop)
    if before or _behind(searched.text[end : min(high, end + _REACH)], label):
        return True
    above = searched.line_before(low)
    return above is not None and _heads(searched, above, (low, start), label)


def _has(text: str, label: list[str]) -> bool:
    return f" {' '.join(label)} " in f" {' '.join(words_of(text))} "


def _before(searched: ValueText, low: int, start: int, label: list[str], stop: str) -> bool:
    """Return whether a label stands before the value with no other value between them; ``stop`` is the end of an abbreviation."""
    part = ValueText(searched.text[low:start])
    places = list(part.runs(label))
    if not places:
        # A sentence may go on over a soft line break.
        above = searched.line_before(low)
        if above is None or start - above[0] > _REACH:
            return False
        part = ValueText(searched.text[above[0] : start])
        places = list(part.runs(label))
        if not places or "\n" in part.text[places[-1][1] :].strip(" ")[:1]:
            return False
    between = _IN_BRACKETS.sub(" ", part.text[places[-1][1] :].removeprefix(stop))
    is_other = _NUMBER_THEN_WORD.search(between) or len(_PAIR.findall(between)) > 1 or _SENTENCE_END.search(between)
    return not is_other


def _behind(after: str, label: list[str]) -> bool:
    """Return whether a label follows the value at once: ``3 failed``."""
    first = re.split(r"[,;:|\t\d]|\s{2,}|\.\s", after, maxsplit=1)[0]
    words = words_of(first)
    return words[: len(label)] == label or words[1 : len(label) + 1] == label


def _heads(searched: ValueText, above: tuple[int, int], line: tuple[int, int], label: list[str]) -> bool:
    """Return whether the line above is only the label, and the value begins its own line."""
    words = words_of(searched.text[slice(*above)])
    return words == label and not any(map(str.isalnum, searched.text[slice(*line)]))
