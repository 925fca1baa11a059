"""The parts of a value by its pydantic-core schema."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

from pydantic import BaseModel

from answergraph.state.field_path import EVERY_ITEM, FieldPath, items_in_order, part_of_key

CoreSchema = Mapping[str, Any]
"""A schema of pydantic-core: a ``dict`` with a ``type``."""

PathPart = str | int | None
"""A part of a ``FieldPath``; ``None`` for a value that is called as the whole is."""

NamedValues = Iterable[tuple[PathPart, object]]
"""Parts of one value, each with its name."""

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
    choices = schema.get("choices") or schema["steps"]
    every = choices.values() if isinstance(choices, Mapping) else choices
    return [Part(choice[0] if isinstance(choice, tuple) else choice) for choice in every]


def _record(schema: CoreSchema) -> Iterable[Part]:
    is_root, shape = schema.get("root_model", False), (schema["cls"], Mapping)  # a record may still be JSON
    return [Part(schema["schema"], None, lambda value: [(None, getattr(value, "root", value) if is_root else value)], shape)]


def _attributes(schema: CoreSchema) -> Iterable[Part]:
    fields = schema["fields"]
    named = fields.items() if isinstance(fields, Mapping) else [(field["name"], field) for field in fields]
    parts = [Part(field["schema"], name, partial(_field, name, field)) for name, field in named if not field.get("init_only")]
    more = (
        [Part(schema.get("extras_schema", _ANY), EVERY_ITEM, lambda model: list((model.model_extra or {}).items()), BaseModel)]
        if schema["type"] == "model-fields"
        else []
    )
    return [*parts, *more]


def _field(name: str, field: CoreSchema, value: object) -> NamedValues:
    if not isinstance(value, Mapping):
        return [(name, getattr(value, name, None))]
    # An answer that was not validated has the name that JSON has for it.
    alias = field.get("validation_alias")
    return [(name, value.get(alias if isinstance(alias, str) and name not in value else name))]


def _keys(schema: CoreSchema) -> Iterable[Part]:
    return [Part(field["schema"], name, partial(_field, name, field), Mapping) for name, field in schema["fields"].items()]


def _each(key: str, shape: object) -> Callable[[CoreSchema], Iterable[Part]]:
    """Return the parts of a kind whose items all have the schema under this key."""
    return lambda schema: [Part(schema.get(key, _ANY), EVERY_ITEM, items_of, shape)]


def _places_of_tuple(schema: CoreSchema) -> Iterable[Part]:
    items, variadic = schema["items_schema"], schema.get("variadic_item_index")
    if variadic is None:
        return [Part(item, n, partial(_nth, n), tuple) for n, item in enumerate(items)]
    return [Part(items[0], EVERY_ITEM, items_of, SEQUENCES)] if len(items) == 1 else []


def _nth(place: int, value: tuple[object, ...]) -> NamedValues:
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
