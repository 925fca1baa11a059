"""The claims of an answer: the values of its marked fields, each with its path."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from decimal import Decimal
from types import UnionType
from typing import Annotated, Any, NotRequired, Required, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, RootModel, TypeAdapter
from typing_extensions import ReadOnly, TypeAliasType, get_type_hints, is_typeddict

from answergraph.evidence.marks import FromTools, Mark, Quote

_STEP = re.compile(r"""\.?(\w+)|\[(\d+)\]|\[(?:'([^']*)'|"([^"]*)")\]""")
_WRAPPERS = (Required, NotRequired, ReadOnly)


@dataclass(frozen=True)
class Claim:
    """One value that a tool result has to support."""

    path: str
    """The field of the answer, ``"findings[0].quote"``."""
    mark: Mark
    """Says how it is checked."""
    value: Any
    """A string or a number; anything else is unsupported."""
    problem: str | None = None
    """The reason why no result can support it, ``None`` if the results decide."""


def claims_of(answer: Any, declared: Any = None) -> list[Claim]:
    """Return the claims of an answer, in the order of its fields; ``declared`` is its type where the value does not tell it."""
    return list(dict.fromkeys(_walk(type(answer) if declared is None else declared, answer, "", ())))


def claims_by_path(answer: Any, marks: Mapping[str, Mark]) -> list[Claim]:
    """Return the claims of an answer in plain JSON, whose marks are given by the path of their field."""
    return [claim for path, mark in marks.items() for claim in _claims_of_marked(mark, _value_at(answer, path), path)]


def value_at(answer: Any, path: str) -> Any:
    """Return the value at a path such as ``"findings[0].quote"`` in an answer as JSON.

    Raises:
        LookupError: If the path leads nowhere.
    """
    value = answer
    for name, index, *keys in _STEP.findall(path):
        try:
            value = value[int(index)] if index and isinstance(value, list) else value[name or index or "".join(keys)]
        except (TypeError, KeyError, IndexError) as error:
            raise LookupError(path) from error
    return value


def _value_at(answer: Any, path: str) -> Any:
    try:
        return value_at(answer, path)
    except LookupError:
        return None


def tells_marks(declared: Any) -> bool:
    """Return whether the marks of a declared type can be found from its values alone, as for models and dataclasses."""
    annotation, marks = _unwrapped(declared)
    if marks or is_typeddict(get_origin(annotation) or annotation):
        return False
    arguments = get_args(annotation)
    return _is_record(get_origin(annotation) or annotation) or all(tells_marks(argument) for argument in arguments)


def _is_record(cls: Any) -> bool:
    return isinstance(cls, type) and (issubclass(cls, BaseModel) or is_dataclass(cls))


def _walk(annotation: Any, value: Any, path: str, marks: tuple[Mark, ...]) -> Iterator[Claim]:
    annotation, inner = _unwrapped(annotation)
    marks = (*marks, *inner)
    if marks:
        for mark in marks:
            yield from _claims_of_marked(mark, value, path)
    elif isinstance(value, BaseModel):
        yield from _walk_model(value, path)
    elif is_dataclass(value) and not isinstance(value, type):
        for name, hint in get_type_hints(type(value), include_extras=True).items():
            yield from _walk(hint, getattr(value, name, None), _joined(path, name), ())
    elif get_origin(annotation) in {Union, UnionType}:
        yield from _walk_union(annotation, value, path)
    elif is_typeddict(get_origin(annotation) or annotation):
        yield from _walk_typed_dict(annotation, value, path)
    else:
        yield from _walk_container(annotation, value, path)


def _walk_model(model: BaseModel, path: str) -> Iterator[Claim]:
    for name, field in type(model).model_fields.items():
        marks = tuple(data for data in field.metadata if isinstance(data, Quote | FromTools))
        where = path if isinstance(model, RootModel) else _joined(path, name)
        yield from _walk(field.annotation, getattr(model, name), where, marks)
    if model.model_extra:
        declared: Any = get_type_hints(type(model), include_extras=True).get("__pydantic_extra__")
        item_type = (get_args(declared) or [Any])[-1]
        for name, item in model.model_extra.items():
            yield from _walk(item_type, item, _joined(path, name), ())


