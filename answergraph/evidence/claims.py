"""The fields of an answer, each with its path, and the claims among them: the values that a source has to support."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any

from pydantic import BaseModel, RootModel, TypeAdapter
from pydantic_core import PydanticSerializationError, to_jsonable_python

from answergraph.answers.schemas.answer_schema import TypeValidator
from answergraph.evidence.marked_type import MarkedType, marked_type, marks_on
from answergraph.evidence.marks import SCALARS, Derived, FromTools, Grounded, Mark, Quote, SupportedBy
from answergraph.evidence.schema_parts import (
    CONVERTING,
    RECORDS,
    SEQUENCES,
    CoreSchema,
    Part,
    is_container,
    items_of,
    path_of_part,
)
from answergraph.evidence.values.finder import Choice
from answergraph.runtime.errors import AgentSpecError
from answergraph.state.field_path import EVERY_ITEM, FieldPath, items_in_order, key_named, part_of_key


@dataclass(frozen=True)
class Claim:
    """One field of an answer: its value, and the mark that asks for support."""

    path: FieldPath
    mark: Mark | None
    """How it is checked; ``None``: not at all."""
    value: Any
    """A string or a number; any other value is unsupported."""
    problem: str | None = None
    """Why no result can support it, ``None`` if the results decide."""


def fields_of(answer: object, declared: Any = None) -> list[Claim]:
    """Return the filled fields of an answer in the order of its type, marked or not, and the empty ones that need support.

    ``declared`` is the type if that is not the class of the value.
    """
    if isinstance(answer, type):
        raise AgentSpecError(f"answer={answer.__name__} is a class; write an answer, {answer.__name__}(…).")
    if declared is None:
        return _each_once(_fields_of_value(answer, FieldPath(), is_json=True))
    marked = marked_type(declared)
    if not marked.fits(marked.root, answer):
        # JSON, whose names need not be those of the type; what does not fit the type is read as it is.
        with suppress(Exception):  # validators run user code
            answer = TypeValidator(TypeAdapter(declared)).validate(answer)
    return _each_once(_walk(marked, marked.root, answer, FieldPath()))


def fields_by_path(answer: object, marks: Mapping[str, Mark]) -> list[Claim]:
    """Return the fields of a JSON answer for marks by path; an item in a path stands for every item."""
    places: dict[FieldPath, tuple[Mark, object]] = {}
    for written, mark in marks.items():
        path = FieldPath(written)
        named = list(_values_at(answer, path.parts, FieldPath()))
        if EVERY_ITEM not in path.parts or not named:
            places.setdefault(path, (mark, None))  # what is not there has no support
        places |= {where: (mark, value) for where, value in named}
    claims = [
        claim
        for path, (mark, value) in places.items()
        for claim in _claims_of_marked(mark, _number(value) if isinstance(mark, FromTools | Derived) else value, path)
    ]
    return _each_once([*claims, *_fields_of_value(answer, FieldPath(), is_json=True)])


def _each_once(fields: Iterable[Claim]) -> list[Claim]:
    """Return fields that were reached in several ways once, by their mark if they have one."""
    each: dict[tuple[FieldPath, Mark | None, str | None], Claim] = {}
    checked = set[FieldPath]()
    for field in fields:
        # What no type describes does not say which keys are names of fields: `a['b']` may be `a.b`, and `a['1']` `a[1]`.
        name = field.path.without_keys
        each.setdefault((name, field.mark, field.problem), field)
        if field.mark is not None:
            checked.add(name)
    return [field for (name, mark, _), field in each.items() if mark is not None or name not in checked]


def _values_at(value: object, parts: Sequence[str | int], path: FieldPath) -> Iterator[tuple[FieldPath, object]]:
    if not parts:
        yield path, value
    elif isinstance(value, list) and (isinstance(parts[0], int) or parts[0] is EVERY_ITEM):
        for number, item in enumerate(value):
            yield from _values_at(item, parts[1:], path / number)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if parts[0] is EVERY_ITEM or str(key) == str(parts[0]):
                yield from _values_at(item, parts[1:], path / (part_of_key(key) if parts[0] is EVERY_ITEM else parts[0]))


def default_at(answer: object, path: str) -> Any:
    """Return the default of a field of a model or dataclass.

    Raises:
        LookupError: If the field has none.
    """
    *outer, name = FieldPath(path).parts or ("",)
    record = FieldPath.of(*outer).get(answer)
    if isinstance(record, BaseModel) and (own := type(record).model_fields.get(str(name))) and not own.is_required():
        return own.get_default(call_default_factory=True)
    if is_dataclass(record):
        for field in (each for each in fields(record) if each.name == name):
            if field.default is not MISSING:
                return field.default
            if field.default_factory is not MISSING:
                return field.default_factory()
    raise LookupError(f"{path} has no default")


def with_value(whole: Any, parts: Sequence[str | int], value: object) -> Any:
    """Return a copy of an answer with another value at a path."""
    if not parts:
        return value
    if isinstance(whole, RootModel):
        return whole.model_copy(update={"root": with_value(whole.root, parts, value)})
    if isinstance(whole, Mapping):
        key = key_named(whole, parts[0])
        return {**whole, key: with_value(whole[key], parts[1:], value)}
    if (items := items_in_order(whole)) is not None:
        number = int(parts[0])
        items[number] = with_value(items[number], parts[1:], value)
        return type(whole)(items)
    name = str(parts[0])
    inner = with_value(getattr(whole, name), parts[1:], value)
    return whole.model_copy(update={name: inner}) if isinstance(whole, BaseModel) else replace(whole, **{name: inner})


def _number(value: object) -> object:
    """Return a number that is a string in JSON, such as a ``Decimal``."""
    try:
        return Decimal(value) if isinstance(value, str) else value
    except InvalidOperation:
        return value


def _fields_of_value(value: Any, path: FieldPath, *, is_json: bool = False) -> Iterator[Claim]:
    """Yield the fields of a value that no type describes, and of the models and dataclasses in it.

    In JSON, the keys of an object are the names of fields.
    """
    if _is_record(value):
        own = marked_type(value.__class__)
        yield from _walk(own, own.root, value, path)
    elif is_container(value):
        items = value.items() if is_json and isinstance(value, Mapping) else items_of(value)
        for name, item in items:
            yield from _fields_of_value(item, path_of_part(path, name), is_json=is_json)
    elif not _is_blank(value):
        yield Claim(path, None, value)


def _is_record(value: object) -> bool:
    return isinstance(value, BaseModel) or (is_dataclass(value) and not isinstance(value, type))


def _walk(marked: MarkedType, schema: CoreSchema, value: object, path: FieldPath, *, replaced: bool = False) -> Iterator[Claim]:
    replaced = schema["type"] in CONVERTING or (replaced and schema["type"] not in RECORDS)
    if (schema["type"], type(value)) == ("literal", str):
        value = Choice(value)
    for mark in marks_on(schema):
        yield from _claims_of_marked(mark, value, path)
    parts = marked.parts_of(schema, value, made=not replaced)
    for part in parts:
        yield from _walk_part(marked, part, value, path, replaced=replaced and part.name is None)
    # A value of a subclass may have more fields, and marks.
    is_of_subclass = schema["type"] in RECORDS and isinstance(value, schema["cls"]) and value.__class__ is not schema["cls"]
    if (is_of_subclass or not parts) and not _has_own_type(marked, value):
        yield from _fields_of_value(value, path)
    elif not parts:
        yield Claim(path, None, value)  # a class with a schema of its own


def _has_own_type(marked: MarkedType, value: Any) -> bool:
    return _is_record(value) and marked is marked_type(value.__class__)


def _walk_part(marked: MarkedType, part: Part, value: object, path: FieldPath, *, replaced: bool) -> Iterator[Claim]:
    if isinstance(value, part.shape):
        if part.shape is SEQUENCES:
            yield from _too_few(marked.outer_marks(part.schema), value, path)
            for mark in () if value else marked.marks_in_items(part.schema)[:1]:
                yield Claim(path, mark, None, "it holds no item and needs at least one")
        for name, item in part.of_value(value):
            yield from _walk(marked, part.schema, item, path_of_part(path, name), replaced=replaced)
    elif value is not None:
        # A validator has replaced the value.
        yield from (Claim(path, mark, repr(value), "its parts cannot be read") for mark in marked.marks_below(part.schema)[:1])
        yield from _fields_of_value(value, path)


def _claims_of_marked(mark: Mark, value: object, path: FieldPath) -> Iterator[Claim]:
    if is_container(value):
        yield from _too_few((mark,), value, path)
        for name, item in items_of(value):
            where = path_of_part(path, name)
            nested = is_container(item) and not isinstance(item, Mapping)
            yield from _claims_of_marked(mark, item, where) if nested else [claim_of(where, mark, item)]
    elif not _is_blank(value) or mark.min_items:
        yield claim_of(path, mark, value)


def claim_of(path: FieldPath, mark: Mark, value: object) -> Claim:
    """Return what a mark claims of one value, or why no source can support it."""
    return Claim(path, mark, *_checkable(mark, value))


def _checkable(mark: Mark, value: object) -> tuple[object, str | None]:
    if _is_blank(value):
        return None, "it is empty"
    if isinstance(mark, Quote) and not isinstance(value, str):
        return repr(value), "it is not a string"
    if isinstance(mark, FromTools | Derived) and (isinstance(value, bool) or not isinstance(value, int | float | Decimal)):
        return repr(value), "it is not a number"
    if isinstance(mark, Grounded | SupportedBy):
        value = scalar_of(value)
        if not isinstance(value, SCALARS):
            return repr(value), "it is neither text nor a number, date, time, bool or enum"
    return value, None


def scalar_of(value: object) -> object:
    """Return what can be looked up of a value: of a URL, a path or an address its text, which is also its JSON."""
    if isinstance(value, SCALARS) or hasattr(value, "get_secret_value"):
        return value
    with suppress(PydanticSerializationError):
        return text if isinstance(text := to_jsonable_python(value), str) and text == str(value) else value
    return value


def _too_few(marks: Sequence[Mark], items: Any, path: FieldPath) -> Iterator[Claim]:
    """Yield the marks that ask for more items than a list holds; a quote that is given twice supports once."""
    count = len(items)
    if any(isinstance(mark, Quote) for mark in marks) and not isinstance(items, Mapping):
        count = len({" ".join(item.split()) if isinstance(item, str) else repr(item) for item in items})
    for mark in marks:
        if count < mark.min_items:
            kind = "different quotes" if isinstance(mark, Quote) and count else "items"
            yield Claim(path, mark, None, f"it holds {count} {kind} and needs at least {mark.min_items}")


def _is_blank(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())
