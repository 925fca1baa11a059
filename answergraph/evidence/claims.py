"""The claims of an answer: the values of its marked fields, each with its path."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass, replace
from decimal import Decimal, InvalidOperation
from re import Match
from typing import Any

from pydantic import BaseModel, RootModel

from answergraph.evidence.marked_type import MarkedType, marked_type, marks_on
from answergraph.evidence.marks import FromTools, Mark, Quote
from answergraph.evidence.schema_parts import SEQUENCES, CoreSchema, Part, is_container, items_of, joined

_STEP = re.compile(r"""\.?(\w+)|\[(\d+)\]|\[(?:'([^']*)'|"([^"]*)")\]""")


@dataclass(frozen=True)
class Claim:
    """One value that a tool result has to support."""

    path: str
    """The field of the answer, ``"findings[0].quote"``."""
    mark: Mark
    """How it is checked."""
    value: Any
    """A string or a number; any other value is unsupported."""
    problem: str | None = None
    """Why no result can support it, ``None`` if the results decide."""


def claims_of(answer: Any, declared: Any = None) -> list[Claim]:
    """Return the claims of an answer in field order; ``declared`` is its type if that is not the class of the value."""
    if declared is None:
        return list(dict.fromkeys(_claims_of_records(answer, "")))
    marked = marked_type(declared)
    return list(dict.fromkeys(_walk(marked, marked.root, answer, "")))


def claims_by_path(answer: Any, marks: Mapping[str, Mark]) -> list[Claim]:
    """Return the claims of a JSON answer for marks by field path; an index in a path stands for every item."""
    places: dict[str, tuple[Mark, Any]] = {path: (mark, None) for path, mark in marks.items()}
    for path, mark in marks.items():
        places |= {where: (mark, value) for where, value in _values_at(answer, list(_STEP.finditer(path)), "")}
    return [
        claim
        for path, (mark, value) in places.items()
        for claim in _claims_of_marked(mark, _number(value) if isinstance(mark, FromTools) else value, path)
    ]


def _values_at(value: Any, steps: Sequence[Match[str]], path: str) -> Iterator[tuple[str, Any]]:
    if not steps:
        yield path, value
        return
    name, index, *keys = steps[0].groups(default="")
    if index and isinstance(value, list):
        for place, item in enumerate(value):
            yield from _values_at(item, steps[1:], f"{path}[{place}]")
    elif isinstance(value, Mapping) and (key := name or index or "".join(keys)) in value:
        yield from _values_at(value[key], steps[1:], path + steps[0].group())


def with_value(answer: Any, path: str, value: Any) -> Any:
    """Return a copy of an answer with another value at a path."""
    return _with_value(answer, list(_STEP.finditer(path)), value)


def _with_value(whole: Any, steps: Sequence[Match[str]], value: Any) -> Any:
    if not steps:
        return value
    if isinstance(whole, RootModel):
        return whole.model_copy(update={"root": _with_value(whole.root, steps, value)})
    name, index, *keys = steps[0].groups(default="")
    key = name or "".join(keys)
    if is_container(whole) and not isinstance(whole, Mapping):
        items = [item for _, item in items_of(whole)]
        items[int(index)] = _with_value(items[int(index)], steps[1:], value)
        return type(whole)(items)
    inner = _with_value(whole[key] if isinstance(whole, Mapping) else getattr(whole, key), steps[1:], value)
    if isinstance(whole, BaseModel):
        return whole.model_copy(update={key: inner})
    return {**whole, key: inner} if isinstance(whole, Mapping) else replace(whole, **{key: inner})


def _number(value: Any) -> Any:
    """Return a number that is a string in JSON, such as a ``Decimal``."""
    try:
        return Decimal(value) if isinstance(value, str) else value
    except InvalidOperation:
        return value


def _claims_of_records(value: Any, path: str) -> Iterator[Claim]:
    """Yield the claims of the models and dataclasses in a value."""
    if _is_record(value):
        own = marked_type(value.__class__)
        yield from _walk(own, own.root, value, path)
    elif is_container(value):
        for step, item in items_of(value):
            yield from _claims_of_records(item, joined(path, step))


def _is_record(value: Any) -> bool:
    return isinstance(value, BaseModel) or (is_dataclass(value) and not isinstance(value, type))


def _walk(marked: MarkedType, schema: CoreSchema, value: Any, path: str) -> Iterator[Claim]:
    for mark in marks_on(schema):
        yield from _claims_of_marked(mark, value, path)
    parts = marked.parts(schema)
    if "choices" in schema and value is not None:
        # A value that fits no alternative may be any of them.
        parts = [part for part in parts if marked.fits(part.schema, value)] or parts
    for part in parts:
        yield from _walk_part(marked, part, value, path)
    if not parts or (_is_record(value) and marked is not marked_type(value.__class__) and type(value) is not schema.get("cls")):
        yield from _claims_of_records(value, path)


def _walk_part(marked: MarkedType, part: Part, value: Any, path: str) -> Iterator[Claim]:
    if isinstance(value, part.shape):
        if part.shape is SEQUENCES:
            yield from _too_few(marked.outer_marks(part.schema), len(value), path)
        for step, item in part.of_value(value):
            yield from _walk(marked, part.schema, item, joined(path, step))
    elif value is not None:
        # A validator has replaced the value.
        yield from (Claim(path, mark, repr(value), "its parts cannot be read") for mark in marked.marks_below(part.schema)[:1])


def _claims_of_marked(mark: Mark, value: Any, path: str) -> Iterator[Claim]:
    if is_container(value):
        yield from _too_few((mark,), len(value), path)
        for step, item in items_of(value):
            nested = is_container(item) and not isinstance(item, Mapping)
            yield from _claims_of_marked(mark, item, f"{path}{step}") if nested else [_claim(f"{path}{step}", mark, item)]
    elif not _is_blank(value) or mark.min_items:
        yield _claim(path, mark, value)


def _claim(path: str, mark: Mark, value: Any) -> Claim:
    return Claim(path, mark, *_checkable(mark, value))


def _checkable(mark: Mark, value: Any) -> tuple[Any, str | None]:
    if _is_blank(value):
        return None, "it is empty"
    if isinstance(mark, Quote) and not isinstance(value, str):
        return repr(value), "it is not a string"
    if isinstance(mark, FromTools) and (isinstance(value, bool) or not isinstance(value, int | float | Decimal)):
        return repr(value), "it is not a number"
    return value, None


def _too_few(marks: Iterable[Mark], count: int, path: str) -> Iterator[Claim]:
    for mark in marks:
        if count < mark.min_items:
            yield Claim(path, mark, None, f"it holds {count} items and needs at least {mark.min_items}")


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())
