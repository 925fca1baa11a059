"""Checks a caller's JSON Schema before anything else reads it.

It may be invalid, or costly through its size, circular or multiplying references, patterns or remote addresses. The limits are
far above the needs of an answer.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, cast
from urllib.parse import unquote

import jsonschema_rs

from answergraph.answers.untrusted.schema_positions import Position, dependencies_first, positions
from answergraph.json_schema.merge import is_scalar

MAX_SCHEMA_BYTES = 65_536
"""Size of the schema as JSON in UTF-8."""
MAX_SCHEMA_DEPTH = 64
"""Nesting depth; a property inside a property counts two."""
MAX_SUBSCHEMAS = 2_000
"""Properties, items, members of unions and definitions, together."""
MAX_SCHEMAS_PER_VALUE = 1_000
"""Schemas that apply to one value, with references followed."""
MAX_FOLLOWED_SCHEMAS = 5_000
"""Schemas after replacing references, as clients do."""
MAX_FOLLOWED_CHARACTERS = 8 * MAX_SCHEMA_BYTES
"""Characters after replacing references, counted from the root and again from each property, about twice what clients send.

A large definition that is often referred to would make a request of megabytes.
"""
MAX_PATTERNS = 50
"""Regular expressions, in ``pattern`` and as names in ``patternProperties``."""
MAX_PATTERN_CHARACTERS = 500
MAX_PATTERN_BYTES = 1_048_576
"""Maximum memory of a compiled regular expression, and of its matching cache."""

PATTERN_OPTIONS = jsonschema_rs.RegexOptions(size_limit=MAX_PATTERN_BYTES, dfa_size_limit=MAX_PATTERN_BYTES)
"""The regex engine that matches in linear time, without look-around and back references; the default one backtracks."""

_DRAFTS = frozenset(
    {
        *(f"http://json-schema.org/draft-0{number}/schema" for number in (4, 6, 7)),
        *(f"https://json-schema.org/draft/{name}/schema" for name in ("2019-09", "2020-12")),
    }
)
_MOVES_REFERENCES = ("$id", "id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$vocabulary")
_MAX_QUOTED_CHARACTERS = 200
_TOO_LARGE = f"The JSON Schema has over {MAX_SCHEMA_BYTES} bytes; shorten descriptions or declare less."


class UntrustedSchemaError(ValueError):
    """A caller's JSON Schema is refused; the message says what to change."""


def check_untrusted_schema(schema: object) -> dict[str, Any]:
    """Return a copy of a caller's JSON Schema, without its outermost ``$id``; nothing in it is fetched.

    Raise ``UntrustedSchemaError`` if it is invalid, too large or costly, or uses keywords that callers may not use.
    """
    copy: dict[str, object] = json.loads(schema_text(schema))
    if isinstance(copy.get("$id"), str):
        del copy["$id"]
    _refuse_unknown_draft(copy)
    positions_by_pointer = _bounded_positions(copy)
    _refuse_costly_patterns(positions_by_pointer.values())
    _refuse_circles(positions_by_pointer)
    _refuse_what_clients_follow(copy, positions_by_pointer)
    _refuse_invalid(copy)
    _with_plain_references(copy, positions_by_pointer)
    return copy


def schema_text(schema: object) -> str:
    """Return a caller's JSON Schema as JSON; raise ``UntrustedSchemaError`` if it is none, or too large."""
    if not isinstance(schema, dict):
        raise UntrustedSchemaError(f"A JSON Schema is an object, not {type(schema).__name__}; write {{'type': 'object', …}}.")
    _refuse_what_is_not_json(schema)
    text = json.dumps(schema, ensure_ascii=False)
    if len(text.encode()) > MAX_SCHEMA_BYTES:
        raise UntrustedSchemaError(_TOO_LARGE)
    return text


