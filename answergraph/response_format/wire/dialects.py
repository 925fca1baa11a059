"""The dialects of JSON Schema; ``dialect_rules`` has their rules."""

from __future__ import annotations

from enum import StrEnum

MAX_PATH_CHARACTERS = 300
"""Length of a path in an error; the rest is left out."""
MAX_STEP_CHARACTERS = 100
"""Maximum length of a name in a path."""


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
    """A schema is not expressible in a dialect; ``path`` is a JSON pointer that begins with ``#``."""

    def __init__(self, path: str, reason: str) -> None:
        path = path if len(path) <= MAX_PATH_CHARACTERS else f"{path[:MAX_PATH_CHARACTERS]}…"
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


class Contradiction(SchemaNotExpressible):
    """No value fits two schemas that were merged."""


def inside(path: str, *steps: str | int) -> str:
    """Return the JSON pointer of a part of a schema; very long names are cut."""
    return "/".join([path, *(str(step)[:MAX_STEP_CHARACTERS].replace("~", "~0").replace("/", "~1") for step in steps)])
