"""Any single edit of a saved bundle is found: F5 of an independent test."""

import copy
import json
from typing import Any

import pytest

from answergraph import AgentSpecError
from answergraph.evidence import answer_bundle, verify_bundle
from answergraph.evidence.bundles import sealed
from answergraph.runtime.errors import BundleError
from tests.answergraph.evidence.bundle_edits import JUNK, at, is_found, places_in
from tests.answergraph.evidence.measure_bundles import main
from tests.answergraph.evidence.test_verifier import bundle

__all__ = ["bundle"]

MAX_DEPTH = 2


def test_f5_every_single_edit_is_found_but_for_the_harmless_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(100) == 0
    assert "| one character of its file | 100 |" in capsys.readouterr().out


def test_f5_a_damaged_bundle_is_an_error_or_does_not_hold_whatever_is_missing(bundle: dict[str, Any]) -> None:
    for place in [place for place in places_in(bundle) if len(place) <= MAX_DEPTH]:
        for junk in JUNK:
            damaged = copy.deepcopy(bundle)
            at(damaged, place[:-1])[place[-1]] = junk
            assert damaged == bundle or is_found(damaged), (place, junk)


@pytest.mark.parametrize("junk", [*JUNK, {"format": "answergraph-bundles/2"}], ids=repr)
def test_f5_anything_but_a_bundle_is_refused(junk: Any) -> None:
    assert is_found(junk)


def test_f5_an_item_that_was_never_checked_is_found_though_the_digest_was_made_anew(bundle: dict[str, Any]) -> None:
    bundle["answer"]["findings"].append({"quote": "the disk is broken"})
    assert is_found(sealed(bundle))


def test_f5_an_answer_that_claims_nothing_does_not_hold(bundle: dict[str, Any]) -> None:
    assert is_found(sealed({**bundle, "marks": {}, "fields": {}}))


def test_f5_with_a_key_only_who_has_it_can_change_a_bundle(bundle: dict[str, Any]) -> None:
    signed = sealed(bundle, b"secret")
    assert not is_found(signed, key=b"secret")
    assert is_found(sealed({**signed, "status": "abstained"}, b"another"), key=b"secret")
    assert is_found(sealed(bundle), key=b"secret")


@pytest.mark.parametrize("key", [b"", b" \n"])
def test_f5_an_empty_key_is_refused(bundle: dict[str, Any], key: bytes) -> None:
    with pytest.raises(AgentSpecError, match="key is empty"):
        verify_bundle(bundle, key=key)
    with pytest.raises(AgentSpecError, match="key is empty"):
        answer_bundle({"messages": []}, key=key)


def test_f5_a_bundle_is_read_from_json_without_duplicate_names(bundle: dict[str, Any]) -> None:
    text = json.dumps(bundle)
    assert [verdict.holds for verdict in verify_bundle(text)] == [True, True, True]
    with pytest.raises(BundleError, match="a name is repeated"):
        verify_bundle(text.replace('"status": ', '"status": "invalid", "status": ').encode())


@pytest.mark.parametrize("key", ["status", "schema", "answer", "marks", "fields", "results", "messages", "digest"])
def test_f5_a_bundle_without_one_of_its_parts_is_refused(bundle: dict[str, Any], key: str) -> None:
    del bundle[key]
    with pytest.raises(BundleError):
        verify_bundle(bundle)
