"""What each provider documents about the JSON Schemas it takes: one table of rules per dialect.

A provider that holds a model to a schema takes only a part of JSON Schema. The numbers and keywords are the providers' own:

- OpenAI: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
- Anthropic: https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
- Gemini: https://ai.google.dev/gemini-api/docs/structured-output#json_schema_support, and ``responseJsonSchema`` in
  https://ai.google.dev/api/generate-content#v1beta.GenerationConfig
"""

from __future__ import annotations

from dataclasses import dataclass

from answergraph.response_format.wire.dialects import Dialect


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What a dialect takes; a limit of None is not documented, or there is none."""

    limits: frozenset[str]
    """The keywords of :data:`LIMITS` that are kept; the others are told in the description."""
    formats: frozenset[str] | None
    """The values of ``format`` that are kept; None for all."""
    most_min_items: int | None = None
    """The highest ``minItems`` that is kept."""
    requires_all: bool = False
    """Every property is required, so that an optional one is sent as null."""
    closes_objects: bool = True
    """``additionalProperties: false`` on every object, so that open maps are not expressible."""
    takes_anything: bool = False
    """A schema that says nothing, ``{}``, is taken."""
    takes_prefix_items: bool = False
    """``prefixItems`` is taken."""
    takes_other_enums: bool = True
    """Values of ``enum`` may be booleans and null, besides strings and numbers."""
    object_root: bool = False
    """The root is an object and no union."""
    recursion: str = "always"
    """``$ref`` may lead back: always, never, or from inside an optional property only."""
    describes_refs: bool = True
    """A description beside ``$ref`` is kept, by wrapping the reference in ``anyOf``."""
    most_properties: int | None = None
    most_levels: int | None = None
    """Objects inside each other; what a ``$ref`` leads to counts anew."""
    most_characters: int | None = None
    """Of all names of properties and definitions and all strings in ``enum``, together."""
    most_enum_values: int | None = None
    most_optional: int | None = None
    most_unions: int | None = None
    """Of ``anyOf`` and lists of types."""


TYPES_OF_LIMITS = {
    "minLength": "string",
    "maxLength": "string",
    "pattern": "string",
    "format": "string",
    "minimum": "number",
    "maximum": "number",
    "exclusiveMinimum": "number",
    "exclusiveMaximum": "number",
    "multipleOf": "number",
    "minItems": "array",
    "maxItems": "array",
    "uniqueItems": "array",
    "minProperties": "object",
    "maxProperties": "object",
}
"""The keywords that narrow a value without a schema of their own, and the type they speak of."""

LIMITS_IN_WORDS = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "pattern": "matches {}",
    "format": "format {}",
    "minimum": "minimum {}",
    "maximum": "maximum {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "multiple of {}",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "uniqueItems": "unique items: {}",
    "minProperties": "at least {} properties",
    "maxProperties": "at most {} properties",
    "default": "default {}",
    "enum": "one of {}",
}
"""What the description says of a keyword that a dialect does not take."""

_FORMATS = frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"})

RULES = {
    Dialect.OPENAI_STRICT: Rules(
        limits=frozenset(TYPES_OF_LIMITS) - {"minLength", "maxLength", "uniqueItems", "minProperties", "maxProperties"},
        formats=_FORMATS,
        requires_all=True,
        object_root=True,
        most_properties=5_000,
        most_levels=10,
        most_characters=120_000,
        most_enum_values=1_000,
    ),
    Dialect.ANTHROPIC: Rules(
        limits=frozenset({"pattern", "format", "minItems"}),
        formats=_FORMATS | {"uri"},
        most_min_items=1,
        recursion="never",
        describes_refs=False,
        most_optional=24,
        most_unions=16,
    ),
    Dialect.GEMINI: Rules(
        limits=frozenset({"format", "minItems", "maxItems", "minimum", "maximum"}),
        formats=None,
        closes_objects=False,
        takes_anything=True,
        takes_prefix_items=True,
        takes_other_enums=False,
        recursion="optional",
    ),
}
"""The rules of each dialect that has some."""

LONG_ENUM = 250
"""OpenAI: an ``enum`` of strings with more values than this has at most :data:`LONG_ENUM_CHARACTERS` characters."""

LONG_ENUM_CHARACTERS = 15_000
"""See :data:`LONG_ENUM`."""
