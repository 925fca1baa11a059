"""Finds the marks of a type in the schema that Pydantic validates it with.

Claims are collected from the parts of values (``PARTS``). A search of the whole schema finds marks outside those parts, so
that none is ignored: see ``Place.within``.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import is_dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Annotated, Any, NamedTuple, get_args, get_origin

from pydantic import BaseModel, TypeAdapter
from pydantic.errors import PydanticUserError
from typing_extensions import TypeAliasType, is_typeddict

from answergraph.answers.schemas.json_names import fields_of_type
from answergraph.evidence.marks import MARKS, SCALARS, Derived, FromTools, Grounded, Mark, Quote, SupportedBy
from answergraph.evidence.schema_parts import (
    ALTERNATIVES,
    CONVERTING,
    PARTS,
    RECORDS,
    UNDECLARED,
    WRAPPERS,
    CoreSchema,
    Part,
    is_named,
    path_of_part,
)
from answergraph.runtime.recent_cache import MAX_KEPT
from answergraph.state.field_path import EVERY_ITEM, FieldPath


class Place(NamedTuple):
    """A mark in a type."""

    path: FieldPath
    mark: Mark
    schema: CoreSchema
    """The marked schema, or the one around the mark."""
    within: str = ""
    """A description of the place if values there are not checked; otherwise empty."""


class MarkedType:
    """A type, its parts and its marks."""

    def __init__(self, schema: CoreSchema) -> None:
        self.root = schema
        self._definitions = {each["ref"]: each for each in _definitions(schema)}

    def parts(self, schema: CoreSchema) -> list[Part]:
        """Return the parts of a schema's values; none if the schema does not name them."""
        if schema["type"] == "definition-ref":
            return [Part(self._definitions[schema["schema_ref"]])]
        find = PARTS.get(schema["type"])
        return [] if find is None else list(find(schema))

    def outer_marks(self, schema: CoreSchema) -> tuple[Mark, ...]:
        """Return the marks on a schema and on the schemas it wraps."""
        inner = self.parts(schema) if schema["type"] in WRAPPERS else []
        return sum((self.outer_marks(part.schema) for part in inner), marks_on(schema))

    def places(self) -> list[Place]:
        """Return the marks with their places, each place once."""
        return [place for schema, path in self._schemas() for place in self._places_at(schema, path)]

    def optional_paths(self) -> set[FieldPath]:
        """Return the places of fields with a default."""
        return {path for schema, path in self._schemas() if schema["type"] == "default"}

    def never_found(self) -> list[FieldPath]:
        """Return the fields without a mark whose values no source can show: durations, bytes, secrets."""
        unmarked = ((schema, path) for schema, path in self._schemas(_may_be_found) if not _may_be_found(schema))
        secret = "get_secret_value"
        return [path for schema, path in unmarked if schema["type"] in _NEVER_FOUND or hasattr(schema.get("cls"), secret)]

    def places_known_by_values(self) -> list[Place]:
        """Return the marks of the models and dataclasses in a type, which their values show without a declared type."""
        records = [(schema["cls"], path) for schema, path in self._schemas(_is_of_record) if _is_of_record(schema)]
        known = [(path, place) for cls, path in records for place in marked_type(cls).places()]
        return [place._replace(path=FieldPath.of(*path.parts, *place.path.parts)) for path, place in known]

    def _schemas(self, is_last: Callable[[CoreSchema], bool] = lambda _: False) -> Iterator[tuple[CoreSchema, FieldPath]]:
        """Yield the schemas of the type with their paths, outer ones first; none inside one that ``is_last``.

        Each comes once: in types that refer to each other there are more ways to it than can be followed.
        """
        waiting, seen = [(self.root, FieldPath())], set[int]()
        while waiting:
            schema, path = waiting.pop()
            if id(schema) not in seen:
                seen.add(id(schema))
                yield schema, path
                inner = [] if is_last(schema) else self.parts(schema)
                waiting += [(part.schema, path_of_part(path, part.name)) for part in reversed(inner)]

    def paths_of_values(self, path: FieldPath, depth: int = 4) -> Iterator[FieldPath]:
        """Yield the paths of the values at and below a path, ``items[].price``; none if it leads nowhere."""
        schemas = [self.root]
        for wanted in path.parts:
            schemas = [part.schema for part in self._named_parts(schemas) if is_named(part.name, wanted)]
        names = dict.fromkeys(EVERY_ITEM if isinstance(part.name, int) else str(part.name) for part in self._named_parts(schemas))
        if schemas and not names:
            yield path
        for name in names if depth else ():
            yield from self.paths_of_values(path / (EVERY_ITEM if name == EVERY_ITEM else name), depth - 1)

    def _named_parts(self, schemas: Sequence[CoreSchema]) -> list[Part]:
        """Return the parts of schemas that have a name, each once."""
        waiting, seen, named = list(schemas), set[int](), list[Part]()
        while waiting:
            schema = waiting.pop()
            if id(schema) not in seen:
                seen.add(id(schema))
                parts = self.parts(schema)
                # The last part of a model stands for fields that it does not declare.
                named += [part for part in parts if part.name is not None and part.shape is not UNDECLARED]
                waiting += [part.schema for part in parts if part.name is None]
        return named

    def marks_below(self, schema: CoreSchema) -> list[Mark]:
        return list(self._search(schema, set()))

    def marks_in_items(self, item: CoreSchema) -> list[Mark]:
        """Return the marks inside the items of a list that ask for an item; none if an item may hold such a list in turn."""
        seen: set[int] = set()
        marks = [mark for part in self.parts(item) for mark in self._search(part.schema, seen)]
        # The last one of a tree's nodes has an empty list.
        return [] if id(item) in seen else [mark for mark in marks if mark.min_items]

    def parts_of(self, schema: CoreSchema, value: object, *, made: bool) -> Sequence[Part]:
        """Return the parts of a value's schema; of alternatives those that it fits, and all if it fits none."""
        parts = self.parts(schema)
        if "choices" not in schema or value is None:
            return parts
        return [part for part in parts if self.fits(part.schema, value, made=made)] or parts

    def fits(self, schema: CoreSchema, value: object, *, made: bool = True) -> bool:
        """Return whether a value may fit a schema: also one that a validator in it may have made, if ``made``."""
        kind = schema["type"]
        if kind in _SCALARS:
            return isinstance(value, _SCALARS[kind]) and not (isinstance(value, bool) and kind != "bool")
        if kind == "literal":
            return value in schema["expected"]
        if value is None and kind == "nullable":
            return True
        if kind in RECORDS:
            return isinstance(value, schema["cls"])
        if kind == "typed-dict":
            return isinstance(value, Mapping) and all(
                self.fits(field["schema"], value[name], made=made) if name in value else not field.get("required", True)
                for name, field in schema["fields"].items()
            )
        parts = self.parts(schema) if kind not in CONVERTING or not made else []
        return not parts or (any if kind in ALTERNATIVES else all)(self._has(part, value, made) for part in parts)

    def _has(self, part: Part, value: object, made: bool) -> bool:
        return isinstance(value, part.shape) and all(self.fits(part.schema, each, made=made) for _, each in part.of_value(value))

    def can_hold(self, mark: Mark, schema: CoreSchema, opened: frozenset[int] = frozenset()) -> bool:
        """Return whether a tool result can support any value of a marked schema."""
        kind = schema["type"]
        classes, kinds = _HELD[type(mark)]
        if kind in {"literal", "enum"}:
            return any(isinstance(value, classes) for value in schema.get("expected", schema.get("members")))
        if id(schema) in opened or kind in RECORDS or (kind in _NEVER_HELD.split() and kind not in kinds):
            return False
        inner = [self.can_hold(mark, part.schema, opened | {id(schema)}) for part in self.parts(schema)]
        return not inner or kind in CONVERTING or (all if kind == "tuple" else any)(inner)

    def _places_at(self, schema: CoreSchema, path: FieldPath) -> Iterator[Place]:
        yield from (Place(path, mark, schema) for mark in marks_on(schema))
        parts = self.parts(schema)
        for key, rest in schema.items():
            for mark in self._search(rest, {id(part.schema) for part in parts}) if key not in {"metadata", "definitions"} else ():
                # A serialization schema may repeat the validation schema.
                if key != "serialization" or not any(mark in self.marks_below(part.schema) for part in parts):
                    within = _WITHIN.get(key, _WITHIN.get(schema["type"], f"a type of the kind {schema['type']!r}"))
                    yield Place(path, mark, schema, within)
        for name, mark in _left_out_of(schema["cls"]) if schema["type"] in RECORDS | {"typed-dict"} else ():
            yield Place(path / name, mark, schema, "an annotation that validation ignores")

    def _search(self, node: object, seen: set[int]) -> Iterator[Mark]:
        """Yield every mark at and below a node that was not visited."""
        if isinstance(node, Mark):
            yield node
        if isinstance(node, Mapping | list | tuple) and id(node) not in seen:
            seen.add(id(node))
            for below in node.values() if isinstance(node, Mapping) else node:
                yield from self._search(below, seen)
            if isinstance(node, Mapping) and node.get("type") == "definition-ref":
                yield from self._search(self._definitions[node["schema_ref"]], seen)


