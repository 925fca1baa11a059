"""The names that the fields of a type have in JSON, and in Python; whether JSON is read by the names it is written with."""

from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from types import UnionType
from typing import Annotated, Any, NamedTuple, NotRequired, Required, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, RootModel
from pydantic.fields import FieldInfo
from typing_extensions import ReadOnly, TypeAliasType, is_typeddict

from answergraph.state.field_path import FieldPath, MappingKey

_RECORDS = frozenset({"model", "dataclass", "typed-dict"})
_ALIASES = frozenset({"validation_alias", "serialization_alias"})
_NO_SCHEMAS = frozenset({"config", "metadata", "default", "serialization", "cls"})
_QUALIFIERS = (Annotated, NotRequired, Required, ReadOnly)


class DeclaredField(NamedTuple):
    """What a type says of a path in JSON."""

    path: FieldPath
    """The field's name: aliases are the names of the type, keys of mappings are marked."""
    types: tuple[object, ...]
    """Its types, without ``Annotated`` and unions; none if the type does not name it."""


class _Part(NamedTuple):
    name: str | int
    declared: object
    is_of_record: bool = False


def field_at(declared: object, json_path: FieldPath) -> DeclaredField:
    """Return the field at a path in JSON; what the type does not name keeps its name, as in a JSON Schema."""
    path, types, is_in_record = FieldPath(), list(_plain_types(declared)), False
    for part in json_path.parts:
        parts = [each for one in types for each in _parts_named(one, part)]
        name = parts[0].name if parts else part
        is_in_record = is_in_record or any(each.is_of_record for each in parts)
        # Outside of models and dataclasses the keys of any mapping are names of fields.
        path = path / (name if is_in_record or isinstance(name, int) else str(name))
        types = [one for each in parts for one in _plain_types(each.declared)]
    return DeclaredField(path, tuple(types))


def path_in_json(declared: object, location: FieldPath, data: object) -> FieldPath:
    """Return the path in JSON of a problem from its location, into which Pydantic writes the names of a union's alternatives."""
    json_path = FieldPath()
    for part in location.parts:
        if isinstance(data, list) and isinstance(part, int) and 0 <= part < len(data):
            json_path, data = json_path / part, data[part]
        elif isinstance(data, Mapping) and (part in data or _is_field(declared, json_path, part)):
            json_path, data = json_path / part, data.get(part)
    return json_path


def _is_field(declared: object, json_path: FieldPath, part: str | int) -> bool:
    records = [one for one in field_at(declared, json_path).types if fields_of_type(get_origin(one) or one)]
    return any(list(_parts_named(one, part)) for one in records)


def _plain_types(declared: object) -> Iterator[object]:
    origin, arguments = get_origin(declared), get_args(declared)
    if isinstance(cls := origin or declared, TypeAliasType):
        yield from _plain_types(cls.__value__)
    elif origin in _QUALIFIERS:
        yield from _plain_types(arguments[0])
    elif origin in (Union, UnionType):
        for each in arguments:
            yield from _plain_types(each)
    elif isinstance(cls, type) and issubclass(cls, RootModel):
        yield from _plain_types(cls.model_fields["root"].annotation)
    else:
        yield declared


def _parts_named(declared: object, part: str | int) -> Iterator[_Part]:
    """Yield the part of a plain type's values that has a name in JSON."""
    cls, arguments = get_origin(declared) or declared, get_args(declared)
    if isinstance(cls, type) and issubclass(cls, BaseModel):
        yield from _fields_named(cls, part)
    elif hints := fields_of_type(cls):
        named = (name for name, hint in hints.items() if part == json_name(cls, name, hint))
        yield from (_Part(name, hints[name], is_dataclass(cls)) for name in named)
    elif isinstance(cls, type) and issubclass(cls, Mapping) and not is_typeddict(cls):
        keys, values = arguments or (Any, Any)
        is_number = keys is int and str(part).removeprefix("-").isdecimal()
        yield _Part(int(part) if is_number else MappingKey(part), values)
    elif isinstance(part, int) and arguments:
        has_own_type = cls is tuple and part < len(arguments) and Ellipsis not in arguments
        yield _Part(part, arguments[part if has_own_type else 0])


