"""Changes of JSON by the names of its fields; what no change names is the same object afterwards."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from answergraph.state.field_path import FieldPath

CHANGES = "changes"
PATH = "path"
VALUE = "value"

WHOLE = FieldPath()
OTHER_LENGTH = "{path} has {before} items in your answer and {after} here; give all of them, or change single ones by path"


class Change(NamedTuple):
    """A new value for a field."""

    path: FieldPath
    value: Any


def changes_in(data: object) -> list[Change]:
    """Return the changes that a model wrote: a list of path and value, one of them alone, or a value per path.

    Raises:
        ValueError: If they are something else.
    """
    data = [data] if isinstance(data, Mapping) and data.keys() == {PATH, VALUE} else data
    if isinstance(data, Mapping):
        return [Change(path_of(path), value) for path, value in data.items()]
    if not isinstance(data, list) or not all(isinstance(each, Mapping) and each.keys() >= {PATH, VALUE} for each in data):
        raise ValueError(f"{CHANGES!r} is a list of objects with {PATH!r} and {VALUE!r}")
    return [Change(path_of(each[PATH]), each[VALUE]) for each in data]


def path_of(text: object) -> FieldPath:
    """Return a path as a model writes it: ``items[3].price``, or the pointer ``/items/3/price`` of JSON Patch."""
    if not isinstance(text, str):
        raise ValueError(f"{text!r} is not the path of a field; write one such as items[3].price")
    if not text.startswith("/"):
        return FieldPath(text)
    steps = (step.replace("~1", "/").replace("~0", "~") for step in text[1:].split("/"))
    return FieldPath.of(*(int(step) if step.isdecimal() else step for step in steps))


def with_changes(data: object, changes: Sequence[Change]) -> Any:
    """Return JSON with some values replaced or added.

    Raises:
        ValueError: If there is no place of this name.
    """
    for path, value in changes:
        try:
            data = _with_value(data, path.parts, value)
        except LookupError:
            raise ValueError(f"there is no field {path!s} in your answer") from None
    return data


def _with_value(data: object, parts: Sequence[str | int], value: object) -> object:
    if not parts:
        return value
    part, rest = parts[0], parts[1:]
    if isinstance(data, Mapping):
        key = next((key for key in data if key == str(part)), None)
        if key is None and rest:
            raise LookupError(part)
        return {**data, str(part): _with_value(data.get(str(part)), rest, value)}
    if not isinstance(data, list) or not isinstance(part, int) or not 0 <= part <= len(data) - bool(rest):
        raise LookupError(part)
    return [*data[:part], _with_value(data[part] if rest else None, rest, value), *data[part + 1 :]]


def with_part(data: object, part: object, wrong: Collection[str], path: FieldPath = WHOLE) -> Any:
    """Return JSON with the parts that a model wrote of it; objects keep what the part leaves out.

    Raises:
        ValueError: If a list has another length, and is not itself one of the wrong fields: nobody knows which items are meant.
    """
    if isinstance(data, Mapping) and isinstance(part, Mapping):
        return {**data, **{key: with_part(data.get(key), value, wrong, path / key) for key, value in part.items()}}
    if not isinstance(data, list) or not isinstance(part, list) or path in wrong:
        return part
    if len(data) != len(part):
        raise ValueError(OTHER_LENGTH.format(path=path, before=len(data), after=len(part)))
    return [with_part(before, after, wrong, path / index) for index, (before, after) in enumerate(zip(data, part, strict=True))]


def changed_fields(before: object, after: object, path: FieldPath = WHOLE) -> Iterator[FieldPath]:
    """Yield the smallest fields in which two values differ; a list of another length is one field."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in {**before, **after}:
            if key in before and key in after:
                yield from changed_fields(before[key], after[key], path / key)
            else:
                yield path / key
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from changed_fields(one, other, path / index)
    elif before != after or type(before) is not type(after):
        yield path


def json_path_in(data: Any, path: str, value: object = None) -> FieldPath | None:
    """Return the path in JSON of what a path names, ``None`` if that is nothing, or all of it.

    Args:
        data: The JSON.
        path: In Python names, or as Pydantic writes the location of an error, with aliases and the names of alternatives.
        value: The value read from the JSON, which knows the aliases of its fields.
    """
    json_path, parts = FieldPath(), list(FieldPath(path).parts)
    for index, part in enumerate(parts):
        key = next((name for name in _names(part, value) if isinstance(data, Mapping) and name in data), None)
        if key is not None:
            json_path, data, value = json_path / key, data[key], getattr(value, str(part), None)
        elif isinstance(data, list) and isinstance(part, int) and 0 <= part < len(data):
            json_path, data = json_path / part, data[part]
            value = value[part] if isinstance(value, list | tuple) and part < len(value) else None
        elif isinstance(data, Mapping) and index == len(parts) - 1:
            json_path = json_path / list(_names(part, value))[-1]  # the field is missing
    return json_path or None


def _names(part: str | int, value: object) -> Iterator[str]:
    """Yield the names that a field may have in JSON, the most likely one last."""
    yield str(part)
    field = getattr(type(value), "model_fields", {}).get(part)
    yield from (name for name in (getattr(field, "serialization_alias", None), getattr(field, "alias", None)) if name)
