"""Answers are stored as JSON and restored unchanged; values that JSON cannot restore are stored themselves."""

import copy
import json
import pickle
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter, itemgetter
from typing import Any

import ormsgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, SecretStr, TypeAdapter, create_model
from typing_extensions import TypedDict

from answergraph.answers.schemas.schema_kinds import answer_schemas
from answergraph.answers.storage.answer_channel import AnswerCodec, UnreadableAnswer
from answergraph.errors import StoredAnswerError


class Point(BaseModel):
    """A point."""

    x: int
    y: float = 0.0


class Spot(BaseModel):
    """Has the fields of a point, and one optional field."""

    x: int
    y: float = 0.0
    name: str | None = None


@dataclass
class Meeting:
    """A meeting."""

    at: datetime
    with_whom: list[str]


class Trip(TypedDict):
    """A trip."""

    leaves: datetime


class Login(BaseModel):
    """Values that JSON does not have."""

    password: SecretStr


class Loose(BaseModel):
    """Takes anything."""

    anything: Any = None


class Stricter(BaseModel):
    """A later version of ``Point``."""

    x: int
    y: float
    colour: str


Stricter.__name__ = "Point"
GROWN = create_model("Point", __base__=Spot)
ANYTHING = {"title": "Anything", "type": "object", "properties": {}}


def stored(*declared: Any) -> AnswerCodec:
    return AnswerCodec(answer_schemas(declared))


def elsewhere(codec: AnswerCodec) -> AnswerCodec:
    """Return the codec of another process, which has not written anything yet."""
    return AnswerCodec(codec.schemas)


POINT = stored(Point)
ALL = stored(Point, Meeting, Trip, Loose)

numbers = st.floats(allow_nan=True) | st.integers(min_value=-(2**63), max_value=2**63 - 1)
moments = st.datetimes().map(lambda moment: moment.replace(fold=0))  # ISO 8601 has no fold
points = st.builds(Point, x=st.integers(min_value=-(2**63), max_value=2**63 - 1), y=st.floats())
meetings = st.builds(Meeting, at=moments, with_whom=st.lists(st.text()))
trips = st.fixed_dictionaries({"leaves": moments})
json_values = st.recursive(
    st.none() | st.booleans() | numbers | st.text(),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.text(max_size=3), parts, max_size=3),
    max_leaves=8,
)
looses = st.builds(Loose, anything=json_values | st.tuples(json_values) | st.binary())
answers = points | meetings | trips | looses


def text(value: Any) -> str:
    # NaN differs from itself, and 1 equals 1.0 and True; their printed forms differ.
    return repr(value)


@given(answers)
def test_an_answer_comes_back_from_a_checkpoint_as_it_was(answer: Any) -> None:
    assert text(ALL.from_checkpoint(ALL.to_checkpoint(answer))) == text(answer)


@given(answers)
def test_an_answer_is_what_was_written(answer: Any) -> None:
    assert text(elsewhere(ALL).from_write(ALL.to_write(answer))) == text(answer)


@given(points)
def test_the_only_schema_needs_no_name_in_what_is_written(point: Point) -> None:
    assert text(elsewhere(POINT).from_write(POINT.to_write(point))) == text(point)
    assert POINT.to_write(point).keys() == {"x", "y"}


@given(json_values | st.dictionaries(st.sampled_from(["answergraph", "value", "schema", "x", "y"]), json_values, max_size=3))
def test_a_value_that_is_not_an_answer_loses_nothing(value: Any) -> None:
    back = POINT.from_checkpoint(POINT.to_checkpoint(value))
    if isinstance(back, Point):
        assert value.items() <= back.model_dump().items()
    else:
        assert text(back) == text(value)


@given(st.builds(Point, x=st.integers(-9, 9), y=st.floats(allow_nan=False)) | meetings | trips)
def test_what_goes_into_a_checkpoint_is_plain(answer: Any) -> None:
    kept = ALL.to_checkpoint(answer)
    assert ormsgpack.unpackb(ormsgpack.packb(kept)) == kept == json.loads(json.dumps(kept))


