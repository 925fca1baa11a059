"""The dialects of JSON Schema, with the documented rules of each provider.

Native modes accept only a part of JSON Schema. Sources:

- OpenAI: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
- Anthropic: https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
- Gemini: https://ai.google.dev/gemini-api/docs/structured-output#json_schema_support, and ``responseJsonSchema`` in
  https://ai.google.dev/api/generate-content#v1beta.GenerationConfig
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

MAX_PATH_CHARACTERS = 300
"""Maximum length of a path in an error; the rest is left out."""
MAX_STEP_CHARACTERS = 100
"""Maximum length of a name in a path."""


class Dialect(StrEnum):
    """The part of JSON Schema that a provider accepts."""

    OPENAI_STRICT = "openai_strict"
    """OpenAI's structured outputs with ``strict``: every property required, every object closed."""

    ANTHROPIC = "anthropic"
    """Anthropic's structured outputs: every object closed, no recursion, few limits."""

    GEMINI = "gemini"
    """Gemini's ``responseJsonSchema``."""

    PLAIN = "plain"
    """The schema as it was written."""


class SchemaNotExpressible(ValueError):  # noqa: N818 - a result of the compiler, named after its meaning
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


Counted = Literal["properties", "object_depth", "characters", "enum_values", "optional", "unions"]
"""The parts that dialects limit. ``object_depth``: nested objects, counted anew behind a ``$ref``. ``characters``: the total of
the names of properties and definitions and of the strings in ``enum``. ``unions``: ``anyOf`` and lists of types."""


@dataclass(frozen=True, kw_only=True)
class DialectRules:
    """The rules of one dialect."""

    limits: frozenset[str]
    """The supported limits; others are put into the description in words."""
    formats: frozenset[str] | None
    """The values of ``format`` that are kept; None for all."""
    max_min_items: int | None = None  # the highest ``minItems`` that is kept
    requires_all: bool = False
    """Every property is required; the model writes null for an optional one."""
    closes_objects: bool = True
    """Every object has ``additionalProperties: false``, so open maps are not expressible."""
    takes_anything: bool = False
    """The empty schema ``{}`` is supported."""
    takes_prefix_items: bool = False
    takes_other_enums: bool = True
    """Values of ``enum`` may be booleans and null, besides strings and numbers."""
    object_root: bool = False
    """The root must be an object, not a union."""
    recursion: str = "always"
    """Whether a ``$ref`` may be recursive: ``"always"``, ``"never"``, or ``"optional"``, inside optional properties only."""
    describes_refs: bool = True
    """A description beside ``$ref`` is kept, by wrapping the reference in ``anyOf``."""
    maxima: Mapping[Counted, int] = field(default_factory=dict)
    """Limits of the whole schema; a part is not limited if it is missing here."""


_LIMITS = {
    "string": {
        "minLength": "at least {} characters",
        "maxLength": "at most {} characters",
        "pattern": "matches {}",
        "format": "format {}",
    },
    "number": {
        "minimum": "minimum {}",
        "maximum": "maximum {}",
        "exclusiveMinimum": "more than {}",
        "exclusiveMaximum": "less than {}",
        "multipleOf": "multiple of {}",
    },
    "array": {"minItems": "at least {} items", "maxItems": "at most {} items", "uniqueItems": "unique items: {}"},
    "object": {"minProperties": "at least {} properties", "maxProperties": "at most {} properties"},
}

TYPES_OF_LIMITS = {keyword: name for name, words in _LIMITS.items() for keyword in words}
"""The type of each limit; a limit narrows a value without a subschema."""

LIMITS_IN_WORDS = {
    **{keyword: text for words in _LIMITS.values() for keyword, text in words.items()},
    "default": "default {}",
    "enum": "one of {}",
}
"""The words that stand for keywords which a dialect does not support."""

_FORMATS = frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"})

RULES = {
    Dialect.OPENAI_STRICT: DialectRules(
        limits=frozenset(TYPES_OF_LIMITS) - {"minLength", "maxLength", "uniqueItems", "minProperties", "maxProperties"},
        formats=_FORMATS,
        requires_all=True,
        object_root=True,
        maxima={"properties": 5_000, "object_depth": 10, "characters": 120_000, "enum_values": 1_000},
    ),
    Dialect.ANTHROPIC: DialectRules(
        limits=frozenset({"pattern", "format", "minItems"}),
        formats=_FORMATS | {"uri"},
        max_min_items=1,
        recursion="never",
        describes_refs=False,
        maxima={"optional": 24, "unions": 16},
    ),
    Dialect.GEMINI: DialectRules(
        limits=frozenset({"format", "minItems", "maxItems", "minimum", "maximum"}),
        formats=None,
        closes_objects=False,
        takes_anything=True,
        takes_prefix_items=True,
        takes_other_enums=False,
        recursion="optional",
    ),
}

LONG_ENUM_VALUES = 250
MAX_LONG_ENUM_CHARACTERS = 15_000
"""OpenAI: an ``enum`` with more than ``LONG_ENUM_VALUES`` strings has at most this many characters in all."""
