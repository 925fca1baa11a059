"""Every mark is checked, on every kind of type: its values are claims, or the type is refused while building."""

from collections import OrderedDict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, make_dataclass
from itertools import count
from typing import Annotated, Any, Generic, NamedTuple, NotRequired, TypeVar, Union

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Json,
    PlainValidator,
    RootModel,
    SkipValidation,
    TypeAdapter,
    WrapValidator,
    computed_field,
    create_model,
)
from pydantic_core import to_json
from typing_extensions import TypeAliasType, TypedDict

from answergraph import AgentSpecError, Quote, create_agent
from answergraph.middleware import GroundedAnswer, Input
from answergraph.testing import ScriptedChatModel
from tests.answergraph.evidence.marked_claims import claims_of

ItemT = TypeVar("ItemT")
Spec = Any
"""A kind of type with what it is made of: ``"marked"``, ``("list", spec)`` or ``("union", spec, spec)``."""


class Boxed(BaseModel, Generic[ItemT]):
    """A generic model."""

    item: ItemT


@dataclass
class Held(Generic[ItemT]):
    """A generic dataclass."""

    item: ItemT


class Drops:
    """An annotation that leaves out all other ones of its field."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return {"type": "any"}


class Wraps:
    """A class with a schema of its own around that of its argument."""

    def __init__(self, item: Any) -> None:
        self.item = item


@dataclass(frozen=True)
class WrapsSchema:
    """Makes the schema of ``Wraps``."""

    item: Any

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        inner = handler.generate_schema(self.item)
        return {"type": "function-after", "function": {"type": "no-info", "function": Wraps}, "schema": inner}


def computed(annotation: Any, value: Any) -> Any:
    def read(self: Any) -> Any:
        return value

    read.__annotations__ = {"return": annotation}
    return create_model("Computed", __base__=type("Base", (BaseModel,), {"read": computed_field(read), "__annotations__": {}}))


def named_tuple(annotation: Any) -> Any:
    return NamedTuple("Pair", [("item", annotation)])


def open_model(annotation: Any) -> Any:
    fields = {"__annotations__": {"__pydantic_extra__": dict[str, annotation]}, "model_config": {"extra": "allow"}}
    return type("Open", (BaseModel,), fields)


def of(origin: Any, *arguments: Any) -> Any:
    """Return a generic type of types that are known at run time only."""
    return origin[arguments if len(arguments) > 1 else arguments[0]]


def alias(annotation: Any) -> Any:
    return TypeAliasType("Alias", annotation)


def typed_dict(annotation: Any) -> Any:
    return TypedDict("Typed", {"item": annotation})  # type: ignore[operator]  # as above


WRAPPED: Any = Annotated[Wraps, WrapsSchema(list[Annotated[str, Quote()]])]

KINDS: Mapping[str, Any] = {
    "list": lambda t, v: (of(list, t), [v]),
    "sequence": lambda t, v: (of(Sequence, t), [v]),
    "deque": lambda t, v: (of(deque, t), [v]),
    "any number": lambda t, v: (of(tuple, t, ...), [v, v]),
    "pair": lambda t, v: (of(tuple, int, t), [1, v]),
    "dict": lambda t, v: (of(dict, str, t), {"k": v}),
    "mapping": lambda t, v: (of(Mapping, str, t), {"k": v}),
    "ordered": lambda t, v: (of(OrderedDict, str, t), {"k": v}),
    "optional": lambda t, v: (of(Union, t, None), v),
    "alias": lambda t, v: (alias(t), v),
    "model": lambda t, v: (create_model("Model", item=(t, ...)), {"item": v}),
    "default": lambda t, v: (create_model("Model", item=(of(Union, t, None), None)), {"item": v}),
    "generic model": lambda t, v: (of(Boxed, t), {"item": v}),
    "root model": lambda t, v: (of(RootModel, t), v),
    "open model": lambda t, v: (open_model(t), {"more": v}),
    "dataclass": lambda t, v: (make_dataclass("Data", [("item", t)]), {"item": v}),
    "generic dataclass": lambda t, v: (of(Held, t), {"item": v}),
    "typed dict": lambda t, v: (typed_dict(t), {"item": v}),
    "typed dict, not required": lambda t, v: (typed_dict(of(NotRequired, t)), {"item": v}),
    "json": lambda t, v: (of(Json, t), to_json(v).decode()),
    "validated after": lambda t, v: (of(Annotated, t, AfterValidator(lambda value: value)), v),
    "validated before": lambda t, v: (of(Annotated, t, BeforeValidator(lambda value: value)), v),
    "validated around": lambda t, v: (of(Annotated, t, WrapValidator(lambda value, handler: handler(value))), v),
}
"""Kinds whose values are searched: the type and a value, made from another type and value."""

REFUSED: Mapping[str, Any] = {
    "named tuple": lambda t, v: (named_tuple(t), [v]),
    "keys": lambda t, v: (of(dict, t, int), {v: 1}),
    "iterable": lambda t, v: (of(Iterable, t), [v]),
    "computed field": lambda t, v: (computed(t, v), {}),
    "not validated": lambda t, v: (of(Annotated, t, SkipValidation), v),
    "replaced": lambda t, v: (of(Annotated, t, PlainValidator(lambda value: value)), v),
    "left out": lambda t, v: (of(Annotated, t, Drops()), v),
    "as default": lambda t, v: (create_model("Model", item=(str, Quote())), {"item": "said by nobody"}),
}
"""Kinds whose values are not searched."""

MIXED: Mapping[str, Any] = {
    **KINDS,
    **REFUSED,
    "set": lambda t, v: (of(set, t), [v]),
    "frozen set": lambda t, v: (of(frozenset, t), [v]),
    "a schema of its own": lambda t, v: (of(Annotated, Wraps, WrapsSchema(t)), v),
}
PAIRS: Mapping[str, Any] = {
    "union": lambda a, b: (of(Union, a[0], b[0]), a[1]),
    "two fields": lambda a, b: (create_model("Two", a=(a[0], ...), b=(b[0], ...)), {"a": a[1], "b": b[1]}),
    "two places": lambda a, b: (of(tuple, a[0], b[0]), [a[1], b[1]]),
}


SWALLOWING = {"replaced", "not validated", "left out"}
"""Kinds that accept any value, so that they hide another alternative of a union."""


def kinds_of(spec: Spec) -> set[str]:
    return {spec} if isinstance(spec, str) else set().union(*map(kinds_of, spec))


def made(spec: Spec, numbers: Any) -> tuple[Any, Any]:
    """Return the type of a spec, and a value whose marked texts are numbered."""
    if spec == "marked":
        return Annotated[str, Quote()], f"quoted {next(numbers)}"
    if spec == "plain":
        return str, f"plain {next(numbers)}"
    kind, *parts = spec
    if kind == "union":
        assume(not SWALLOWING.intersection(kinds_of(parts[1])))
    types = [made(part, numbers) for part in parts]
    # The value may be one of an alternative without marks just as well: a list beside a tuple.
    assume(kind != "union" or "marked" in kinds_of(parts[1]) or not takes(types[1][0], types[0][1]))
    made_of: tuple[Any, Any] = PAIRS[kind](*types) if kind in PAIRS else MIXED[kind](*types[0])
    return made_of


def takes(declared: Any, value: Any) -> bool:
    try:
        TypeAdapter(declared).validate_python(value)
    except (TypeError, ValueError):
        return False
    return True


def quotes_in(value: Any) -> set[str]:
    """Return the marked texts in a value, wherever they are; a wrapper of another class is looked into."""
    if isinstance(value, str):
        return {value} if value.startswith("quoted") else set()
    if isinstance(value, Mapping):
        return set().union(*map(quotes_in, [*value, *value.values()]))
    if isinstance(value, list | tuple | set | frozenset | deque):
        return set().union(*map(quotes_in, value))
    more = getattr(value, "model_extra", None) or {}
    return quotes_in([*vars(value).values(), *more.values()]) if hasattr(value, "__dict__") else set()


def is_refused(declared: Any) -> bool:
    try:
        create_agent(ScriptedChatModel(replies=[]), response_format=declared, middleware=[GroundedAnswer(sources=Input())])
    except AgentSpecError:
        return True
    return False


SPECS: st.SearchStrategy[Spec] = st.recursive(
    st.sampled_from(["marked", "marked", "plain"]),
    lambda inner: st.tuples(st.sampled_from([*MIXED]), inner) | st.tuples(st.sampled_from([*PAIRS]), inner, inner),
    max_leaves=4,
)


@example(spec=("union", ("left out", ("model", "marked")), "marked"))
@example(spec=("a schema of its own", ("union", ("list", "marked"), ("a schema of its own", "plain"))))
@given(spec=SPECS)
@settings(max_examples=120)
def test_no_mark_stays_unchecked_without_an_error(spec: Spec) -> None:
    try:
        annotation, value = made(spec, count())
        answer_type = create_model("Answer", f=(annotation, ...))
        answer = TypeAdapter(answer_type).validate_python({"f": value})
    except (TypeError, ValueError):
        assume(False)  # a key or an item of a set without a hash, a union of which one alternative hides the other
    if not is_refused(answer_type):
        claims = claims_of(answer)
        # A claim with a problem rejects the answer, whatever the others are.
        assert quotes_in(answer) <= {claim.value for claim in claims} or any(claim.problem for claim in claims)


def answer_of(kind: str) -> tuple[type[BaseModel], Any]:
    annotation, value = MIXED[kind](Annotated[str, Quote()], "quoted")
    return create_model("Answer", f=(annotation, ...)), value


@pytest.mark.parametrize("kind", KINDS)
def test_a_mark_is_found_in_the_values_of_each_common_kind_of_type(kind: str) -> None:
    declared, value = answer_of(kind)
    assert not is_refused(declared)
    assert {claim.value for claim in claims_of(declared(f=value))} == {"quoted"}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_mark_where_no_value_is_looked_at_is_refused(kind: str) -> None:
    assert is_refused(answer_of(kind)[0])


def test_what_is_made_into_something_else_has_no_support() -> None:
    answer_type, value = create_model("Answer", f=(WRAPPED, ...)), ["quoted"]
    assert [claim.problem for claim in claims_of(answer_type(f=value))] == ["its parts cannot be read"]


def test_a_field_may_have_a_name_that_schemas_use_themselves() -> None:
    answer_type = create_model("Answer", schema_ref=(Annotated[str, Quote()], ...), type=(str, ""), definitions=(str, ""))
    assert not is_refused(create_model("Outer", answers=(list[answer_type], ...)))  # type: ignore[valid-type]  # made above


def test_a_value_that_fits_no_alternative_is_checked_as_each() -> None:
    class Answer(BaseModel):
        f: Annotated[str, Quote()] | int = field(default=0)

    answer = Answer.model_construct(f=b"said by nobody")
    assert [claim.problem for claim in claims_of(answer)] == ["it is not a string"]


def test_types_that_refer_to_each_other_are_read_once() -> None:
    names = [f"Node{number}" for number in range(8)]  # 40,000 ways through them
    space: dict[str, Any] = {}
    for name in names:
        hints = {"quote": Annotated[str, Quote()], **{other.lower(): f"{other} | None" for other in names}}
        space[name] = type(name, (BaseModel,), {"__annotations__": hints, **{other.lower(): None for other in names}})
    for name in names:
        space[name].model_rebuild(_types_namespace=space)
    assert not is_refused(space["Node0"])


@pytest.mark.parametrize("options", [{}, {"on_doubt": "omit"}])
def test_types_that_refer_to_each_other_are_read_once_for_all_their_fields(options: dict[str, Any]) -> None:
    names = [f"Leaf{number}" for number in range(12)]  # a thousand million ways through them
    space: dict[str, Any] = {}
    for name in names:
        hints = {other.lower(): f"{other} | None" for other in names}
        space[name] = type(name, (BaseModel,), {"__annotations__": hints, **dict.fromkeys(hints)})
    for name in names:
        space[name].model_rebuild(_types_namespace=space)
    checker = GroundedAnswer(sources=Input(), fields="all", **options)
    assert create_agent(ScriptedChatModel(replies=[]), response_format=space["Leaf0"], middleware=[checker])
