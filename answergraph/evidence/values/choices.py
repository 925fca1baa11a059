"""Whether a word of a closed set is said where it stands: not denied, no part of another word, its box not left empty."""

import re

from answergraph.evidence.texts.quote_borders import follows_negation, holds_negation
from answergraph.evidence.texts.value_text import BORDERLESS, ValueText

_JOINED_BEFORE, _JOINED_AFTER = re.compile(r"\w[-_]\n?\Z"), re.compile(r"[-_]\n?\w")
_BOX = re.compile(r"(?P<empty>[☐□◻⬜○◯❏❑]|\[ ?\]|\( \))|[☑☒✓✔✗✘■●⬛]|[\[(][xX][\])]")
_CLAUSE_END = re.compile(r"[.,;:!?\n\t|。，、；：]|\s{2,}")
_BORDERLESS = re.compile(f"[{BORDERLESS}]")
_LOOK = 60


def is_chosen(searched: ValueText, start: int, end: int) -> bool:
    """Return whether a place says its word: ``not fully paid``, ``pre-paid``, ``未支付`` and ``☐ paid`` do not say ``paid``."""
    text = searched.text
    before = text[max(start - _LOOK, 0) : start]
    is_part = _JOINED_BEFORE.search(before) is not None or _JOINED_AFTER.match(text, end) is not None
    words = _CLAUSE_END.split(before)[-1].split()[-2:]
    is_denied = follows_negation(text, start) or holds_negation(" ".join(words))
    has_prefix = _BORDERLESS.match(text, start) is not None and holds_negation(before[-1:])
    return not (is_part or is_denied or has_prefix or _is_left_empty(searched, start, end))


def _is_left_empty(searched: ValueText, start: int, end: int) -> bool:
    """Return whether the box of a word is empty; on one line, all boxes stand before their words or all behind."""
    text, (low, high) = searched.text, searched.line_at(start)
    boxes = [box for box in _BOX.finditer(text, low, high) if not start <= box.start() < end]
    if not boxes:
        return False
    is_before = not any(map(str.isalnum, text[low : boxes[0].start()]))
    own = [box for box in boxes if box.end() <= start][-1:] if is_before else [box for box in boxes if box.start() >= end][:1]
    if not own or own[0]["empty"] is None:
        return False
    between = text[own[0].end() : start] or text[end : own[0].start()]
    return not _CLAUSE_END.search(between.strip(": "))