def _fields_named(model: type[BaseModel], part: str | int) -> list[_Part]:
    fields = model.model_fields.items()
    written = [(name, each) for name, each in fields if part == (each.serialization_alias or name)]
    # Where the aliases for writing are not those for reading, JSON has the names of the type.
    of_name = written or [(name, each) for name, each in fields if part == name]
    return [_Part(name, each.annotation, True) for name, each in of_name]


def json_name(declared: object, name: str, hint: object) -> str:
    """Return the name under which a field is dumped."""
    known = getattr(declared, "__pydantic_fields__", {}).get(name)
    infos = [each for each in (known, *get_args(hint)[1:]) if isinstance(each, FieldInfo)]
    return next((each.serialization_alias for each in infos if each.serialization_alias), name)


def fields_of_type(declared: object) -> dict[str, Any]:
    """Return the annotations of the fields of a model, dataclass or ``TypedDict``; none of any other type."""
    if isinstance(declared, type) and issubclass(declared, BaseModel):
        fields = declared.model_fields
        return {name: Annotated[field.annotation, None, *field.metadata] for name, field in fields.items()}
    if (isinstance(declared, type) and is_dataclass(declared)) or is_typeddict(declared):  # metadata may be an instance of one
        try:
            return get_type_hints(declared, include_extras=True)
        except NameError:  # only Pydantic can resolve names local to a function
            return {}
    return {}


class AliasedField(NamedTuple):
    """A field whose name in JSON may differ from its own."""

    name: str
    declared: Mapping[str, Any]
    """The field in pydantic-core's schema."""
    by_name: bool
    """Whether its own name is read too."""

    @property
    def read_as(self) -> set[str]:
        """The names in JSON that it is read from; none if it only lies inside the value of another name."""
        alias = self.declared.get("validation_alias", self.name)
        paths = [alias] if isinstance(alias, str) or not isinstance(alias[0], list) else alias
        own = {self.name} if self.by_name else set()
        return own | {path if isinstance(path, str) else path[0] for path in paths if isinstance(path, str) or len(path) == 1}

    @property
    def is_read_as_written(self) -> bool:
        """Whether it is read from what it is written as."""
        return self.declared.get("serialization_alias", self.name) in self.read_as


def aliased_fields(schema: object) -> list[AliasedField]:
    """Return the fields with an alias in a schema of pydantic-core, each once."""
    return list(_aliased_in(schema, set(), by_name=False))


def _aliased_in(node: object, seen: set[int], *, by_name: bool) -> Iterator[AliasedField]:
    if not isinstance(node, Mapping | list | tuple) or id(node) in seen:
        return
    seen.add(id(node))
    if not isinstance(node, Mapping):
        for item in node:
            yield from _aliased_in(item, seen, by_name=by_name)
        return
    is_schema = isinstance(node.get("type"), str)  # else it has fields by name, and one may be named ``type``
    if is_schema and node["type"] in _RECORDS:
        config = node.get("config") or {}
        by_name = bool(config.get("validate_by_name") or config.get("populate_by_name"))
    yield from (AliasedField(name, field, by_name) for name, field in _own_fields(is_schema and node.get("fields")))
    for key, inner in node.items():
        if not (is_schema and key in _NO_SCHEMAS):
            yield from _aliased_in(inner, seen, by_name=by_name)


def _own_fields(fields: object) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the aliased fields of a record with their names; a dataclass has a list of them."""
    if isinstance(fields, list):
        fields = {field["name"]: field for field in fields if isinstance(field, Mapping)}
    named = fields.items() if isinstance(fields, Mapping) else ()
    return [(name, field) for name, field in named if not _ALIASES.isdisjoint(field)]
