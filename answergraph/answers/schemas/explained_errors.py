"""Explains why an answer does not fit a JSON Schema, within a budget.

``is_valid`` is fast, but ``iter_errors`` collects every error of every member of every union before it returns the first, and
each error copies the value: 16 KB of answer beside a union of 200 members took a gigabyte. So the cost of a part of the answer is
counted first, and a part that is too large is searched for smaller ones that do not fit.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote

import jsonschema_rs

from answergraph.answers.untrusted.schema_positions import Position, positions, step_of
from answergraph.answers.untrusted.untrusted_schema import PATTERN_OPTIONS, refuse_remote
from answergraph.json_text.json_depth import inner_values, members

MAX_ERRORS = 20
"""Maximum errors of one answer reported to the model."""
MAX_MESSAGE_CHARACTERS = 300
"""Longer messages, which quote the value, are cut."""
MAX_BYTES_AT_ONCE = 250_000
"""The part of an answer that is explained at once, in bytes of all values times the schemas tried for them: 25 MB and 0.1 s."""
BYTES_PER_SCHEMA = 100
"""What one schema for one value costs beside the value itself."""
MAX_PAIRS = 50_000
"""Schemas counted for values of one answer, at 1 µs each."""
MAX_VALIDATORS = 64
"""Parts of a schema that are compiled for one explanation, at up to 5 ms each."""
MAX_DEPTH = 64
"""Parts of an answer nested deeper are not searched."""

DOES_NOT_FIT = "it does not fit the schema, and is too large to say where"
_WHOLE = "urn:answergraph:answer"

_ONE_ERROR_EACH = frozenset({"dependentRequired", "propertyNames", "unevaluatedItems", "unevaluatedProperties"})
"""Keywords with an error, and so a copy of the value, for each key or item."""

PathParts = tuple[str | int, ...]
Errors = Iterator[tuple[PathParts, str]]


def compiled(schema: Mapping[str, object], **options: Any) -> Any:
    """Return the validator of a schema, which refers to no other document; raise ``ValueError`` if the schema is invalid."""
    try:
        return jsonschema_rs.validator_for(dict(schema), retriever=refuse_remote, pattern_options=PATTERN_OPTIONS, **options)
    except ValueError:
        # The linear regex engine has no look-around, which developers' schemas may use.
        return jsonschema_rs.validator_for(dict(schema), retriever=refuse_remote, **options)


def explained(schema: Mapping[str, object], data: object, validator: object) -> list[tuple[PathParts, str]]:
    """Return what is wrong with an answer that the schema's validator refused, each problem with its place; never empty."""
    by_pointer = {position.pointer: position for position in positions(schema)}
    explanation = _Explanation(schema, by_pointer, _sizes(data), {"#": validator})
    errors: list[tuple[PathParts, str]] = []
    for path, sentence in explanation.errors("#", data, ()):
        errors.append((path, sentence if len(sentence) <= MAX_MESSAGE_CHARACTERS else f"{sentence[:MAX_MESSAGE_CHARACTERS]}…"))
        if len(errors) == MAX_ERRORS:
            break
    return errors


def _sizes(data: object) -> dict[int, int]:
    """Return the size of each value by its id, in characters and values; the answer's depth is bounded by its reader."""
    order, waiting = list[Any](), [data]
    while waiting:
        value = waiting.pop()
        order.append(value)
        waiting += inner_values(value)
    sizes: dict[int, int] = {}
    for value in reversed(order):
        own = 8 + sum(map(len, value)) if isinstance(value, dict) else 8
        if isinstance(value, str):
            own = len(value)
        sizes[id(value)] = own + sum(sizes[id(each)] for each in inner_values(value))
    return sizes


