"""Items that are named by their key: changed, added, deleted, moved."""

from typing import Any

import pytest

from answergraph import Key
from answergraph.kit import FieldPath
from answergraph.patches.changes import Change
from answergraph.patches.keyed_items import paired, with_keyed_changes

TEAM: dict[str, Any] = {"members": [{"email": "a@x", "role": "lead"}, {"email": "b@x", "role": "dev"}]}
KEYS = {"members": Key("email", may_delete=True)}


def changed(*changes: tuple[str, Any], keys: Any = KEYS) -> Any:
    return with_keyed_changes(TEAM, [Change(FieldPath(path), value) for path, value in changes], keys)["members"]


def test_an_item_is_changed_by_its_key() -> None:
    assert changed(("members['b@x'].role", "lead")) == [TEAM["members"][0], {"email": "b@x", "role": "lead"}]


def test_an_item_with_a_new_key_is_added_at_the_end() -> None:
    new = {"email": "c@x", "role": "dev"}
    assert changed(("members['c@x']", new)) == [*TEAM["members"], new]


def test_items_that_are_set_to_nothing_are_deleted_whatever_their_order() -> None:
    assert changed(("members['a@x']", None), ("members['b@x']", None)) == []
    assert changed(("members['b@x']", None), ("members['a@x'].role", "dev")) == [{"email": "a@x", "role": "dev"}]


def test_a_list_is_still_changed_by_number() -> None:
    assert changed(("members[1].role", "lead"))[1]["role"] == "lead"


def pairs(after: Any, key: Key) -> list[tuple[str, str]]:
    return [(str(now), str(was)) for now, was in paired(TEAM, {"members": after}, {"members": key})]


def test_items_that_moved_are_paired_by_their_key() -> None:
    moved = [TEAM["members"][1], TEAM["members"][0]]
    assert pairs(moved, Key("email")) == [
        ("members[1].email", "members[0].email"),
        ("members[1].role", "members[0].role"),
        ("members[0].email", "members[1].email"),
        ("members[0].role", "members[1].role"),
    ]


def test_an_item_that_is_gone_is_refused_where_none_may_be_deleted() -> None:
    with pytest.raises(ValueError, match=r"members\['b@x'\] is gone, but no item of members may be deleted"):
        pairs([TEAM["members"][0]], Key("email"))
    assert len(pairs([TEAM["members"][0]], Key("email", may_delete=True))) == 2


def test_two_items_with_one_key_are_refused() -> None:
    with pytest.raises(ValueError, match="members has two items with the key 'a@x'"):
        pairs([TEAM["members"][0]] * 2, Key("email", may_delete=True))


def test_a_key_of_several_fields_names_an_item_by_all_of_them() -> None:
    rows = {"rows": [{"day": 1, "shift": "a", "hours": 4}, {"day": 1, "shift": "b", "hours": 5}]}
    changes = [Change(FieldPath("rows['1 b'].hours"), 6)]
    assert with_keyed_changes(rows, changes, {"rows": Key("day", "shift")})["rows"][1]["hours"] == 6
