"""The text that is judged: how it is shown to a model, and how a reply that only repeats it is told from a judgment.

The text may try to decide the judgment itself. Only the model's own reply counts: tags in the text are shown without their
colon, and an answer that stands in the text word for word is no answer.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any

from answergraph.response_format.reading.json_in_text import find_json
from answergraph.response_format.reading.json_syntax_repair import mend_json

MAX_OBJECTS = 2_000
"""How many places of a text are tried as the beginning of a JSON object."""

_FLAT_OBJECT = re.compile(r"\{[^{}]*\}")
_SPACE = re.compile(r"\s+")
_JSON = json.JSONDecoder()


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
        if any(planted == data for planted in self._objects()):
            return True
        ours = _bare(self.text)
        return any(found == data and _bare(written) in ours for found, written in _objects(reply))

    def _objects(self) -> Iterator[Any]:
        yield from (found for found, _ in _objects(self.text))
        yield from (found.data for found in find_json(self.text))
        for match in list(_FLAT_OBJECT.finditer(self.text))[:MAX_OBJECTS]:
            yield mend_json(match.group())


def _objects(text: str) -> Iterator[tuple[Any, str]]:
    """Yield every JSON object in a text, those inside others too, with its source."""
    starts = (match.start() for match in re.finditer(r"\{", text))
    for start, _ in zip(starts, range(MAX_OBJECTS), strict=False):
        try:
            found, end = _JSON.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        yield found, text[start:end]


def _bare(text: str) -> str:
    return _SPACE.sub("", text)