@pytest.mark.parametrize(
    "value",
    [Login(password=SecretStr("hush")), Point.model_construct(x="no number"), Spot(x=1), "text", 3, [1], {"x": 1, "unknown": 2}],
    ids=["not sayable in JSON", "not valid", "of another class", "a text", "a number", "a list", "a field too many"],
)
def test_a_value_that_json_would_change_is_stored_unchanged(value: Any) -> None:
    answers = stored(Point, Login) if isinstance(value, Login) else POINT
    assert answers.to_write(value) is value
    assert answers.to_checkpoint(value) is value
    assert answers.from_checkpoint(value) is value


@pytest.mark.parametrize("written", [{"x": 1, "y": 2.0}, {"x": 1, "y": 2}, {"y": 2.0, "x": 1.0}])
def test_json_that_fits_becomes_the_declared_type(written: Any) -> None:
    assert POINT.from_write(written) == Point(x=1, y=2.0)


def test_defaults_may_be_left_out_of_json_that_is_written() -> None:
    assert POINT.from_write({"x": 1}) == Point(x=1)


def test_of_several_schemas_the_named_or_the_only_fitting_one_is_taken() -> None:
    either = stored(Point, Spot)
    assert either.to_write(Spot(x=1)) == {"schema": "Spot", "value": {"x": 1, "y": 0.0, "name": None}}
    assert either.from_write({"schema": "Spot", "value": {"x": 1}}) == Spot(x=1)
    assert either.from_write({"x": 1, "name": "home"}) == Spot(x=1, name="home")
    assert either.from_write({"x": 1}) == {"x": 1}, "both fit, so it is left as it is"
    assert either.from_write({"schema": "Missing", "value": {}}) == {"schema": "Missing", "value": {}}


def test_a_field_that_was_added_with_a_default_does_no_harm() -> None:
    loaded = stored(GROWN).from_checkpoint(POINT.to_checkpoint(Point(x=1)))
    assert (type(loaded), loaded.x, loaded.name) == (GROWN, 1, None)


def test_a_schema_that_was_renamed_still_loads_what_it_holds() -> None:
    assert stored(Spot).from_checkpoint(POINT.to_checkpoint(Point(x=1))) == Spot(x=1)


@pytest.mark.parametrize(
    ("now", "problem"), [(Stricter, "colour\n  Field required"), (Meeting, "only \\['Meeting'\\]")], ids=["changed", "gone"]
)
def test_an_answer_that_no_longer_fits_is_an_error_that_names_the_field_where_it_is_used(now: Any, problem: str) -> None:
    kept = POINT.to_checkpoint(Point(x=1))
    loaded = stored(now).from_checkpoint(kept)
    assert isinstance(loaded, UnreadableAnswer)
    for use in (attrgetter("x"), itemgetter("x")):
        with pytest.raises(StoredAnswerError, match=problem) as raised:
            use(loaded)
        assert (raised.value.schema, raised.value.data) == ("Point", {"x": 1, "y": 0.0})
    assert not hasattr(loaded, "model_dump")
    assert stored(now).to_checkpoint(loaded) == kept, "nothing is lost to a program that still has the schema"
    assert stored(now).from_write(loaded) is loaded
    assert copy.deepcopy(loaded) == pickle.loads(pickle.dumps(loaded)) == loaded
    assert b'"data":{"x":1,"y":0.0}' in TypeAdapter(Any).dump_json({"structured_response": loaded}), "a server can send it"


def test_what_a_plain_channel_stored_is_read_as_well() -> None:
    assert POINT.from_checkpoint(Point(x=1)) == Point(x=1)
    assert POINT.from_checkpoint({"x": 1, "y": 2.0}) == Point(x=1, y=2.0), (
        "strict msgpack hands out a class it may not import as a dict"
    )


def test_a_json_schema_keeps_its_values_as_they_are() -> None:
    anything = stored(ANYTHING)
    assert anything.from_checkpoint(anything.to_checkpoint({"a": [1]})) == {"a": [1]}
