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
        ValueError: If a path leads nowhere.
    """
    deleted: list[FieldPath] = []
    for path, value in changes:
        json_path, is_item = _by_index(data, path, keys)
        if is_item and value is None:
            deleted.append(json_path)
        else:
            data = with_changes(data, [Change(json_path, value)])
    for json_path in sorted(deleted, key=lambda each: -int(each.parts[-1])):
        *outer, index = json_path.parts
        items = FieldPath.of(*outer).get(data)
        data = with_changes(data, [Change(FieldPath.of(*outer), [*items[: int(index)], *items[int(index) + 1 :]])])
    return data


def _by_index(data: Any, path: FieldPath, keys: Keys) -> tuple[FieldPath, bool]:
    """Return a path with the indexes of items for their keys, of a new one at the end; and whether it names an item by key."""
    json_path, is_item = FieldPath(), False
    for part in path.parts:
        is_item = isinstance(data, list) and isinstance(part, str)
        step = _index(data, str(part), keys.get(json_path.pattern)) if is_item else part
        json_path = json_path / step
        try:
            data = value_of_part(data, step)
        except LookupError:
            data = None
    return json_path, is_item


def _index(items: Sequence[object], name: str, key: Key | None) -> int:
    return next((index for index, item in enumerate(items) if key is not None and key.of(item) == name), len(items))


def paired(
    before: object, after: object, keys: Keys, path: FieldPath = WHOLE, old_path: FieldPath = WHOLE
) -> Iterator[tuple[FieldPath, FieldPath]]:
    """Yield the path of each value that both answers have, with its path before; items with a key may have moved.

    Raises:
        ValueError: If an item is gone that may not be deleted, or two have one key.
    """
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for name in after:
            if name in before:
                yield from paired(before[name], after[name], keys, path / name, old_path / name)
    elif isinstance(before, list) and isinstance(after, list):
        key = keys.get(path.pattern)
        for old, new in enumerate(range(len(after))) if key is None else _same_items(before, after, key, path):
            if old < len(before):
                yield from paired(before[old], after[new], keys, path / new, old_path / old)
    elif before == after:
        yield path, old_path


def _same_items(before: Sequence[object], after: Sequence[object], key: Key, path: FieldPath) -> list[tuple[int, int]]:
    indexes: dict[str | None, int] = {}
    for index, item in enumerate(after):
        if (name := key.of(item)) in indexes:
            raise ValueError(_TWICE.format(path=path, key=name))
        indexes[name] = index
    pairs = [(old, indexes.get(key.of(item)), key.of(item)) for old, item in enumerate(before)]
    for _, new, name in pairs:
        if new is None and not key.may_delete:
            raise ValueError(_GONE.format(path=path, key=name))
    return [(old, new) for old, new, _ in pairs if new is not None]
