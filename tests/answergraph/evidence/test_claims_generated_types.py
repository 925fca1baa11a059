"""Every field of an answer has one name, of the declared type; every field with evidence is supported, and no other is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import make_dataclass
from functools import partial
from itertools import count
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

import pytest
import typing_extensions
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import AliasChoices, AliasPath, BaseModel, Field, RootModel, TypeAdapter, create_model
from pydantic.alias_generators import to_camel

from answergraph import Quote, check_evidence
from answergraph.evidence import FromTools, ToolRun
from answergraph.evidence.claims import fields_of
from answergraph.state.field_path import FieldPath

ItemT = TypeVar("ItemT")
NAMES = st.sampled_from(["total_price", "quote", "by_year", "x", "größe", "json_", "items_", "root"])
KEYS = st.sampled_from(["q1", "a.b", "two words", "it's", '"', "[0]", "", "größe", "x"])


class Boxed(BaseModel, Generic[ItemT]):
    """A box."""

    in_box: ItemT


class Made(NamedTuple):
    """A type, how to make the JSON of a value of it, and which of its fields are marked."""

    declared: Any
    data: Any
    """A function of the numbers that were not given yet, to JSON."""
    marked: dict[str, bool]
    """Per path, whether the field is marked."""


def leaf(marked: bool) -> Made:
    declared = Annotated[int, FromTools()] if marked else int
    return Made(declared, next, {"": marked})


def text(marked: bool) -> Made:
    declared = Annotated[str, Quote()] if marked else str
    return Made(declared, lambda numbers: f"the sentence number {next(numbers)} of this log", {"": marked})


def below(part: str, made: Made) -> dict[str, bool]:
    return {f"{part}{path if not path or path.startswith('[') else f'.{path}'}": marked for path, marked in made.marked.items()}


def listed(made: Made, length: int, kind: Any = list) -> Made:
    marked = {path: each for place in range(length) for path, each in below(f"[{place}]", made).items()}
    return Made(kind[made.declared], lambda numbers: [made.data(numbers) for _ in range(length)], marked)


def mapped(made: Made, keys: list[str]) -> Made:
    marked = {path: each for key in keys for path, each in below(f"[{key!r}]", made).items()}
    return Made(dict[str, made.declared], lambda numbers: {key: made.data(numbers) for key in keys}, marked)  # type: ignore[name-defined]  # known at run time


def paired(one: Made, other: Made) -> Made:
    return Made(
        tuple[one.declared, other.declared],  # type: ignore[name-defined]  # known at run time
        lambda numbers: [one.data(numbers), other.data(numbers)],
        below("[0]", one) | below("[1]", other),
    )


def recorded(kind: str, fields: dict[str, Made]) -> Made:
    aliases = {name: to_camel(name) if kind in {"alias", "aliased dataclass"} else name for name in fields}
    given = {name: Annotated[made.declared, Field(alias=aliases[name])] for name, made in fields.items()}
    if kind.endswith("dataclass"):
        declared: Any = make_dataclass("Record", list(given.items()), namespace={"__module__": __name__})
    elif kind == "typed dict":
        declared = _typed_dict("Record", {name: made.declared for name, made in fields.items()})
    else:
        declared = create_model("Record", **{name: (each, ...) for name, each in given.items()})  # type: ignore[call-overload]  # known at run time
    marked = {path: each for name, made in fields.items() for path, each in below(name, made).items()}
    return Made(declared, lambda numbers: {aliases[name]: made.data(numbers) for name, made in fields.items()}, marked)


_typed_dict: Any = typing_extensions.TypedDict


def either(made: Made) -> Made:
    other = create_model("Other", never=(bool, ...))
    return Made(other | made.declared | None, made.data, made.marked)


def boxed(made: Made) -> Made:
    return Made(Boxed[made.declared], lambda numbers: {"in_box": made.data(numbers)}, below("in_box", made))  # type: ignore[name-defined]  # known at run time


def rooted(made: Made) -> Made:
    return Made(RootModel[made.declared], made.data, made.marked)  # type: ignore[name-defined]  # known at run time


def _containers(inner: st.SearchStrategy[Made], lists: tuple[Any, ...] = (list, Sequence)) -> st.SearchStrategy[Made]:
    kinds = st.sampled_from(["model", "alias", "dataclass", "aliased dataclass", "typed dict"])
    return st.one_of(
        st.builds(listed, inner, st.integers(1, 3), st.sampled_from(lists)),
        st.builds(mapped, inner, st.lists(KEYS, unique=True, max_size=3)),
        st.builds(paired, inner, inner),
        st.builds(recorded, kinds, st.dictionaries(NAMES, inner, min_size=1, max_size=3)),
        st.builds(either, inner),
        st.builds(boxed, inner),
        st.builds(rooted, inner),
    )


LEAVES = st.builds(leaf, st.booleans()) | st.builds(text, st.booleans())
TYPES = st.recursive(LEAVES, _containers, max_leaves=6)
# Pydantic checks a Sequence with a function, and what that does to JSON is not known.
TYPES_OF_JSON = st.recursive(LEAVES, partial(_containers, lists=(list,)), max_leaves=6)


@settings(max_examples=300, deadline=None)
@given(TYPES, st.data())
def test_every_field_with_evidence_is_supported_and_no_other_is(made: Made, data: st.DataObject) -> None:
    answer: Any = TypeAdapter(made.declared).validate_python(made.data(count(1001)))
    values = {path: FieldPath(path).get(answer) for path in made.marked}
    # A part of the marked values stands in the log, and all of the others.
    said = data.draw(st.sets(st.sampled_from(sorted(made.marked))) if made.marked else st.just(set()))
    texts = tuple(f"Line:\n{value}\nEnd." for path, value in values.items() if path in said)
    report = check_evidence(
        answer, [ToolRun("1", "read_log", {}, (text,)) for text in texts], declared=made.declared, fields="marked"
    )
    wanted = {
        path: "unchecked" if not marked else "supported" if path in said else "not_found" for path, marked in made.marked.items()
    }
    assert {path: record["status"] for path, record in report.fields.items()} == wanted
    assert list(report.fields) == list(wanted)
    assert all(bool(record["evidence"]) == (record["status"] == "supported") for record in report.fields.values())
    assert report.made_up == [path for path, status in wanted.items() if status == "not_found"]


@pytest.mark.parametrize("sequence", [list, Sequence, tuple])
def test_a_field_below_any_sequence_has_one_record(sequence: Any) -> None:
    row = mapped(recorded("typed dict", {"x": leaf(True), "quote": leaf(False)}), ["q1"])
    made = Made(sequence[(row.declared, ...) if sequence is tuple else row.declared], lambda n: [row.data(n)], below("[0]", row))
    answer: Any = TypeAdapter(made.declared).validate_python(made.data(count(1001)))
    report = check_evidence(answer, [ToolRun("1", "read_log", {}, ("1001",))], declared=made.declared, fields="marked")
    assert {path: record["status"] for path, record in report.fields.items()} == {
        "[0]['q1'].x": "supported",
        "[0]['q1'].quote": "unchecked",
    }


@settings(max_examples=100, deadline=None)
@given(TYPES_OF_JSON)
def test_an_answer_in_json_has_the_records_of_its_value(made: Made) -> None:
    data = made.data(count(1001))
    run = ToolRun("1", "read_log", {}, ("1001 of 1003",))
    value: Any = TypeAdapter(made.declared).validate_python(data)
    of_value, of_json = (check_evidence(each, [run], declared=made.declared, fields="marked") for each in (value, data))
    assert of_json.fields == of_value.fields


def test_json_has_each_field_once_under_any_alias() -> None:
    class Aliased(BaseModel):
        one: Annotated[int, FromTools()] = Field(alias="first")
        two: Annotated[int, FromTools()] = Field(validation_alias=AliasChoices("second", "zweite"))
        three: Annotated[int, FromTools()] = Field(validation_alias=AliasPath("rest", 0))
        four: Annotated[int, FromTools()] = Field(serialization_alias="fourth")
        never: bool

    # It lacks a field, and so is no answer of the type.
    data = {"first": 1001, "zweite": 1002, "rest": [1003], "fourth": 1004, "more": 1}
    report = check_evidence(data, [ToolRun("1", "count", {}, ("1001 1002 1003 1004",))], declared=Aliased, fields="marked")
    supported = dict.fromkeys(["one", "two", "three", "four"], "supported")
    assert {path: record["status"] for path, record in report.fields.items()} == {**supported, "['more']": "unchecked"}


def test_a_root_model_may_hold_a_field_called_root() -> None:
    made = rooted(recorded("typed dict", {"root": mapped(leaf(True), ["x"])}))
    assert FieldPath("root['x']").get(TypeAdapter(made.declared).validate_python(made.data(count(5)))) == 5


@settings(max_examples=100, deadline=None)
@given(TYPES)
def test_the_name_of_a_field_is_read_back_and_leads_to_its_value(made: Made) -> None:
    answer: Any = TypeAdapter(made.declared).validate_python(made.data(count(1)))
    for field in fields_of(answer, made.declared):
        assert FieldPath(str(field.path)) == field.path
        value = field.path.get(answer)
        while isinstance(value, RootModel):
            value = value.root
        assert value == field.value
