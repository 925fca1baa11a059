"""The schemas that each API refuses, by depth, sizes and keywords; figures and messages are the providers' own."""

from collections.abc import Callable, Iterator
from typing import Any

from tests.providers.dialogue import JSON, Asked, Rule

Broken = Callable[[Asked], str | None]


def parts(schema: Any) -> Iterator[JSON]:
    """Return a schema and all schemas in it; each definition once."""
    if isinstance(schema, dict):
        yield schema
    for value in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from parts(value)


def depth(schema: Any, root: JSON | None = None, seen: frozenset[str] = frozenset()) -> int:
    """Return the nesting depth of objects and arrays; a definition counts at each reference to it."""
    root = schema if root is None else root
    if isinstance(schema, list):
        return max((depth(each, root, seen) for each in schema), default=0)
    if not isinstance(schema, dict):
        return 0
    reference = schema.get("$ref", "")
    if reference.startswith("#/$defs/") and reference not in seen:
        return depth(root["$defs"][reference.removeprefix("#/$defs/")], root, seen | {reference})
    inner = [value for key, value in schema.items() if key not in ("properties", "$defs", "enum", "required")]
    inner += schema.get("properties", {}).values()
    return int(bool(schema.keys() & {"properties", "items"})) + max((depth(each, root, seen) for each in inner), default=0)


def strings(schema: Any, *, long_only: bool = False) -> int:
    """Return the number of values of `enum`; with ``long_only``, the characters of the longest one with more than 250 values."""
    enums = [part["enum"] for part in parts(schema) if isinstance(part.get("enum"), list)]
    if long_only:
        return max((sum(len(str(value)) for value in values) for values in enums if len(values) > 250), default=0)
    return sum(map(len, enums))


def properties(schema: JSON) -> list[str]:
    return [name for part in parts(schema) if part.get("type") == "object" for name in part.get("properties", {})]


def optional(schema: JSON) -> int:
    return sum(
        len(part.get("properties", {}).keys() - set(part.get("required", ())))
        for part in parts(schema)
        if part.get("type") == "object"
    )


def unions(schema: JSON) -> int:
    return sum("anyOf" in part or isinstance(part.get("type"), list) for part in parts(schema))


def at_most(maximum: int, count: Callable[[JSON], int], words: str) -> Broken:
    """Refuse a format whose schema exceeds a number; the message may contain its ``name`` and the ``count``."""

    def broken_by(asked: Asked) -> str | None:
        found = count(asked.schema) if asked.schema else 0
        return words.format(name=asked.schema_name, count=found) if found > maximum else None

    return broken_by


def keywords(words: str, refused: set[str]) -> Broken:
    def broken_by(asked: Asked) -> str | None:
        found = sorted(refused.intersection(*[{key for part in parts(asked.schema) for key in part}]))
        return words.format(found[0]) if found else None

    return broken_by


def _open_object(asked: Asked) -> str | None:
    words = (
        f"Invalid schema for response_format '{asked.schema_name}': In context=(), 'additionalProperties' is required to be "
        "supplied and to be false."
    )
    objects = [part for part in parts(asked.schema) if part.get("type") == "object"]
    is_strict = asked.body.get("model", "").startswith("gpt")
    return words if is_strict and any(part.get("additionalProperties") is not False for part in objects) else None


def _recursive(asked: Asked) -> str | None:
    definitions = (asked.schema or {}).get("$defs", {})
    inside = {
        name: {part["$ref"].rpartition("/")[2] for part in parts(each) if "$ref" in part} for name, each in definitions.items()
    }
    for _ in inside:
        inside = {name: known.union(*(inside.get(each, set()) for each in known)) for name, known in inside.items()}
    found = [name for name, known in inside.items() if name in known]
    return f"output_config.format.schema: Circular reference detected in schema definitions: {found[0]}" if found else None


def _declarations_too_deep(asked: Asked) -> str | None:
    declared = [each for tool in asked.body.get("tools", ()) for each in tool.get("functionDeclarations", ())]
    schemas = [each.get("parametersJsonSchema") or each.get("parameters") for each in declared]
    words = "A FunctionDeclaration in the request exceeds the maximum allowed nesting depth."
    return words if any(depth(schema) > GEMINI_DEPTH for schema in schemas) else None


