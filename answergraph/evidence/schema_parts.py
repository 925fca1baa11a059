"""The parts of a value by its pydantic-core schema."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

from pydantic import BaseModel

CoreSchema = Mapping[str, Any]
"""A schema of pydantic-core: a ``dict`` with a ``type``."""

Steps = Iterable[tuple[str, Any]]
"""Parts of one value, each with the step of its path."""

SEQUENCES = (list, tuple, set, frozenset, deque)


class Part(NamedTuple):
    """A part of a schema's values."""

    schema: CoreSchema
    step: str = ""
    of_value: Callable[[Any], Steps] = lambda value: [("", value)]
    shape: Any = object
    """The class of values with this part."""


def items_of(container: Any) -> list[tuple[str, Any]]:
    """Return the items of a container with their path steps, in a stable order."""
    if isinstance(container, Mapping):
        return [(f"[{key!r}]", item) for key, item in container.items()]
    ordered = sorted(container, key=str) if isinstance(container, set | frozenset) else container
    return [(f"[{place}]", item) for place, item in enumerate(ordered)]


def is_container(value: Any) -> bool:
    return isinstance(value, (*SEQUENCES, Mapping))


def joined(path: str, step: str) -> str:
    return f"{path}{step}" if path else step.removeprefix(".")


def _inner(*keys: str) -> Callable[[CoreSchema], Iterable[Part]]:
    """Return the parts of a kind that wraps schemas under these keys."""
    return lambda schema: [Part(schema[key]) for key in keys if key in schema]


def _choices(schema: CoreSchema) -> Iterable[Part]:
    choices = schema.get("choices") or schema["steps"]
    every = choices.values() if isinstance(choices, Mapping) else choices
    return [Part(choice[0] if isinstance(choice, tuple) else choice) for choice in every]


def _record(schema: CoreSchema) -> Iterable[Part]:
    is_root, shape = schema.get("root_model", False), (schema["cls"], Mapping)  # a record may still be JSON
    return [Part(schema["schema"], "", lambda value: [("", getattr(value, "root", value) if is_root else value)], shape)]


def _attributes(schema: CoreSchema) -> Iterable[Part]:
    fields = schema["fields"]
    named = fields.items() if isinstance(fields, Mapping) else [(field["name"], field) for field in fields]
    parts = [Part(field["schema"], f".{name}", partial(_attribute, name)) for name, field in named if not field.get("init_only")]
    more = [Part(schema.get("extras_schema", _ANY), "[…]", _extras, BaseModel)] if schema["type"] == "model-fields" else []
    return [*parts, *more]


def _attribute(name: str, value: Any) -> Steps:
    return [(f".{name}", value.get(name) if isinstance(value, Mapping) else getattr(value, name, None))]


def _extras(model: BaseModel) -> Steps:
    return [(f".{name}", item) for name, item in (model.model_extra or {}).items()]


def _keys(schema: CoreSchema) -> Iterable[Part]:
    return [
        Part(field["schema"], f".{name}", partial(lambda key, value: [(f".{key}", value.get(key))], name), Mapping)
        for name, field in schema["fields"].items()
    ]


def _each(key: str, shape: Any) -> Callable[[CoreSchema], Iterable[Part]]:
    """Return the parts of a kind whose items all have the schema under this key."""
    return lambda schema: [Part(schema.get(key, _ANY), "[…]", items_of, shape)]


def _places_of_tuple(schema: CoreSchema) -> Iterable[Part]:
    items, variadic = schema["items_schema"], schema.get("variadic_item_index")
    if variadic is None:
        return [Part(item, f"[{n}]", partial(_nth, n), tuple) for n, item in enumerate(items)]
    return [Part(items[0], "[…]", items_of, SEQUENCES)] if len(items) == 1 else []


def _nth(place: int, value: tuple[Any, ...]) -> Steps:
    return [(f"[{place}]", value[place] if place < len(value) else None)]


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
