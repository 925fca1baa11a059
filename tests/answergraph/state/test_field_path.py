"""The name of a field: one spelling for every way to write it, its parts, and the value at it."""

from collections import deque
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, RootModel

from answergraph import AgentSpecError
from answergraph.state.field_path import EVERY_ITEM, FieldPath, MappingKey, part_of_key

NAMES = st.from_regex(r"[^\W\d]\w*", fullmatch=True).filter(str.isidentifier)
PARTS = st.lists(NAMES | st.integers() | st.text().map(MappingKey) | st.just(EVERY_ITEM))


class Colour(Enum):
    RED = "red"


@dataclass
class Row:
    v: float


class Table(BaseModel):
    revenue: dict[str, Row]
    days: dict[date, int] = {}
    codes: dict[int, str] = {}
    colours: dict[Colour, str] = {}
    tags: set[str] = set()
    pair: tuple[int, Row] = (0, Row(0))


@given(PARTS)
def test_a_path_has_one_spelling_that_is_read_back(parts: list[Any]) -> None:
    path = FieldPath.of(*parts)

    assert FieldPath(str(path)) == path
    assert path.parts == tuple(parts)
    joined = FieldPath()
    for part in parts:
        joined /= part
    assert joined == path


@pytest.mark.parametrize(
    ("written", "spelled"),
    [
        ("total", "total"),
        ('revenue["q1"].rows[0].v', "revenue['q1'].rows[0].v"),
        ("[0].quote", "[0].quote"),
        ('a["it\'s"]', 'a["it\'s"]'),
        ("a['two words']", "a['two words']"),
        ("a['\\n']", "a['\\n']"),
        ("größe[-1]", "größe[-1]"),
        ("", ""),
    ],
)
def test_a_path_is_spelled_in_one_way(written: str, spelled: str) -> None:
    assert FieldPath(written) == spelled


@pytest.mark.parametrize("written", [".a", "a.", "a..b", "a b", "a[", "a[b]", "a['b]", "1a", "a.1", "a[1]b", "a['\\x']"])
def test_what_is_no_path_is_refused(written: str) -> None:
    with pytest.raises(AgentSpecError, match="not the path of a field"):
        FieldPath(written)


def test_the_pattern_of_a_path_stands_for_every_item() -> None:
    assert FieldPath("items[3].price").pattern == FieldPath("items[].price") == "items[].price"
    assert FieldPath("by_year['2025'][0]").pattern == "by_year['2025'][]"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("revenue['q1'].v", 4.0),
        ("days['2025-01-31']", 5),
        ("codes[7]", "x"),
        ("colours['red']", "warm"),
        ("tags[1]", "b"),
        ("pair[1].v", 2.0),
    ],
)
def test_the_value_at_a_path_is_found_in_an_answer_and_in_its_json(path: str, value: Any) -> None:
    table = Table(
        revenue={"q1": Row(4)},
        days={date(2025, 1, 31): 5},
        codes={7: "x"},
        colours={Colour.RED: "warm"},
        tags={"b", "a"},
        pair=(1, Row(2)),
    )

    assert FieldPath(path).get(table) == value
    if not path.startswith("tags"):  # the JSON of a set has no order
        assert FieldPath(path).get(table.model_dump(mode="json")) == value


def test_a_root_model_has_no_step_of_its_own() -> None:
    rows = RootModel[list[Row]]([Row(1), Row(2)])

    assert FieldPath("[1].v").get(rows) == 2
    assert FieldPath("[0]").get(deque([3])) == 3


@pytest.mark.parametrize("path", ["other", "revenue['q2']", "pair[2]", "tags[0]", "revenue.q1.v.w", "codes[7].x"])
def test_a_field_that_an_answer_has_not_is_a_lookup_error(path: str) -> None:
    with pytest.raises(LookupError):
        FieldPath(path).get(Table(revenue={"q1": Row(4)}, codes={7: "x"}))


@pytest.mark.parametrize(
    ("key", "part"), [("a", "a"), (3, 3), (True, "True"), (Colour.RED, "red"), (date(2025, 1, 2), "2025-01-02")]
)
def test_a_key_of_a_mapping_is_a_number_or_a_text(key: Any, part: str | int) -> None:
    assert part_of_key(key) == part
