"""Says what to write instead of a type that cannot be described as JSON Schema, and which field is at fault."""

from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from inspect import isroutine
from typing import get_args, get_origin, get_type_hints

from pydantic import BaseModel, TypeAdapter

from answergraph.answers.schemas.type_description import NOT_DESCRIBED, AnswerJsonSchema
from answergraph.runtime.argument_checks import shown


def undescribable_field(declared: object) -> str:
    """Return the path of the first field without a JSON Schema, ``"items.price"``; empty if none is at fault alone."""
    if get_origin(declared):
        return next((f"{cls.__name__}.{path}" for cls in _classes_in(declared) if (path := undescribable_field(cls))), "")
    try:
        hints = get_type_hints(declared, include_extras=True)
    except (TypeError, NameError):
        return ""
    for name, hint in hints.items():
        try:
            TypeAdapter(hint).json_schema(schema_generator=AnswerJsonSchema)
        except NOT_DESCRIBED:
            inner = next((path for cls in _classes_in(hint) if (path := undescribable_field(cls))), "")
            return f"{name}.{inner}" if inner else name
    return ""


def _classes_in(hint: object) -> Iterator[type]:
    if isinstance(hint, type) and hasattr(hint, "__annotations__"):
        yield hint
    for part in get_args(hint):
        yield from _classes_in(part)


def advice_for(declared: object, is_schema: Callable[[object], bool], makes_formats: Callable[[type], bool]) -> str:
    """Return what to write instead of a value that is not a type, an empty text if that is not known."""
    cls = declared if isinstance(declared, type) else type(declared)
    if makes_formats(cls):
        if cls is declared:
            return f"This class must be called; write {cls.__name__}({'YourType' if cls.__name__.endswith('Strategy') else ''})."
        return "It is not an answer type; pass it as the response_format itself."
    if isinstance(declared, list):
        return _advice_for_list([shown(each) for each in declared], has_types=any(map(is_schema, declared)))
    if hasattr(declared, "bind_tools"):
        return "It is a model; write the model before the type of the answer."
    if cls is not declared and (isinstance(declared, BaseModel) or is_dataclass(declared)):
        return f"It is an instance; write {cls.__name__}, the class."
    return "Pass a function of (state, runtime) as the response_format itself." if isroutine(declared) else ""


def _advice_for_list(names: list[str], *, has_types: bool) -> str:
    if names and not has_types:
        return f"For one of these values write Literal[{', '.join(names)}]."
    first, *rest = names or ["YourType"]
    return f"For a list of answers write list[{first}], for one answer of several types {first} | {[*rest, 'OtherType'][0]}."
