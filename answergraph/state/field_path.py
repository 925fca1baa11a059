"""The name of a field of an answer: one type, one spelling."""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from enum import Enum
from typing import Any

from pydantic import RootModel
from pydantic_core import to_jsonable_python

from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.python_expression import parse_expression

_STEP = re.compile(r"""(?:\A|(?<=[\w\]])\.)([^\W\d]\w*)|\[(-?\d+)?\]|\[('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\]""")
_NUMBER = re.compile(r"0|-?[1-9][0-9]*")


class MappingKey(str):
    """A part of a path that is a key of a mapping, ``revenue['q1']``, and not a field of a record, ``revenue.q1``."""

    __slots__ = ()


class _EveryItem(str):
    __slots__ = ()


EVERY_ITEM = _EveryItem("[]")
"""A part of a path that stands for every item, ``items[].price``."""


class FieldPath(str):
    """The name of a field, ``revenue['q1'].rows[0].v``, in Python names of the declared type; a ``str``, so it is its own JSON.

    Example:
        >>> path = FieldPath('items[3]["unit price"]')
        >>> path.parts, path.pattern
        (('items', 3, 'unit price'), "items[]['unit price']")
        >>> path.get({"items": [{}, {}, {}, {"unit price": 12}]})
        12
    """

    __slots__ = ()

    def __new__(cls, path: str = "") -> FieldPath:
        """Read a path as one may write it in Python.

        Raises:
            AgentSpecError: If it is not a path.
        """
        return path if isinstance(path, FieldPath) else cls.of(*_parts(path))

    @classmethod
    def of(cls, *parts: str | int) -> FieldPath:
        """Return the path with these parts: a field's name, a ``MappingKey``, an item's number, ``EVERY_ITEM``."""
        return str.__new__(cls, "".join(map(_written, parts)).removeprefix("."))

    def __truediv__(self, part: str | int) -> FieldPath:
        """Return the path of a part of this field."""
        # Joined as text: a large answer has many fields.
        return str.__new__(FieldPath, f"{self}{_written(part)}" if self else _written(part).removeprefix("."))

    @property
    def parts(self) -> tuple[str | int, ...]:
        """The parts, as ``of`` takes them."""
        return tuple(_parts(self))

    @property
    def pattern(self) -> FieldPath:
        """The path of every such item: ``items[].price`` for ``items[3].price``."""
        return FieldPath.of(*(EVERY_ITEM if isinstance(part, int) else part for part in self.parts))

    @property
    def without_keys(self) -> FieldPath:
        """The path as it is if each mapping is a record: ``a.b[1]`` for ``a['b']['1']``."""
        if "'" not in self and '"' not in self:
            return self
        return FieldPath.of(*(int(part) if _NUMBER.fullmatch(str(part)) else str(part) for part in self.parts))

    def get(self, answer: object) -> Any:
        """Return the value of the field.

        Raises:
            LookupError: If the answer has no such field.
        """
        for part in self.parts:
            answer = value_of_part(answer, part)
        return answer


def json_at(answer: object, path: str) -> Any:
    """Return a field as JSON; ``None`` if the answer has none."""
    with suppress(LookupError):
        return to_jsonable_python(FieldPath(path).get(answer), by_alias=True, fallback=repr)


def value_of_part(whole: object, part: str | int) -> Any:
    """Return a part of a value; raise ``LookupError`` if it has none of this name."""
    if isinstance(whole, Mapping):
        return whole[key_named(whole, part)]
    items = items_in_order(whole)
    if items is not None and isinstance(part, int) and 0 <= part < len(items):
        return items[part]
    if isinstance(whole, RootModel):  # its value has no step of its own
        return value_of_part(whole.root, part)
    if items is None and isinstance(part, str) and hasattr(whole, part):
        return getattr(whole, part)
    raise LookupError(f"{type(whole).__name__} has no {part!r}")


def items_in_order(value: object) -> list[object] | None:
    """Return the items of a sequence or a set, always in the same order; ``None`` for any other value."""
    if isinstance(value, set | frozenset):
        return sorted(value, key=str)
    return list(value) if isinstance(value, list | tuple | deque) else None


def part_of_key(key: object) -> str | int:
    """Return the part of a path for a key of a mapping: a number or a text, as JSON has it."""
    bare = key.value if isinstance(key, Enum) else key
    return bare if isinstance(bare, int) and not isinstance(bare, bool) else MappingKey(bare)


def key_named(mapping: Mapping[object, object], part: str | int) -> Any:
    """Return the key that a part of a path names; raise ``LookupError`` if there is none."""
    if part in mapping:
        return part
    for key in mapping:
        # In JSON every key is a text.
        if str(part_of_key(key)) == str(part):
            return key
    raise LookupError(f"there is no {part!r} among the keys")


def _written(part: str | int) -> str:
    if isinstance(part, int):
        return f"[{part}]"
    if isinstance(part, _EveryItem):
        return str(part)
    return f".{part}" if part.isidentifier() and not isinstance(part, MappingKey) else f"[{part!r}]"


def _parts(path: str) -> Iterator[str | int]:
    end = 0
    with suppress(SyntaxError, ValueError):  # an escape that Python does not read
        while step := _STEP.match(path, end):
            name, number, key = step.groups()
            index = EVERY_ITEM if number is None else int(number)
            yield name or (MappingKey(ast.literal_eval(parse_expression(key))) if key else index)
            end = step.end()
    if end != len(path):
        raise AgentSpecError(f"{path!r} is not the path of a field; write one such as items[3].price or by_year['2025'].")
