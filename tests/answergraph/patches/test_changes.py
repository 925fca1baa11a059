"""Changes of JSON by the names of its fields."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answergraph.kit import FieldPath
from answergraph.patches.changes import Change, changed_fields, changes_in, json_path_in, path_of, with_changes, with_part

ORDER: dict[str, Any] = {"number": "A-17", "items": [{"sku": "a", "price": 1}, {"sku": "b", "price": 2}], "note": None}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", min_size=1, max_size=2), inner, max_size=3),
    max_leaves=12,
)


@pytest.mark.parametrize("written", ["items[1].price", "/items/1/price"])
def test_a_path_is_read_as_ours_and_as_a_pointer_of_json_patch(written: str) -> None:
    assert path_of(written) == FieldPath.of("items", 1, "price")


def test_a_pointer_says_slashes_and_tildes_of_a_name_in_its_own_way() -> None:
    assert path_of("/a~1b/c~0d").parts == ("a/b", "c~d")


@pytest.mark.parametrize("written", [3, None, ["items", 0]])
def test_what_is_no_path_says_what_to_write(written: Any) -> None:
    with pytest.raises(ValueError, match=r"write one such as items\[3\]\.price"):
        path_of(written)


@pytest.mark.parametrize(
    "written", [[{"path": "number", "value": "A-18"}], [{"path": "number", "value": "A-18", "op": "replace"}], {"number": "A-18"}]
)
def test_changes_are_read_as_a_list_and_as_an_object(written: Any) -> None:
    assert changes_in(written) == [Change(FieldPath("number"), "A-18")]


@pytest.mark.parametrize("written", ["number", [3], [{"path": "number"}], None])
def test_what_is_no_list_of_changes_is_refused(written: Any) -> None:
    with pytest.raises(ValueError, match="'changes' is a list of objects"):
        changes_in(written)


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("note", "paid", {**ORDER, "note": "paid"}),
        ("new", 1, {**ORDER, "new": 1}),
        ("items[1].price", 3, {**ORDER, "items": [ORDER["items"][0], {"sku": "b", "price": 3}]}),
        ("items[2]", {"sku": "c"}, {**ORDER, "items": [*ORDER["items"], {"sku": "c"}]}),
    ],
)
def test_a_change_replaces_or_adds_a_value_and_leaves_the_rest_as_it_is(path: str, value: Any, expected: Any) -> None:
    before = copy.deepcopy(ORDER)
    changed = with_changes(ORDER, [Change(FieldPath(path), value)])
    assert (changed, before) == (expected, ORDER)
    assert all(changed[key] is ORDER[key] for key in ORDER if not path.startswith(key))


@pytest.mark.parametrize("path", ["items[3]", "items[9].price", "missing.price", "number.first", "items.first"])
def test_a_change_of_no_place_is_refused_by_its_name(path: str) -> None:
    with pytest.raises(ValueError, match=r"there is no field .* in your answer"):
        with_changes(ORDER, [Change(FieldPath(path), 1)])


@given(JSON, JSON)
def test_the_changed_fields_of_two_values_turn_one_into_the_other(before: Any, after: Any) -> None:
    # A field that is gone cannot be said by a change.
    changes = [Change(path, path.get(after)) for path in changed_fields(before, after) if _is_in(after, path)]
    if len(changes) == len(list(changed_fields(before, after))):
        assert with_changes(before, changes) == after


def _is_in(data: Any, path: FieldPath) -> bool:
    try:
        path.get(data)
    except LookupError:
        return False
    return True


@given(JSON)
def test_equal_values_differ_in_no_field(value: Any) -> None:
    assert list(changed_fields(value, copy.deepcopy(value))) == []


def test_a_number_and_a_truth_value_differ_although_python_calls_them_equal() -> None:
    assert list(changed_fields({"passed": 1}, {"passed": True})) == [FieldPath("passed")]


def test_a_part_of_an_answer_keeps_what_it_leaves_out() -> None:
    part = {"items": [{"price": 5}, {}], "note": "paid"}
    assert with_part(ORDER, part, ()) == {
        "number": "A-17",
        "items": [{"sku": "a", "price": 5}, {"sku": "b", "price": 2}],
        "note": "paid",
    }


def test_a_list_of_another_length_is_taken_only_if_it_was_wrong_itself() -> None:
    part = {"items": [{"sku": "a", "price": 1}]}
    with pytest.raises(ValueError, match="items has 2 items in your answer and 1 here"):
        with_part(ORDER, part, ())
    assert with_part(ORDER, part, {"items"})["items"] == part["items"]


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("items[1].price", "items[1].price"),
        ("missing", "missing"),
        ("items[7].price", "items"),
        ("", None),
        ("number.x", "number"),
    ],
)
def test_the_place_of_a_path_ends_where_the_json_does(path: str, place: str | None) -> None:
    assert json_path_in(ORDER, path) == (None if place is None else FieldPath(place))
