"""A single edit of a saved bundle is found, wherever it is made."""

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from answergraph import verify_bundle
from answergraph.evidence.answer_bundle import sealed
from answergraph.state.errors import BundleError
from tests.answergraph.evidence.test_verifier import bundle

__all__ = ["bundle"]

EDITS = 100


def places_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from places_in(item, (*path, key))


def edited(saved: dict[str, Any], random: Random) -> dict[str, Any]:
    """Return a bundle with one thing in it changed, left out or put in."""
    changed = copy.deepcopy(saved)
    *path, last = random.choice(list(places_in(changed)))
    parent: Any = changed
    for key in path:
        parent = parent[key]
    kind = random.randrange(3)
    if kind == 0:
        del parent[last]
    elif kind == 1 and isinstance(parent, list):
        parent.insert(last, copy.deepcopy(parent[last]))
    else:
        parent[last] = random.choice([None, True, 7, "x", [], {}, [parent[last]]])
    return changed


def is_found(changed: dict[str, Any]) -> bool:
    try:
        verdicts = verify_bundle(changed)
    except BundleError:
        return True
    return not all(verdict.holds for verdict in verdicts)


def test_every_single_edit_is_found(bundle: dict[str, Any]) -> None:
    random = Random(20261122)
    for _ in range(EDITS):
        changed = edited(bundle, random)
        assert changed == bundle or is_found(changed), json.dumps(changed)


@pytest.mark.parametrize("odd", [None, "", [], [None], {"a": [1]}, 2**70, float("nan"), "\ud800"], ids=ascii)
def test_whatever_stands_in_a_bundle_it_is_read_or_refused(bundle: dict[str, Any], odd: Any) -> None:
    for *path, last in places_in(bundle):
        changed = copy.deepcopy(bundle)
        parent: Any = changed
        for key in path:
            parent = parent[key]
        parent[last] = odd
        is_found(changed)


def test_an_item_that_was_never_checked_is_found_though_the_digest_was_made_anew(bundle: dict[str, Any]) -> None:
    bundle["answer"]["findings"].append({"quote": "the disk is broken"})
    assert is_found(sealed(bundle))


def test_an_answer_that_claims_nothing_does_not_hold(bundle: dict[str, Any]) -> None:
    assert is_found(sealed({**bundle, "marks": {}, "evidence": {}}))


def test_with_a_key_only_who_has_it_can_change_a_bundle(bundle: dict[str, Any]) -> None:
    signed = sealed(bundle, b"secret")
    assert all(verdict.holds for verdict in verify_bundle(signed, key=b"secret"))
    forged = sealed({**signed, "status": "abstained"}, b"another")
    assert not all(verdict.holds for verdict in verify_bundle(forged, key=b"secret"))
    assert not all(verdict.holds for verdict in verify_bundle(sealed(bundle), key=b"secret"))


@pytest.mark.parametrize("key", ["status", "schema", "answer", "marks", "evidence", "results", "messages", "digest"])
def test_a_bundle_without_one_of_its_parts_is_none(bundle: dict[str, Any], key: str) -> None:
    del bundle[key]
    with pytest.raises(BundleError):
        verify_bundle(bundle)
