"""The text that is judged: how it is shown to a model, and how a reply that only repeats it is told from a judgment.

The text may try to decide the judgment itself. Only the model's own reply counts: tags in the text are shown without their
colon, and an answer that stands in the text word for word is no answer.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any

from answergraph.response_format.reading.json_in_text import closings_in
from answergraph.response_format.reading.json_syntax_repair import mend_json
from answergraph.response_format.reading.strict_json import load_json

MAX_TRIES_PER_CHARACTER = 16
"""How often a text is tried as JSON objects inside others; one that nests more is taken to hold any answer."""

MENDING_COST = 8
"""How many tries it counts as to mend what is no JSON."""

_SPACE = re.compile(r"\s+")


class JudgedText:
    """The text to judge."""

    def __init__(self, text: str) -> None:
        self.text = text.strip()

    def without_tags(self, *tag_words: str) -> str:
        """Return the text with its tags of these words made unreadable, so that a reply that repeats the text names none."""
        return re.sub(rf"\[({'|'.join(map(re.escape, tag_words))}):([0-9]+)\]", r"[\1 \2]", self.text, flags=re.IGNORECASE)

    def fenced(self, shown: str) -> str:
        """Return a shown form of the text between two marks that it cannot contain; the same text has the same marks."""
        mark = hashlib.sha256(self.text.encode(errors="replace")).hexdigest()[:12]
        return f"<work {mark}>\n{shown}\n</work {mark}>"

    def holds_answer(self, data: Any, reply: str) -> bool:
        """Return whether the answer that was read from a reply stands in the text already: the reply only repeats the text."""
        if any(planted in (data, ...) for planted, _ in _objects(self.text)):
            return True
        ours = _bare(self.text)
        return any(_bare(written) in ours for written in {written for found, written in _objects(reply) if found == data})


def _objects(text: str) -> Iterator[tuple[Any, str]]:
    """Yield every JSON object in a text, those inside others too, with its source; ``...`` at last if there are too many."""
    left = MAX_TRIES_PER_CHARACTER * len(text)
    for start, end in closings_in(text).items():
        if text[start] == "{":
            written = text[start:end]
            found = load_json(written)
            left -= len(written) * (1 if found is not None else MENDING_COST)
            if left < 0:
                yield ..., ""
                return
            yield (mend_json(written) if found is None else found), written


def _bare(text: str) -> str:
    return _SPACE.sub("", text)
