"""The judged text: how it is shown to a model, and how to detect a reply that only repeats it.

The text may try to inject a judgment. Therefore its tags are shown without their colon, and an answer copied from the text
does not count.
"""

import hashlib
import re
from collections.abc import Iterator

from answergraph.json_text.json_in_text import closings_in
from answergraph.json_text.json_syntax_repair import mend_json
from answergraph.json_text.strict_json import load_json

MAX_TRIES_PER_CHARACTER = 16
"""Attempts to read nested JSON objects; a text that needs more counts as holding any answer."""

MENDING_COST = 8
"""Attempts that one repair of broken JSON counts as."""

_SPACE = re.compile(r"\s+")


class JudgedText:
    """The text to judge."""

    def __init__(self, text: str) -> None:
        self.text = text.strip()

    def without_tags(self, *tag_words: str) -> str:
        """Disable the tags of these words, so that a reply that repeats the text contains none."""
        return re.sub(rf"\[({'|'.join(map(re.escape, tag_words))}):([0-9]+)\]", r"[\1 \2]", self.text, flags=re.IGNORECASE)

    def fenced(self, shown: str) -> str:
        """Put the text between two marks that it cannot contain, stable per text."""
        mark = hashlib.sha256(self.text.encode(errors="replace")).hexdigest()[:12]
        return f"<work {mark}>\n{shown}\n</work {mark}>"

    def holds_answer(self, data: object, reply: str) -> bool:
        if any(planted in (data, ...) for planted, _ in _objects(self.text)):
            return True
        ours = _bare(self.text)
        return any(_bare(source) in ours for source in {source for value, source in _objects(reply) if value == data})


def _objects(text: str) -> Iterator[tuple[object, str]]:
    """Yield every JSON object in a text, nested ones too, with its source; ends with ``...`` if there are too many."""
    left = MAX_TRIES_PER_CHARACTER * len(text)
    for start, end in closings_in(text).items():
        if text[start] == "{":
            source = text[start:end]
            value = load_json(source)
            left -= len(source) * (1 if value is not None else MENDING_COST)
            if left < 0:
                yield ..., ""
                return
            yield (mend_json(source) if value is None else value), source


def _bare(text: str) -> str:
    return _SPACE.sub("", text)