@lru_cache(maxsize=MAX_KEPT)
def marked_type(declared: Any) -> MarkedType:
    return MarkedType(TypeAdapter(declared).core_schema)


def marks_on(schema: CoreSchema) -> tuple[Mark, ...]:
    return tuple(schema.get("metadata", {}).get(MARKS, ()))


def _may_be_found(schema: CoreSchema) -> bool:
    # A validator may make a number of a duration.
    return bool(marks_on(schema)) or schema["type"] in CONVERTING


def _is_of_record(schema: CoreSchema) -> bool:
    return schema["type"] in RECORDS


def _definitions(node: object) -> Iterator[CoreSchema]:
    if isinstance(node, Mapping):
        yield from node.get("definitions", ()) if node.get("type") == "definitions" else ()
    if isinstance(node, Mapping | list | tuple):
        for below in node.values() if isinstance(node, Mapping) else node:
            yield from _definitions(below)


@lru_cache(maxsize=MAX_KEPT)
def _left_out_of(cls: Any) -> Sequence[tuple[str, Mark]]:
    """Return the marks in a class's annotations that are missing in its schema, with their fields."""
    return [(name, mark) for name, hint in fields_of_type(cls).items() for mark in _left_out(hint)]


def _left_out(annotation: Any) -> Sequence[Mark]:
    """Return the marks in an annotation that validation does not reach."""
    written = [] if _is_record(annotation) else list(_marks_in(annotation))
    if not written:
        return ()
    try:
        schema = TypeAdapter(annotation).core_schema
    except (PydanticUserError, NameError):
        schema = {"written": written}  # qualifiers such as NotRequired are not types
    found = MarkedType(schema).marks_below(schema)
    parts = get_args(annotation)[: 1 if get_origin(annotation) is Annotated else None]
    return (*(mark for mark in written if mark not in found), *(mark for part in parts for mark in _left_out(part)))


