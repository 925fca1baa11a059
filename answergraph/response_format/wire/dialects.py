"""The parts of JSON Schema that providers take, by name; what each takes is in ``rules``."""

from __future__ import annotations

from enum import StrEnum

LONGEST_PATH = 300
"""Characters of a path in an error; the rest is left out."""

LONGEST_STEP = 100
"""Characters of one name in such a path."""


class Dialect(StrEnum):
    """The part of JSON Schema that a provider takes."""

    OPENAI_STRICT = "openai_strict"
    """OpenAI's structured outputs with ``strict``: every property required, every object closed."""

    ANTHROPIC = "anthropic"
    """Anthropic's structured outputs: every object closed, no recursion, few limits."""

    GEMINI = "gemini"
    """Gemini's ``responseJsonSchema``."""

    PLAIN = "plain"
    """The schema as it was written."""


class SchemaNotExpressible(ValueError):  # noqa: N818 - it is an answer of the compiler, named as what it says
    """A schema cannot be said in a dialect."""

    def __init__(self, path: str, reason: str) -> None:
        path = path if len(path) <= LONGEST_PATH else f"{path[:LONGEST_PATH]}…"
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


class Contradiction(SchemaNotExpressible):
    """No value can satisfy what was put together."""


def inside(path: str, *steps: str | int) -> str:
    """Return the JSON pointer of what lies in a schema; a very long name is cut."""
    return "/".join([path, *(str(step)[:LONGEST_STEP].replace("~", "~0").replace("/", "~1") for step in steps)])