def _refuse_what_is_not_json(schema: dict[object, object]) -> None:
    # Iterative: the input may be deeper than Python's stack, cyclic, or share objects.
    waiting: list[tuple[object, int]] = [(schema, 1)]
    size = 0
    while waiting:
        value, depth = waiting.pop()
        size += len(value) if isinstance(value, str | dict | list) else 1
        if size > MAX_SCHEMA_BYTES:
            raise UntrustedSchemaError(_TOO_LARGE)
        if depth > MAX_SCHEMA_DEPTH:
            raise UntrustedSchemaError(
                f"The JSON Schema is nested deeper than {MAX_SCHEMA_DEPTH} levels; use '$defs' and '$ref', or nest less."
            )
        waiting += [(inner, depth + 1) for inner in _inner(value)]


def _inner(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        yield from value.values()
        if not all(isinstance(key, str) for key in value):
            raise UntrustedSchemaError("The JSON Schema has a key that is not a string.")
        yield from value
    elif isinstance(value, list):
        yield from value
    elif not is_scalar(value) or (isinstance(value, str) and re.search("[\ud800-\udfff]", value)):
        raise UntrustedSchemaError(f"The JSON Schema contains {_quoted(value)}, which JSON cannot express; write plain JSON.")


def _quoted(value: object) -> str:
    return ascii(value)[:_MAX_QUOTED_CHARACTERS] if isinstance(value, str | float) else f"a value of type {type(value).__name__}"


def _refuse_unknown_draft(schema: dict[str, object]) -> None:
    # The validator would fetch an unknown address.
    draft = schema.get("$schema")
    if draft is not None and (not isinstance(draft, str) or draft.removesuffix("#") not in _DRAFTS):
        raise UntrustedSchemaError(f"'$schema' names no known draft; leave it out, or name one of: {', '.join(sorted(_DRAFTS))}.")


def _bounded_positions(schema: dict[str, object]) -> dict[str, Position]:
    by_pointer: dict[str, Position] = {}
    for position in positions(schema):
        by_pointer[position.pointer] = position
        if len(by_pointer) > MAX_SUBSCHEMAS:
            raise UntrustedSchemaError(f"The JSON Schema has over {MAX_SUBSCHEMAS} properties and union members; declare less.")
        moved = [key for key in _MOVES_REFERENCES if isinstance(position.schema.get(key), str | bool | dict)]
        if moved or ("$schema" in position.schema and position.pointer != "#"):
            name = moved[0] if moved else "$schema"
            raise UntrustedSchemaError(f"{name!r} at {_quoted(position.pointer)} is not allowed; use '$ref': '#/$defs/Name'.")
    return by_pointer


def _refuse_costly_patterns(every_position: Any) -> None:
    patterns = [pattern for position in every_position for pattern in _patterns(position)]
    if len(patterns) > MAX_PATTERNS:
        raise UntrustedSchemaError(f"The JSON Schema has over {MAX_PATTERNS} regular expressions; use fewer.")
    for pattern in patterns:
        if len(pattern) > MAX_PATTERN_CHARACTERS:
            raise UntrustedSchemaError(f"A regular expression has over {MAX_PATTERN_CHARACTERS} characters; shorten it.")
        try:
            jsonschema_rs.Draft202012Validator({"pattern": pattern}, pattern_options=PATTERN_OPTIONS)
        except ValueError as error:
            reason = "it is invalid, too large, or uses look-around or back references; write a simpler one"
            raise UntrustedSchemaError(f"The regular expression {_quoted(pattern)} is not allowed: {reason}.") from error


def _patterns(position: Position) -> Iterator[str]:
    pattern, named = position.schema.get("pattern"), position.schema.get("patternProperties")
    yield from [pattern] if isinstance(pattern, str) else []
    yield from named if isinstance(named, dict) else []


def _refuse_circles(by_pointer: dict[str, Position]) -> None:
    """Refuse references without a target, references that lead back to the same value, and too many schemas for one value."""
    beside = {pointer: [*position.beside, *_referred(position, by_pointer)] for pointer, position in by_pointer.items()}
    at_once: dict[str, int] = {}
    for pointer in dependencies_first(beside):
        at_once[pointer] = 1 + sum(at_once[target] for target in beside[pointer])
        if at_once[pointer] > MAX_SCHEMAS_PER_VALUE:
            raise UntrustedSchemaError(
                f"Over {MAX_SCHEMAS_PER_VALUE} schemas apply to one value, from {_quoted(pointer)} on; use fewer references."
            )
    if len(at_once) < len(beside):
        circle = _quoted(next(pointer for pointer in beside if pointer not in at_once))
        raise UntrustedSchemaError(f"The schema at {circle} refers to itself with no property or item between; put one there.")


def _referred(position: Position, by_pointer: dict[str, Position]) -> list[str]:
    reference = position.schema.get("$ref")
    if reference is None:
        return []
    if not isinstance(reference, str) or not reference.startswith("#"):
        raise UntrustedSchemaError(f"'$ref' at {_quoted(position.pointer)} points outside the schema; put the target in '$defs'.")
    target = unquote(reference)
    if target not in by_pointer:
        raise UntrustedSchemaError(
            f"'$ref' {_quoted(reference)} at {_quoted(position.pointer)} leads to no schema; define it under '$defs'."
        )
    return [target]


def _refuse_what_clients_follow(schema: dict[str, object], by_pointer: dict[str, Position]) -> None:
    """Refuse schemas that break LangChain's clients, which expand everything named ``$ref``."""
    if json.dumps(schema).count('"$ref":') != sum("$ref" in position.schema for position in by_pointer.values()):
        raise UntrustedSchemaError("A property or value is named '$ref', and clients would follow it as a reference; rename it.")
    sizes = {pointer: len(json.dumps(position.schema)) for pointer, position in by_pointer.items()}
    followed = characters = 0
    waiting = [(pointer, frozenset[str]()) for pointer in by_pointer if pointer == "#" or re.fullmatch("#/[^/]*/[^/]*", pointer)]
    while waiting:
        pointer, on_the_way = waiting.pop()
        followed += 1
        if followed > MAX_FOLLOWED_SCHEMAS or len(on_the_way) > MAX_SCHEMA_DEPTH:
            raise UntrustedSchemaError(
                f"References lead to over {MAX_FOLLOWED_SCHEMAS} schemas, or over {MAX_SCHEMA_DEPTH} from one to the next; "
                "refer to fewer."
            )
        position = by_pointer[pointer]
        inside = [*position.beside, *position.named, *position.shared]
        characters += sizes[pointer] - sum(sizes[inner] for inner in inside)
        if characters > MAX_FOLLOWED_CHARACTERS:
            raise UntrustedSchemaError(
                f"With references replaced, the JSON Schema has over {MAX_FOLLOWED_CHARACTERS} characters; refer less often to "
                "large definitions."
            )
        waiting += [(inner, on_the_way) for inner in inside]
        waiting += [(target, on_the_way | {target}) for target in _referred(position, by_pointer) if target not in on_the_way]


def _with_plain_references(schema: dict[str, Any], by_pointer: dict[str, Position]) -> None:
    """Rename definitions with escaped names, which LangChain's clients cannot read."""
    escaped = [position.schema for position in by_pointer.values() if re.search("[%~]", str(position.schema.get("$ref", "")))]
    for number, referring in enumerate(escaped, start=1):
        schema.setdefault("$defs", {})[f"referred_{number}"] = dict(by_pointer[unquote(referring["$ref"])].schema)
        cast(dict[str, Any], referring)["$ref"] = f"#/$defs/referred_{number}"


def _refuse_invalid(schema: dict[str, object]) -> None:
    try:
        jsonschema_rs.meta.validate(schema)
        jsonschema_rs.validator_for(schema, retriever=refuse_remote, pattern_options=PATTERN_OPTIONS)
    except ValueError as error:
        first = str(error).splitlines()[0]
        shortened = first if len(first) <= _MAX_QUOTED_CHARACTERS else f"{first[:_MAX_QUOTED_CHARACTERS]}…"
        raise UntrustedSchemaError(f"This is not a valid JSON Schema: {shortened}") from error


def refuse_remote(uri: str) -> Any:
    """Raise ``ValueError`` instead of retrieving a document: a schema may refer only to itself."""
    raise ValueError(f"remote reference {uri!r}; put its target under '$defs'")