def _walk_typed_dict(annotation: Any, value: Any, path: str) -> Iterator[Claim]:
    hints = get_type_hints(get_origin(annotation) or annotation, include_extras=True)
    for name, hint in hints.items():
        yield from _walk(hint, value.get(name) if isinstance(value, Mapping) else None, _joined(path, name), ())


def _walk_union(annotation: Any, value: Any, path: str) -> Iterator[Claim]:
    """Follow every alternative that the value fits; ``None`` fits any marked one."""
    for alternative in get_args(annotation):
        bare, marks = _unwrapped(alternative)
        if (marks and value is None) or _fits(bare, value):
            yield from _walk(alternative, value, path, ())


def _walk_container(annotation: Any, value: Any, path: str) -> Iterator[Claim]:
    # Without arguments the items' own types still tell.
    arguments = [argument for argument in get_args(annotation) if argument is not Ellipsis] or [Any]
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _walk(arguments[-1], item, f"{path}[{key!r}]", ())
    elif isinstance(value, list | tuple | set | frozenset):
        by_place = isinstance(value, tuple) and len(arguments) == len(value)
        yield from _too_few(_unwrapped(arguments[0])[1], len(value), path)
        for index, item in enumerate(_ordered(value)):
            yield from _walk(arguments[index if by_place else 0], item, f"{path}[{index}]", ())


def _claims_of_marked(mark: Mark, value: Any, path: str) -> Iterator[Claim]:
    if isinstance(value, list | tuple | set | frozenset):
        yield from _too_few((mark,), len(value), path)
        for index, item in enumerate(_ordered(value)):
            yield from _claims_of_item(mark, item, f"{path}[{index}]")
    elif isinstance(value, Mapping):
        yield from _too_few((mark,), len(value), path)
        for key, item in value.items():
            yield from _claims_of_item(mark, item, f"{path}[{key!r}]")
    elif not _is_blank(value) or mark.min_items:
        yield from _claims_of_item(mark, value, path)


def _claims_of_item(mark: Mark, value: Any, path: str) -> Iterator[Claim]:
    if isinstance(value, list | tuple):
        yield from _claims_of_marked(mark, value, path)
    else:
        yield Claim(path, mark, *_checkable(mark, value))


def _checkable(mark: Mark, value: Any) -> tuple[Any, str | None]:
    """Return the value in comparable form, and the problem with it."""
    if _is_blank(value):
        return None, "it is empty"
    if isinstance(mark, Quote) and not isinstance(value, str):
        return repr(value), "it is no text"
    if isinstance(mark, FromTools) and (isinstance(value, bool) or not isinstance(value, int | float | Decimal)):
        return repr(value), "it is no number"
    return value, None


def _too_few(marks: Iterable[Mark], count: int, path: str) -> Iterator[Claim]:
    for mark in marks:
        if count < mark.min_items:
            yield Claim(path, mark, None, f"it holds {count} items and needs at least {mark.min_items}")


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _ordered(values: Any) -> list[Any]:
    return sorted(values, key=str) if isinstance(values, set | frozenset) else list(values)


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _unwrapped(annotation: Any) -> tuple[Any, tuple[Mark, ...]]:
    """Return the bare type of an annotation, and the marks around it."""
    marks: list[Mark] = []
    while True:
        if get_origin(annotation) is Annotated:
            annotation, *metadata = get_args(annotation)
            marks += [data for data in metadata if isinstance(data, Quote | FromTools)]
        elif get_origin(annotation) in _WRAPPERS:
            annotation = get_args(annotation)[0]
        elif isinstance(annotation, TypeAliasType) or hasattr(annotation, "__supertype__"):
            annotation = annotation.__value__ if hasattr(annotation, "__value__") else annotation.__supertype__
        elif isinstance(annotation, TypeVar):
            annotation = annotation.__bound__ or Any
        else:
            return annotation, tuple(marks)


def _fits(annotation: Any, value: Any) -> bool:
    origin = get_origin(annotation) or annotation
    if origin is type(None) or value is None:
        return False
    if isinstance(origin, type) and not is_typeddict(origin):
        # A number's type may be another than the one declared: an int where a float is.
        return isinstance(value, origin) or (origin is float and isinstance(value, int))
    try:
        TypeAdapter(annotation).validate_python(value)
    except ValueError:
        return False
    return True
