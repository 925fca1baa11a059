"""Changes of lists whose items have a key: which item a path names, and whether one is gone."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from answergraph.answers.schemas.item_keys import Key, Keys
from answergraph.patches.changes import WHOLE, Change, with_changes
from answergraph.state.field_path import FieldPath, value_of_part

_GONE = "{path}[{key!r}] is gone, but no item of {path} may be deleted; give it as it was"
_TWICE = "{path} has two items with the key {key!r}"


def with_keyed_changes(data: object, changes: Sequence[Change], keys: Keys) -> Any:
    """Return JSON with some values replaced or added, and with the items deleted that are named by their key and set to ``None``.

    Raises:
        ValueError: If there is no place of a name.
    """
    deleted: list[FieldPath] = []
    for path, value in changes:
        place, is_item = _by_number(data, path, keys)
        if is_item and value is None:
            deleted.append(place)
        else:
            data = with_changes(data, [Change(place, value)])
    for place in sorted(deleted, key=lambda each: -int(each.parts[-1])):
        *outer, number = place.parts
        items = FieldPath.of(*outer).get(data)
        data = with_changes(data, [Change(FieldPath.of(*outer), [*items[: int(number)], *items[int(number) + 1 :]])])
    return data


def _by_number(data: Any, path: FieldPath, keys: Keys) -> tuple[FieldPath, bool]:
    """Return a path with the places of items for their keys, of a new one at the end; and whether it names an item by key."""
    place, is_item = FieldPath(), False
    for part in path.parts:
        is_item = isinstance(data, list) and isinstance(part, str)
        number = _number(data, str(part), keys.get(place.pattern)) if is_item else part
        place = place / number
        try:
            data = value_of_part(data, number)
        except LookupError:
            data = None
    return place, is_item


def _number(items: Sequence[object], name: str, key: Key | None) -> int:
    return next((number for number, item in enumerate(items) if key is not None and key.of(item) == name), len(items))


def paired(
    before: object, after: object, keys: Keys, place: FieldPath = WHOLE, was: FieldPath = WHOLE
) -> Iterator[tuple[FieldPath, FieldPath]]:
    """Yield the place of each value that stands in both answers, with its place before; items with a key may have moved.

    Raises:
        ValueError: If an item is gone that may not be deleted, or two have one key.
    """
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in after:
            if name in before:
                yield from paired(before[name], after[name], keys, place / name, was / name)
    elif isinstance(before, list) and isinstance(after, list):
        key = keys.get(place.pattern)
        for old, new in enumerate(range(len(after))) if key is None else _same_items(before, after, key, place):
            if old < len(before):
                yield from paired(before[old], after[new], keys, place / new, was / old)
    elif before == after:
        yield place, was


def _same_items(before: Sequence[object], after: Sequence[object], key: Key, place: FieldPath) -> list[tuple[int, int]]:
    numbers: dict[str | None, int] = {}
    for number, item in enumerate(after):
        if (name := key.of(item)) in numbers:
            raise ValueError(_TWICE.format(path=place, key=name))
        numbers[name] = number
    pairs = [(old, numbers.get(key.of(item)), key.of(item)) for old, item in enumerate(before)]
    for _, new, name in pairs:
        if new is None and not key.may_delete:
            raise ValueError(_GONE.format(path=place, key=name))
    return [(old, new) for old, new, _ in pairs if new is not None]
