"""What makes two items of a list the same one: ``Annotated[list[Item], Key("sku")]``; read from types, for items of JSON."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Annotated, Any, get_args, get_origin

from typing_extensions import TypeAliasType

from answergraph.answers.schemas.json_names import fields_of_type, json_name
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.explained_arguments import explains_arguments
from answergraph.state.field_path import EVERY_ITEM, FieldPath


@explains_arguments('Annotated[list[Item], Key("sku")]')
class Key:
    """What makes two items of a list the same one, wherever items are matched: a previous answer, an ensemble, an evaluation.

    Example:
        >>> from typing import Annotated
        >>> from pydantic import BaseModel
        >>> class Member(BaseModel):
        ...     email: str
        ...     role: str
        >>> class Team(BaseModel):
        ...     members: Annotated[list[Member], Key("email", may_delete=True)]
    """

    def __init__(self, field: str, *fields: str, may_delete: bool = False) -> None:
        """Choose the fields of an item that name it.

        Args:
            field: A field of each item, by its Python name.
            fields: Further ones; together they name an item.
            may_delete: Whether bringing an answer up to date may delete an item.
        """
        self.fields = (field, *fields)
        for each in self.fields:
            if not isinstance(each, str):
                raise AgentSpecError(f"Key({each!r}) names no field; write Key('sku'), the name of a field of each item.")
        self.may_delete = may_delete

    def __repr__(self) -> str:
        return f"Key({', '.join(map(repr, self.fields))}{', may_delete=True' if self.may_delete else ''})"

    def of(self, item: object) -> str | None:
        """Return what names an item of JSON; ``None`` if it lacks that."""
        if not isinstance(item, Mapping) or any(item.get(name) is None for name in self.fields):
            return None
        return " ".join(str(item[name]) for name in self.fields)


_CONTAINERS = (list, tuple, set, frozenset, dict)
Keys = Mapping[str, Key]
"""By the path of the list, ``"teams[].members"``."""
MAX_PLACES = 1_000
"""Places of keys in a type."""


def keys_of(declared: Any) -> dict[str, Key]:
    """Return the keys in a type, with the names that its fields have in JSON.

    Raises:
        AgentSpecError: If a key is not on a list, its items lack the field, or it is at too many places.
    """
    keys = list(islice(_keys_in(declared, FieldPath(), ()), MAX_PLACES + 1))
    if len(keys) > MAX_PLACES:
        raise AgentSpecError(f"{keys[0][1]!r} is at more than {MAX_PLACES} places, since the types refer to each other.")
    return dict(keys)


def _has_key(declared: object, seen: set[int]) -> bool:
    """Return whether a key is anywhere in a type; each type is read once."""
    if arguments := get_args(declared):
        return any(isinstance(each, Key) or _has_key(each, seen) for each in arguments)
    if id(declared) in seen:
        return False
    seen.add(id(declared))
    if isinstance(declared, TypeAliasType):
        return _has_key(declared.__value__, seen)
    return any(_has_key(hint, seen) for hint in fields_of_type(declared).values())


def _keys_in(declared: object, path: FieldPath, above: tuple[object, ...]) -> Iterator[tuple[str, Key]]:
    origin, arguments = get_origin(declared), get_args(declared)
    if origin is Annotated:
        for key in (each for each in arguments[1:] if isinstance(each, Key)):
            yield str(path), _of_json(key, arguments[0], path)
    if arguments:
        parts = {Annotated: arguments[:1], dict: arguments[1:]}.get(origin, arguments)
        for part in parts:
            yield from _keys_in(part, path / EVERY_ITEM if origin in _CONTAINERS else path, above)
    elif declared not in above and _has_key(declared, set()):
        if isinstance(declared, TypeAliasType):
            yield from _keys_in(declared.__value__, path, (*above, declared))
        for name, hint in fields_of_type(declared).items():
            yield from _keys_in(hint, path / json_name(declared, name, hint), (*above, declared))


def _of_json(key: Key, declared: object, path: FieldPath) -> Key:
    """Return a key with the names of its fields in JSON."""
    declared = _unwrapped(declared)
    items = get_args(declared)[:1] if get_origin(declared) is list else ()
    for item in map(_unwrapped, items):
        known = fields_of_type(item)
        if set(key.fields) <= known.keys():
            return Key(*(json_name(item, name, known[name]) for name in key.fields), may_delete=key.may_delete)
        raise AgentSpecError(f"{path}: {key!r} names no field of its items; they have {list(known)!r}.")
    raise AgentSpecError(f"{path}: {key!r} is on what is no list; write Annotated[list[Item], {key!r}].")


def _unwrapped(declared: object) -> object:
    """Return the type that an alias or an annotated type stands for."""
    if isinstance(declared, TypeAliasType):
        return _unwrapped(declared.__value__)
    return _unwrapped(get_args(declared)[0]) if get_origin(declared) is Annotated else declared