def _repeats_too_often(asked: Asked) -> str | None:
    # A grammar is made of the format and of every tool.
    schemas = [asked.schema, *(tool["function"].get("parameters") for tool in asked.body.get("tools", ()))]
    bounds = [part.get(key) for schema in schemas for part in parts(schema) for key in ("maxLength", "maxItems")]
    return "Failed to initialize samplers: failed to parse grammar" if LLAMA_CPP_REPETITIONS in bounds else None


_OPENAI = "https://platform.openai.com/docs/guides/structured-outputs#supported-schemas"
_INVALID = "Invalid schema for response_format '{name}': {count} "
OPENAI_SCHEMAS = (
    Rule(_open_object, _OPENAI),
    # Its message: https://github.com/tidyverse/ellmer/issues/671 and https://github.com/openai/openai-node/issues/1176
    Rule(at_most(10, depth, f"{_INVALID}levels of nesting exceeds limit of 10."), _OPENAI),
    Rule(at_most(5_000, lambda schema: len(properties(schema)), f"{_INVALID}parameters exceeds limit of 5000."), _OPENAI),
    Rule(at_most(1_000, strings, f"{_INVALID}enum values in total, which exceeds limit of 1000."), _OPENAI),
    Rule(
        at_most(
            120_000,
            lambda schema: sum(map(len, properties(schema))),
            f"{_INVALID}characters in names, which exceeds limit of 120000.",
        ),
        _OPENAI,
    ),
    Rule(
        at_most(
            15_000,
            lambda schema: strings(schema, long_only=True),
            f"{_INVALID}characters in one enum, which exceeds limit of 15000.",
        ),
        _OPENAI,
    ),
)

_ANTHROPIC = "https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations"
_KEYWORDS = {"minimum", "maximum", "minLength", "maxLength", "multipleOf"}
_SIZES = (
    Rule(
        at_most(
            24,
            optional,
            "Schemas contains too many optional parameters ({count}), which would make grammar compilation inefficient. Reduce "
            "the number of optional parameters in your tool schemas (limit: 24).",
        ),
        "https://github.com/elie222/inbox-zero/issues/2323",
    ),
    Rule(
        at_most(
            16,
            unions,
            "Schemas contains too many parameters with union types ({count} parameters with type arrays or anyOf). This causes "
            "exponential compilation cost. Reduce the number of nullable or union-typed parameters (limit: 16 parameters with "
            "unions).",
        ),
        "https://github.com/vercel/ai/pull/17268",
    ),
    Rule(
        # No limit is documented; reports begin at about 100 values of an enum.
        at_most(
            500,
            strings,
            "The compiled grammar is too large, which would cause performance issues. Simplify your tool schemas or reduce the "
            "number of strict tools.",
        ),
        "https://github.com/anthropics/anthropic-sdk-python/issues/1185",
    ),
)
ANTHROPIC_SCHEMAS = (
    Rule(keywords("output_config.format.schema: For 'integer' type, property '{}' is not supported", _KEYWORDS), _ANTHROPIC),
    Rule(_recursive, _ANTHROPIC),
    *_SIZES,
)
BEDROCK_SCHEMAS = _SIZES

GEMINI_DEPTH = 10
"""No limit is documented; reports mention 4 to 15 levels."""
GEMINI_SCHEMAS = (
    Rule(
        at_most(GEMINI_DEPTH, depth, "A schema in GenerationConfig in the request exceeds the maximum allowed nesting depth."),
        "https://github.com/googleapis/js-genai/issues/882",
    ),
    Rule(_declarations_too_deep, "https://github.com/google-gemini/gemini-cli/issues/5923"),
    Rule(
        at_most(
            500,
            strings,
            "The specified schema produces a constraint that has too many states for serving. Typical causes of this error are "
            "schemas with lots of text (for example, very long property or enum names).",
        ),
        "https://github.com/googleapis/python-genai/issues/660",
    ),
)

LLAMA_CPP_REPETITIONS = 2_000
"""Exactly this bound is refused; higher ones are ignored in the grammar."""
LLAMA_CPP_SCHEMAS = (Rule(_repeats_too_often, "https://github.com/ggml-org/llama.cpp/issues/27087"),)
