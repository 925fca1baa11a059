"""The parts of a value by its pydantic-core schema."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from functools import partial, reduce
from operator import getitem
from typing import Any, NamedTuple

from answergraph.state.field_path import EVERY_ITEM, FieldPath, items_in_order, part_of_key

CoreSchema = Mapping[str, Any]
"""A schema of pydantic-core: a ``dict`` with a ``type``."""

PathPart = str | int | None
"""A part of a ``FieldPath``; ``None`` for a value that is called as the whole is."""

NamedValues = Iterable[tuple[PathPart, object]]
"""Parts of one value, each with its name."""

UNDECLARED = (object,)
"""The shape of the part that stands for the fields of a record that its class does not declare."""

SEQUENCES = (list, tuple, set, frozenset, deque)


class Part(NamedTuple):
    """A part of a schema's values."""

    schema: CoreSchema
    name: PathPart = None
    of_value: Callable[[Any], NamedValues] = lambda value: [(None, value)]
    shape: Any = object
    """The class of values with this part."""


def items_of(container: object) -> NamedValues:
    """Return the items of a container with their names, always in the same order."""
    if isinstance(container, Mapping):
        return [(part_of_key(key), item) for key, item in container.items()]
    return list(enumerate(items_in_order(container) or ()))


def is_container(value: object) -> bool:
    return isinstance(value, (*SEQUENCES, Mapping))


def path_of_part(path: FieldPath, name: PathPart) -> FieldPath:
    return path if name is None else path / name


def is_named(name: PathPart, wanted: str | int) -> bool:
    return name == wanted or (wanted is EVERY_ITEM and isinstance(name, int))


def _inner(*keys: str) -> Callable[[CoreSchema], Iterable[Part]]:
    """Return the parts of a kind that wraps schemas under these keys."""
    return lambda schema: [Part(schema[key]) for key in keys if key in schema]


def _choices(schema: CoreSchema) -> Iterable[Part]:
    # A step that looks at the class alone, as a Sequence has one, says nothing of parts.
    choices = schema.get("choices") or [step for step in schema["steps"] if step["type"] != "is-instance"]
    every = choices.values() if isinstance(choices, Mapping) else choices
    return [Part(choice[0] if isinstance(choice, tuple) else choice) for choice in every]


def _record(schema: CoreSchema) -> Iterable[Part]:
    is_root = schema.get("root_model", False)
    shape = object if is_root else (schema["cls"], Mapping)  # a record may still be JSON, and the root of one is any value
    return [Part(schema["schema"], None, lambda value: [(None, getattr(value, "root", value) if is_root else value)], shape)]


def _attributes(schema: CoreSchema) -> Iterable[Part]:
    fields = schema["fields"]
    named = fields.items() if isinstance(fields, Mapping) else [(field["name"], field) for field in fields]
    ways = {name: _ways_to(name, field) for name, field in named}
    parts = [Part(field["schema"], name, partial(_read, name, ways[name])) for name, field in named if not field.get("init_only")]
    keys = {way[0] for each in ways.values() for way in each}
    return [*parts, Part(schema.get("extras_schema", _ANY), EVERY_ITEM, partial(_undeclared, keys), UNDECLARED)]


def _ways_to(name: str, field: CoreSchema) -> list[Sequence[str | int]]:
    """Return the ways to a field in JSON that was not validated, by its aliases and by its name, which is last."""
    alias = field.get("validation_alias", [])
    aliases = [[alias]] if isinstance(alias, str) else alias
    if aliases and not isinstance(aliases[0], list):
        aliases = [aliases]
    written = [[field["serialization_alias"]]] if "serialization_alias" in field else []
    return [*aliases, *written, [name]]


def _read(name: str, ways: Iterable[Sequence[str | int]], value: object) -> NamedValues:
    return [(name, _in_json(ways, value) if isinstance(value, Mapping) else getattr(value, name, None))]


def _in_json(ways: Iterable[Sequence[str | int]], value: Any) -> Any:
    for way in ways:
        with suppress(LookupError, TypeError):
            return reduce(getitem, way, value)
    return None


def _undeclared(keys: Set[str | int], value: object) -> NamedValues:
    if isinstance(value, Mapping):
        return [(part_of_key(key), item) for key, item in value.items() if key not in keys]
    return list((getattr(value, "model_extra", None) or {}).items())


def _keys(schema: CoreSchema) -> Iterable[Part]:
    # A value has the names of the type, unless it was not validated.
    fields = schema["fields"].items()
    return [Part(field["schema"], name, partial(_read, name, _ways_to(name, field)[::-1]), Mapping) for name, field in fields]


def _each(key: str, shape: object) -> Callable[[CoreSchema], Iterable[Part]]:
    """Return the parts of a kind whose items all have the schema under this key."""
    return lambda schema: [Part(schema.get(key, _ANY), EVERY_ITEM, items_of, shape)]


def _places_of_tuple(schema: CoreSchema) -> Iterable[Part]:
    items, variadic = schema["items_schema"], schema.get("variadic_item_index")
    if variadic is None:
        return [Part(item, n, partial(_nth, n), (tuple, list)) for n, item in enumerate(items)]
    return [Part(items[0], EVERY_ITEM, items_of, SEQUENCES)] if len(items) == 1 else []


def _nth(place: int, value: Sequence[object]) -> NamedValues:
    return [(place, value[place] if place < len(value) else None)]


_ANY: CoreSchema = {"type": "any"}

CONVERTING = {"function-after", "function-wrap"}
"""Kinds that wrap a schema and may change its values."""

WRAPPERS = {"definitions", "definition-ref", "default", "custom-error", "json", "function-before", *CONVERTING}

ALTERNATIVES = {"union", "tagged-union", "chain", "lax-or-strict", "json-or-python"}
RECORDS = {"model", "dataclass"}

PARTS: Mapping[str, Callable[[CoreSchema], Iterable[Part]]] = {
    **dict.fromkeys([*WRAPPERS - {"definition-ref"}, "nullable"], _inner("schema")),
    "lax-or-strict": _inner("lax_schema", "strict_schema"),
    "json-or-python": _inner("json_schema", "python_schema"),
    **dict.fromkeys(["union", "tagged-union", "chain"], _choices),
    **dict.fromkeys(RECORDS, _record),
    **dict.fromkeys(["model-fields", "dataclass-args"], _attributes),
    "typed-dict": _keys,
    **dict.fromkeys(["list", "set", "frozenset", "deque"], _each("items_schema", SEQUENCES)),
    "tuple": _places_of_tuple,
    **dict.fromkeys(["dict", "ordered-dict", "default-dict"], _each("values_schema", Mapping)),
}
"""Per schema kind, the parts of its values; other kinds have none."""
