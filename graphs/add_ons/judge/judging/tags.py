"""Tags such as ``[STEP:1]``: writing them, and finding the model's own in a reply."""

import re

MAX_QUOTED_CHARACTERS = 200
"""Characters of a text that is quoted in a reason."""
_ANY_TAG = re.compile(r"\[\w+:[0-9]+\]")


def tag(word: str, number: int) -> str:
    """Return a tag, such as ``[STEP:2]``."""
    return f"[{word}:{number}]"


def without_echo(reply: str, prompt: str) -> str:
    """Remove repeated prompt lines with tags, such as the table of conditions, from a reply."""
    own = " ".join(reply.split())
    for line in prompt.splitlines():
        if _ANY_TAG.search(line):
            own = own.replace(" ".join(line.split()), "")
    return own


def tags_in(text: str, word: str) -> list[int]:
    return [int(number) for number in _tags(word).findall(text)]


def _tags(word: str) -> re.Pattern[str]:
    # Nine digits suffice; Python refuses to convert thousands.
    return re.compile(rf"\[{re.escape(word)}:([0-9]{{1,9}})\]", re.IGNORECASE)


def without_tags(text: str, word: str) -> str:
    """Return a text on one line without its tags."""
    return " ".join(_tags(word).sub(" ", text).split())


def shortened(text: str) -> str:
    """Return a text on one line, cut for a reason."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_QUOTED_CHARACTERS else f"{line[:MAX_QUOTED_CHARACTERS]} …"