@dataclass
class _Explanation:
    """The explanation of one answer, and what is left of its budget."""

    schema: Mapping[str, object]
    positions: Mapping[str, Position]
    sizes: Mapping[int, int]
    validators: dict[str, object]
    searched: set[tuple[str, PathParts]] = field(default_factory=set)
    pairs_left: int = MAX_PAIRS

    def errors(self, pointer: str, value: object, path: PathParts) -> Errors:
        """Yield the errors of a value that does not fit a schema."""
        if self._is_small(pointer, value) and (validator := self._validator(pointer)) is not None:
            yield from self._chosen_errors(validator.iter_errors(value), value, path)
            return
        missing = self._missing(pointer, value)
        yield from ((path, f'"{name}" is a required property') for name in missing)
        wrong = (part for part in self._parts(pointer, value) if not self._fits(*part, path))
        part = next(wrong, None) if len(path) < MAX_DEPTH else None
        if part is None and not missing:
            yield path, DOES_NOT_FIT
        while part is not None:
            yield from self.errors(*part[:2], (*path, *part[2]))
            part = next(wrong, None)

    def _chosen_errors(self, errors: Any, value: object, path: PathParts) -> Errors:
        """Yield the errors of a validator; for a union with a discriminator those of the member that was meant."""
        for error in errors:
            inner = list(error.instance_path)
            chosen = self._chosen("#/" + "/".join(map(step_of, error.schema_path[:-1])), _at(value, inner))
            context = error.kind.as_dict().get("context") if chosen is not None else None
            if context:
                yield from self._chosen_errors(context[chosen], value, path)
            else:
                yield (*path, *inner), str(error.message)

    def _is_small(self, pointer: str, value: object) -> bool:
        """Count what explaining a value costs, up to the bound."""
        cost, waiting = 0, [(pointer, value)]
        while waiting:
            pointer, value = waiting.pop()
            self.pairs_left -= 1
            copies = 2 + len(self._missing(pointer, value))
            if isinstance(value, dict | list) and _ONE_ERROR_EACH & self.positions[pointer].schema.keys():
                copies += len(value)
            cost += BYTES_PER_SCHEMA + copies * self.sizes[id(value)]
            if cost > MAX_BYTES_AT_ONCE or self.pairs_left < 0:
                return False
            waiting += self._pairs(pointer, value)
        return True

    def _pairs(self, pointer: str, value: object) -> Iterator[tuple[str, object]]:
        """Yield the schemas that are tried for a value or the values in it, each with the value."""
        position = self.positions[pointer]
        yield from ((target, value) for target in [*position.beside, *self._target(position)])
        for inner_pointer, inner, _ in self._named_parts(pointer, value):
            yield inner_pointer, inner
        yield from ((shared, inner) for shared in position.shared for inner in inner_values(value))

    def _parts(self, pointer: str, value: Any) -> Iterator[tuple[str, object, PathParts]]:
        """Yield the schemas that a value must fit, and those that the values in it must fit, with the way to them."""
        position = self.positions[pointer]
        schema = position.schema
        yield from ((target, value, ()) for target in self._target(position))
        yield from ((inner, value, ()) for inner in position.beside if inner.startswith(f"{pointer}/allOf/"))
        if (chosen := self._chosen(pointer, value)) is not None:
            yield f"{pointer}/{'anyOf' if 'anyOf' in schema else 'oneOf'}/{chosen}", value, ()
        named = [*self._named_parts(pointer, value)]
        yield from named
        # Keys that a pattern may stand for are not searched.
        keyword = "items" if isinstance(value, list) else "additionalProperties"
        if f"{pointer}/{keyword}" in self.positions and "patternProperties" not in schema:
            seen = {step[0] for _, _, step in named}
            yield from ((f"{pointer}/{keyword}", inner, (step,)) for step, inner in members(value) if step not in seen)

    def _named_parts(self, pointer: str, value: object) -> Iterator[tuple[str, object, PathParts]]:
        """Yield the schemas of single properties and items, with their values."""
        named = len(self.positions[pointer].named)
        steps = members(value[:named] if isinstance(value, list) else value)
        keyword = "properties" if isinstance(value, dict) else "prefixItems"
        parts = ((f"{pointer}/{keyword}/{step_of(step)}", inner, (step,)) for step, inner in steps if named)
        yield from (part for part in parts if part[0] in self.positions)

    def _target(self, position: Position) -> list[str]:
        target = unquote(str(position.schema.get("$ref", "")))
        return [target] if target in self.positions else []

    def _chosen(self, pointer: str, value: object) -> int | None:
        """Return which member of a union a value was meant for: the only one whose constants it has."""
        position = self.positions.get(pointer)
        members = position and (position.schema.get("anyOf") or position.schema.get("oneOf"))
        if not members or not isinstance(value, dict):
            return None
        keyword = "anyOf" if position and "anyOf" in position.schema else "oneOf"
        meant = [at for at in range(len(members)) if self._has_constants(f"{pointer}/{keyword}/{at}", value)]
        return meant[0] if len(meant) == 1 else None

    def _has_constants(self, pointer: str, value: Mapping[str, object]) -> bool:
        position = self.positions.get(pointer)
        if position is None:
            return False
        if target := self._target(position):
            position = self.positions[target[0]]
        properties = position.schema.get("properties")
        bodies = properties.items() if isinstance(properties, Mapping) else ()
        constants = {name: body["const"] for name, body in bodies if isinstance(body, Mapping) and "const" in body}
        return bool(constants) and all(name in value and value[name] == constant for name, constant in constants.items())

    def _missing(self, pointer: str, value: object) -> list[str]:
        required = self.positions[pointer].schema.get("required")
        return [name for name in required if name not in value] if isinstance(required, list) and isinstance(value, dict) else []

    def _fits(self, pointer: str, value: object, step: PathParts, path: PathParts) -> bool:
        """Return whether a value fits, cannot be checked, or was searched already, in a schema that refers to itself."""
        key = pointer, (*path, *step)
        if key in self.searched or (validator := self._validator(pointer)) is None or validator.is_valid(value):
            return True
        self.searched.add(key)
        return False

    def _validator(self, pointer: str) -> Any:
        """Return the validator of a part of the schema; ``None`` if it has none of its own, or too many were compiled."""
        if pointer not in self.validators and len(self.validators) < MAX_VALIDATORS:
            draft = {"$schema": self.schema["$schema"]} if "$schema" in self.schema else {}
            part = {**draft, "$ref": f"{_WHOLE}{quote(pointer, safe='#/')}"}
            self.validators[pointer] = None
            with suppress(ValueError):  # the references of a schema with an address of its own lead elsewhere
                registry = jsonschema_rs.Registry([(_WHOLE, dict(self.schema))])
                self.validators[pointer] = compiled(part, registry=registry)
        return self.validators.get(pointer)


def _at(value: Any, path: list[str | int]) -> object:
    for step in path:
        value = value[step]
    return value
