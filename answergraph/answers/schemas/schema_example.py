"""Builds an example answer from a JSON Schema for prompts, because small models repeat a schema but fill in an example."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from answergraph.answers.schemas.json_envelope import BY_NAME, DATA
from answergraph.answers.schemas.known_keys import pointed_at
from answergraph.json_schema.dialect_sizes import Edge, in_circle

MAX_DESCRIPTION_CHARACTERS = 120  # maximum number of characters of a description that are shown
MAX_EXAMPLE_DEPTH = 5  # deeper parts, which a recursive type always has, are shown as ``...``
MAX_EXAMPLE_CHARACTERS = 4_000
"""An example is longer only if the schema is: then it may have twice its characters."""

CUT = "..."  # stands for what is not shown

_LIMITS = (
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("pattern", "matching {}"),
    ("minimum", "at least {}"),
    ("maximum", "at most {}"),
    ("exclusiveMinimum", "more than {}"),
    ("exclusiveMaximum", "less than {}"),
    ("multipleOf", "a multiple of {}"),
)
_CONTAINERS = ("object", "array")
_FORMATS = {"date": "2026-01-31", "date-time": "2026-01-31T12:00:00Z", "time": "12:00:00"}
_NOT_SHOWN = frozenset(
    {"allOf", "not", "if", "patternProperties", "dependentSchemas", "dependentRequired", "contains", "prefixItems"}
)
"""Keywords that an example does not express."""


class Example(NamedTuple):
    """An example answer."""

    text: str
    is_whole: bool
    """Whether it shows every part of the schema."""
    placeholders: frozenset[str] = frozenset({CUT})
    """The texts in it that stand for values."""


def example_of(schema: Mapping[str, object]) -> Example:
    """Return an example answer as JSON, with a placeholder for each value; a union has one example per alternative.

    An example grows with the width of the schema to the power of its depth, so a long one is made again with fewer levels.
    """
    most = max(MAX_EXAMPLE_CHARACTERS, 2 * len(json.dumps(schema)))
    for max_depth in range(MAX_EXAMPLE_DEPTH, -1, -1):
        drawing = _Drawing(schema, max_depth, most)
        with suppress(_TooLongError):
            return Example(drawing.text(), drawing.is_whole, frozenset(drawing.placeholders))
    return Example(CUT, is_whole=False)


def needs_schema(schema: object) -> bool:
    """Return whether a schema says more than its example: it is recursive, or has a keyword that an example does not express."""
    if isinstance(schema, list):
        return any(map(needs_schema, schema))
    if not isinstance(schema, Mapping):
        return False
    # A field may be called as a keyword is, such as ``contains``.
    named = {key: [*value.values()] for key, value in schema.items() if key in BY_NAME and isinstance(value, Mapping)}
    inner = [value for key, value in {**schema, **named}.items() if key not in DATA]
    return bool(_NOT_SHOWN & schema.keys()) or _refers_to_itself(schema) or any(map(needs_schema, inner))


def _refers_to_itself(schema: Mapping[str, object]) -> bool:
    definitions = schema.get("$defs")
    if not isinstance(definitions, Mapping):
        return schema.get("$ref") == "#"
    texts = {name: json.dumps(body) for name, body in definitions.items()}
    pairs = ((name, other) for name, text in texts.items() for other in texts if f'"#/$defs/{other}"' in text)
    return bool(in_circle(Edge(name, other, stepped=True, optional=False) for name, other in pairs))


class _TooLongError(Exception):
    """The example has more characters than it may have."""


@dataclass
class _Drawing:
    """One try to make an example."""

    root: Mapping[str, object]
    max_depth: int
    most: int
    drawn: int = 0
    """The characters so far, without punctuation, so that no long example is made to find out that it is long."""
    is_whole: bool = True
    placeholders: set[str] = field(default_factory=lambda: {CUT, "<key>", "<one of these>", "<anything>"})

    def text(self) -> str:
        each = [self.value(schema, 0, "") for schema in _alternatives(self.root, self.root)]
        text = "\nor\n".join(json.dumps(example, ensure_ascii=False) for example in each)
        if len(text) > self.most:
            raise _TooLongError
        return text

    def value(self, schema: Any, depth: int, note: str) -> Any:
        self._count(1)
        if not isinstance(schema, Mapping):
            return self._placeholder(_with("anything", note))
        if depth > self.max_depth:
            self.is_whole = False
            return CUT
        schema = _resolved(schema, self.root)
        if "const" in schema:
            self._count(len(json.dumps(schema["const"])))
            return schema["const"]
        note = _with(note, _description(schema))
        alternatives = _alternatives(schema, self.root)
        if len(alternatives) > 1:
            return self._one_of(alternatives, depth, note)
        return self._single(alternatives[0], depth, note)

    def _single(self, schema: object, depth: int, note: str) -> object:
        if not isinstance(schema, Mapping):
            return "<anything>"
        if schema.get("type") == "object" or "properties" in schema:
            return self._object(schema, depth, note)
        if schema.get("type") == "array":
            return [self.value(schema.get("items", True), depth + 1, _with(_counts(schema), note)), CUT]
        return self._placeholder(_with(_leaf(schema), note))

    def _object(self, schema: Mapping[str, Any], depth: int, note: str) -> dict[str, object]:
        required = frozenset(schema.get("required", ()))
        example: dict[str, object] = {}
        for name, body in schema.get("properties", {}).items():
            self._count(len(name))
            example[name] = self.value(body, depth + 1, "" if name in required else "or leave this out")
        more = schema.get("additionalProperties", True)
        is_open = not example and more is not False and (note or more is not True)
        return {"<key>": self.value(more, depth + 1, note)} if is_open else example

    def _one_of(self, alternatives: list[object], depth: int, note: str) -> object:
        """Return simple alternatives in words, a single structured one as it is, and several in a list."""
        each = [
            self.value(one, depth + 1, note * (isinstance(one, dict) and one.get("type") in _CONTAINERS)) for one in alternatives
        ]
        if all(example == CUT for example in each):
            return CUT
        if all(isinstance(example, str) for example in each):
            return self._placeholder(_with(" or ".join(example.strip("<>") for example in each), note))
        structured = [example for example in each if not isinstance(example, str)]
        return {"<one of these>": each} if any(example != structured[0] for example in structured) else structured[0]

    def _placeholder(self, words: str) -> str:
        self._count(len(words))
        self.placeholders.add(f"<{words}>")
        return f"<{words}>"

    def _count(self, characters: int) -> None:
        self.drawn += characters
        if self.drawn > self.most:
            raise _TooLongError


def _leaf(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "one of: " + ", ".join(json.dumps(each, ensure_ascii=False).strip('"') for each in schema["enum"])
    kind = schema.get("type", "anything")
    named = " or ".join(kind) if isinstance(kind, list) else str(kind)
    words = [{"boolean": "true or false", "null": "null"}.get(named, named)]
    words += [text.format(schema[key]) for key, text in _LIMITS if key in schema]
    if "format" in schema:
        words.append(f"such as {_FORMATS[schema['format']]}" if schema["format"] in _FORMATS else str(schema["format"]))
    return ", ".join(words)


def _counts(schema: Mapping[str, object]) -> str:
    least, most = schema.get("minItems"), schema.get("maxItems")
    return ", ".join([*([f"at least {least} items"] if least else []), *([f"at most {most} items"] if most is not None else [])])


def _alternatives(schema: Mapping[str, Any], root: Mapping[str, object]) -> list[object]:
    schema = _resolved(schema, root)
    members = schema.get("anyOf") or schema.get("oneOf")
    return [_resolved(each, root) for each in members] if members else [schema]


def _resolved(schema: Any, root: Mapping[str, object]) -> Any:
    reference = schema.get("$ref") if isinstance(schema, Mapping) else None
    if not isinstance(reference, str):
        return schema
    return {**pointed_at(reference, root), **{key: value for key, value in schema.items() if key != "$ref"}}


def _description(schema: Mapping[str, object]) -> str:
    text = schema.get("description")
    return " ".join(text.split())[:MAX_DESCRIPTION_CHARACTERS] if isinstance(text, str) else ""


def _with(text: str, more: str) -> str:
    return ", ".join(part for part in (text, more) if part)
