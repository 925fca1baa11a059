"""A snapshot sees every change in place, and nothing else."""

from __future__ import annotations

import copy
import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from functools import cached_property
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage
from pydantic import BaseModel, ConfigDict, PrivateAttr

from answergraph.runtime.snapshot import Snapshot
from tests.graphs.agent.scripted_agents import call, calls

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.text(max_size=3), parts, max_size=3),
    max_leaves=8,
)


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Row(BaseModel):
    model_config = ConfigDict(extra="allow")
    cells: list[Any] = []
    _note: list[str] = PrivateAttr(default_factory=list)

    @cached_property
    def width(self) -> int:
        return len(self.cells)


@dataclass
class Point:
    x: Any = 1
    parts: list[Any] = field(default_factory=list)


@dataclass(slots=True)
class Small:
    x: Any = 1


class Other:
    """Neither model nor dataclass."""

    def __init__(self) -> None:
        self.name = "a"


class Uncomparable:
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise ArithmeticError

    __hash__ = None  # type: ignore[assignment]  # as of arrays


@given(json_values)
def test_what_nobody_touches_is_unchanged(value: Any) -> None:
    assert Snapshot(value).is_of(value)


@given(json_values, json_values)
def test_json_that_is_written_otherwise_is_another(one: Any, other: Any) -> None:
    # Both printed forms tell 1 from 1.0 and True.
    assert Snapshot(one).is_of(copy.deepcopy(other)) is (repr(one) == repr(other) and "nan" not in repr(one))


CHANGES: list[tuple[str, Any, Callable[[Any], Any]]] = [
    ("an item", [1, 2], lambda value: value.append(3)),
    ("a type", [1], lambda value: value.__setitem__(0, True)),
    ("an item of an item", {"a": [{}]}, lambda value: value["a"][0].update(b=1)),
    ("a key", {"a": 1}, lambda value: value.update(b=value.pop("a"))),
    ("where a container is", {"a": 1, "b": []}, lambda value: value.update(a=[], b=1)),
    ("a set", {1}, lambda value: value.add(2)),
    ("a deque", deque([1]), lambda value: value.append(2)),
    ("a field", Row(), lambda value: value.cells.append(1)),
    ("another field", Row.model_validate({"more": [1]}), lambda value: value.more.append(2)),
    ("a private field", Row(), lambda value: value._note.append("x")),
    ("a dataclass", Point(), lambda value: value.parts.append(1)),
    ("a dataclass with slots", Small(), lambda value: setattr(value, "x", 2)),
    ("an object", [Other()], lambda value: setattr(value[0], "name", "b")),
    ("an enum", Point(Colour.RED), lambda value: setattr(value, "x", Colour.BLUE)),
    ("a date", Point(date(2026, 1, 1)), lambda value: setattr(value, "x", date(2026, 1, 2))),
    ("a message's text", AIMessage("a"), lambda value: setattr(value, "content", "b")),
    (
        "a call's arguments",
        calls(call("Row", {"cells": [1]})),
        lambda value: value.tool_calls[0]["args"]["cells"].append(2),
    ),
]


@pytest.mark.parametrize(("value", "change"), [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES])
def test_a_change_in_place_is_seen(value: Any, change: Callable[[Any], Any]) -> None:
    value = copy.deepcopy(value)
    taken = Snapshot(value)
    assert taken.is_of(value)
    change(value)
    assert not taken.is_of(value)


def test_a_cached_property_that_is_read_is_no_change() -> None:
    row = Row(cells=[1])
    taken = Snapshot(row)
    assert row.width == 1
    assert taken.is_of(row)


def test_not_a_number_that_stays_is_no_change() -> None:
    assert Snapshot(value := [math.nan]).is_of(value)


def test_a_value_that_holds_itself_is_walked_once() -> None:
    value: list[Any] = [1]
    value.append(value)
    assert Snapshot(value).is_of(value)


def test_a_value_nested_deeper_than_python_recurses_is_compared() -> None:
    value: Any = []
    for _ in range(10_000):
        value = [value]
    assert Snapshot(value).is_of(value)


def test_a_value_that_cannot_be_compared_counts_as_changed() -> None:
    assert not Snapshot([Uncomparable()]).is_of([Uncomparable()])


@pytest.mark.parametrize(("value", "is_long"), [("x" * 9, False), ("x" * 11, True), (["xx"] * 6, True), (list(range(20)), True)])
def test_long_texts_and_many_parts_are_long(value: Any, is_long: bool) -> None:
    assert Snapshot(value).is_longer_than(10) is is_long
