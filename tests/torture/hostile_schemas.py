"""Schemas that a caller may send, each as costly as the guard lets it be; and answers that are costly to judge by them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from answergraph.answers.untrusted.untrusted_schema import UntrustedSchemaError, check_untrusted_schema

Schema = dict[str, Any]

NODE = {"$ref": "#/$defs/N"}
RANDOM_SCHEMAS = 40
MAX_RANDOM_PARTS = 60


def _answer(properties: Schema, **more: Any) -> Schema:
    return {"title": "Answer", "type": "object", "properties": properties, **more}


def _recursive(definition: Schema) -> Schema:
    return {"title": "Answer", **NODE, "$defs": {"N": {"type": "object", **definition}}}


def _named(count: int, body: Any) -> Schema:
    return {f"p{at}": body for at in range(count)}


def _tagged(count: int) -> list[Schema]:
    return [
        {"type": "object", "properties": {"k": {"const": at}, "p0": {"type": "null"}}, "required": ["k"]} for at in range(count)
    ]


def _requiring(count: int) -> list[Schema]:
    return [{"required": [f"q{at}"]} for at in range(count)]


def _ladder(rungs: int, members: int) -> Schema:
    steps = {f"s{at}": {"anyOf": [{"type": "object", "properties": {"p0": {"$ref": f"#/$defs/s{at + 1}"}}}] * members}
             for at in range(rungs)}  # fmt: skip
    return _answer({"p0": {"$ref": "#/$defs/s0"}}, **{"$defs": {**steps, f"s{rungs}": {"type": "string"}}})


def _nested(depth: int, body: Schema) -> Schema:
    for _ in range(depth):
        body = _answer({"p0": body}, required=["p0"])
    return body


FAMILIES: dict[str, Schema] = {
    **{f"{count} references to itself": _recursive({"properties": _named(count, NODE)}) for count in (8, 16, 60)},
    **{
        f"a list of a union of {count}": _answer({"p0": {"type": "array", "items": {"anyOf": _tagged(count)}}})
        for count in (20, 200)
    },
    **{
        f"a union of {count} that refer back": _recursive(
            {"anyOf": [{"properties": {f"p{at}": NODE}, "required": [f"p{at}"]} for at in range(count)]}
        )
        for count in (2, 14, 40)
    },
    "a union at the root": {"title": "Answer", "anyOf": _tagged(20)},
    "alternatives that require": _answer(_named(300, {"type": "string"}), anyOf=_requiring(300)),
    "requirements beside unevaluatedProperties": _answer({}, allOf=_requiring(300), unevaluatedProperties=False),
    "recursive lists": _recursive({"properties": _named(12, {"type": "array", "items": NODE})}),
    "lists of lists": _answer({"p0": {"type": "array", "items": {"type": "array", "items": {"anyOf": _requiring(100)}}}}),
    "properties": _answer(_named(900, {"type": "string", "minLength": 3})),
    "descriptions": _answer(_named(100, {"type": "string", "description": "d" * 500})),
    "a large definition, often used": _answer(
        _named(5, NODE), **{"$defs": {"N": {"enum": ["x" * 60 + str(at) for at in range(600)]}}}
    ),
    "a large constant": _answer({"p0": {"const": "c" * 60_000}}),
    "a large enumeration": _answer({"p0": {"enum": [f"v{at}" for at in range(6_000)]}}),
    "a ladder of unions": _ladder(7, 2),
    "a deep schema": _nested(28, {"anyOf": _tagged(10)}),
    "patterns": _answer({f"p{at}": {"type": "string", "pattern": "(a+)+$" * 20} for at in range(50)}),
    "patterns of keys": _answer({}, patternProperties={f"^(p|k){at}.*": {"anyOf": _tagged(20)} for at in range(15)}),
    "dependencies": _answer(
        _named(200, {}), dependentRequired={f"p{at}": [f"q{other}" for other in range(20)] for at in range(200)}
    ),
    "names of properties": _answer({}, propertyNames={"anyOf": [{"const": f"n{at}"} for at in range(500)]}),
    "conditions": _answer({}, allOf=[{"if": {"required": [f"k{at}"]}, "then": {"required": [f"q{at}"]}} for at in range(200)]),
    "tuples": _answer(
        {"p0": {"type": "array", "prefixItems": [{"anyOf": _requiring(20)}] * 60, "items": {"anyOf": _requiring(60)}}}
    ),
    "contains": _answer({"p0": {"type": "array", "contains": {"allOf": _requiring(300)}, "minContains": 1_000}}),
    "negations": _answer({"p0": {"not": {"anyOf": [{"not": each} for each in _requiring(300)]}}}),
}
"""By what they hold; each passes the guard."""


def random_schemas() -> Iterator[tuple[str, Schema]]:
    """Yield schemas made of every keyword at random, the same in every run, that pass the guard."""
    for seed in range(RANDOM_SCHEMAS):
        made = _Random(random.Random(seed)).schema()
        with suppress(UntrustedSchemaError):
            yield f"random schema {seed}", check_untrusted_schema(made)


class _Random:
    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.left = chance.randint(5, MAX_RANDOM_PARTS)
        self.definitions = [f"D{at}" for at in range(chance.randint(1, 4))]

    def schema(self) -> Schema:
        definitions = {
            name: {"type": "object", "properties": {"p0": self.part(3), "p1": self.part(3)}} for name in self.definitions
        }
        return _answer({f"p{at}": self.part(4) for at in range(self.chance.randint(1, 6))}, **{"$defs": definitions})

    def part(self, depth: int) -> Schema:
        self.left -= 1
        if depth == 0 or self.left < 0:
            return self.chance.choice(
                [{"type": "string"}, {"type": "integer", "minimum": 1}, {"enum": ["a", "b"]}, {"type": "null"}]
            )
        inner = [self.part(depth - 1) for _ in range(self.chance.randint(1, 5))]
        named = {f"p{at}": each for at, each in enumerate(inner)}
        kinds: list[Callable[[], Schema]] = [
            lambda: {"$ref": f"#/$defs/{self.chance.choice(self.definitions)}"},
            lambda: {self.chance.choice(["anyOf", "oneOf", "allOf"]): inner},
            lambda: {"type": "object", "properties": named, "required": ["p0"]},
            lambda: {"type": "object", "properties": named, "additionalProperties": self.chance.choice([False, inner[0]])},
            lambda: {"type": "object", "patternProperties": {"^p": inner[0]}, "unevaluatedProperties": inner[-1]},
            lambda: {"type": "array", "items": {"anyOf": inner}},
            lambda: {"type": "array", "prefixItems": inner, "items": inner[0]},
            lambda: {"if": inner[0], "then": inner[-1], "not": {"required": ["p9"]}},
        ]
        return self.chance.choice(kinds)()


def _deep(name: str) -> Any:
    answer: Any = {}
    for _ in range(60):
        answer = {name: answer}
    return answer


ANSWERS: dict[str, Callable[[], Any]] = {
    "an empty object": dict,
    "a list of 1,000": lambda: {"p0": [{}] * 1_000},
    "a list of 20,000": lambda: {"p0": [{"k": 99}] * 20_000},
    "a list of lists": lambda: {"p0": [[{}] * 100] * 200},
    "60 deep": lambda: _deep("p0"),
    "500 KB of text": lambda: {"p0": {"k": 1, "p0": "x" * 500_000}},
    "5,000 keys": lambda: {f"k{at}": at for at in range(5_000)},
    "every property": lambda: {f"p{at}": {"p0": {"p0": [at]}} for at in range(300)},
}
"""What a model may answer; all of them are wrong for most schemas."""