def _is_record(annotation: object) -> bool:
    return isinstance(annotation, type) and (
        issubclass(annotation, BaseModel) or is_dataclass(annotation) or is_typeddict(annotation)
    )


def _marks_in(annotation: object) -> Iterator[Mark]:
    if isinstance(annotation, Mark):
        yield annotation
    elif isinstance(annotation, TypeAliasType):
        yield from _marks_in(annotation.__value__)
    elif _is_record(annotation):
        with suppress(PydanticUserError, NameError):
            record = marked_type(annotation)
            yield from record.marks_below(record.root)
    else:
        within = getattr(annotation, "__metadata__", ()) if get_origin(annotation) is Annotated else ()
        for part in (*within, *(annotation if isinstance(annotation, tuple) else get_args(annotation))):
            yield from _marks_in(part)


_SCALARS: Mapping[str, Any] = {"str": str, "int": int, "float": (float, int), "decimal": Decimal, "bool": bool}

_HELD: Mapping[type[Mark], tuple[tuple[type, ...], frozenset[str]]] = {
    Quote: ((str,), frozenset({"str"})),
    FromTools: ((int, float, Decimal), frozenset({"int", "float", "decimal"})),
    Derived: ((int, float, Decimal), frozenset({"int", "float", "decimal"})),
    **dict.fromkeys(
        (Grounded, SupportedBy),
        (SCALARS, frozenset({"str", "int", "float", "decimal", "bool", "date", "time", "datetime", "uuid"})),
    ),
}
"""Per kind of mark, the classes and schema kinds it may be on."""

_NEVER_HELD = (
    "str int float decimal bool complex date time datetime timedelta bytes none uuid url multi-host-url callable typed-dict"
)
"""Schema kinds that cannot have a mark, except the kinds of that mark in ``_HELD``."""

_NEVER_FOUND = frozenset({"timedelta", "bytes", "complex", "callable"})
_WITHIN = {
    "keys_schema": "the keys of a mapping",
    "computed_fields": "a computed field",
    "default": "a default",
    "call": "a named tuple",
    "named-tuple": "a named tuple",
    "function-plain": "a value replaced by a validator",
    "any": "a value that is not validated",
}
