"""Which failures have one cause; many failures are grouped quickly."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answergraph.graphs import create_triage_agent
from answergraph.graphs.add_ons.triage.clusters import clusters_of
from answergraph.graphs.add_ons.triage.offline.normalised_text import normalised
from answergraph.graphs.add_ons.triage.run_files.case_survey import survey_of
from answergraph.graphs.add_ons.triage.run_files.read_only_folder import Folder
from tests.graphs.add_ons.triage.junit_files import failed, passed, write_results

MAX_SECONDS = 20
"""CPU time for 5,000 tests with 400 failures."""


def refused(number: int) -> str:
    said = f"ConnectionRefusedError: [Errno 111] Connection refused: db-{number}:5432 after {number / 7:.2f} s"
    return f"shop/client.py:41: in get\nE       {said}\n\nshop/client.py:52: ConnectionRefusedError"


def wrong_price(number: int) -> str:
    return (
        f"def test():\n>       assert price({number}) == {number * 3}\nE       assert {number * 3 + 1} == {number * 3}\n"
        f"E        +  where {number * 3 + 1} = price({number})\n\ntest_shop.py:{number}: AssertionError"
    )


def no_price(number: int) -> str:
    return f"cart = {{'id': {number}}}\n>       return cart['price']\nE       KeyError: 'price'\n\nshop/checkout.py:17: KeyError"


def clustered(place: Path, *cases: str) -> list[list[str]]:
    write_results(place, *cases)
    return [[case.result.name for case in cluster.cases] for cluster in clusters_of(survey_of(Folder(place)))]


@pytest.mark.parametrize("details", [refused, wrong_price, no_price])
def test_failures_that_differ_only_in_values_have_one_cause(tmp_path: Path, details: object) -> None:
    assert callable(details)
    assert clustered(tmp_path, *(failed(f"test_{number}", details(number)) for number in range(5))) == [
        [f"test_{number}" for number in range(5)]
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (refused(1), no_price(1)),
        ("E       assert 3 == 4\n\ntest_cart.py:4: AssertionError", "E       assert [1] == []\n\ntest_tax.py:4: AssertionError"),
        ("E   KeyError: 'price'\n\nshop/cart.py:17: KeyError", "E   KeyError: 'rate'\n\nshop/tax.py:9: KeyError"),
        (no_price(1), no_price(1).replace("KeyError", "TypeError")),
    ],
)
def test_failures_with_different_causes_are_not_merged(tmp_path: Path, one: str, other: str) -> None:
    assert clustered(tmp_path, failed("test_cart", one), failed("test_tax", other)) == [["test_cart"], ["test_tax"]]


def test_a_failure_that_passed_on_a_retry_is_not_merged_with_one_that_did_not(tmp_path: Path) -> None:
    write_results(tmp_path, passed("test_1"), failed("test_2", no_price(2)), name="rerun/results.xml")
    assert clustered(tmp_path, failed("test_1", no_price(1)), failed("test_2", no_price(2))) == [["test_1"], ["test_2"]]


def test_the_fingerprint_is_the_same_the_next_night(tmp_path: Path) -> None:
    for night in (1, 2):
        write_results(tmp_path / str(night), failed("test_rates", refused(night)), started=f"2026-01-0{night}T03:04:05")
    one, other = (clusters_of(survey_of(Folder(tmp_path / str(night)))) for night in (1, 2))
    assert one[0].fingerprint == other[0].fingerprint


@given(st.text(max_size=80))
def test_normalising_twice_changes_nothing_more(said: str) -> None:
    once = normalised(said)
    assert "\n" not in once
    assert not any(sign.isascii() and sign.isdigit() for sign in once)


@pytest.mark.torture
def test_five_thousand_tests_with_four_hundred_failures_of_three_causes_are_three_clusters_in_time(tmp_path: Path) -> None:
    kinds = (refused, wrong_price, no_price)
    failures = {number * 12: kinds[number % 3](number) for number in range(400)}
    cases = [failed(f"test_{n}", failures[n]) if n in failures else passed(f"test_{n}") for n in range(5_000)]
    write_results(tmp_path, *cases)
    (tmp_path / "console.log").write_text("".join(f"test_shop.py::test_{n} {'FAILED' * (n in failures)}\n" for n in range(5_000)))
    began = time.process_time()
    reports = create_triage_agent().invoke({"folder": str(tmp_path)}, {"max_concurrency": 2})["reports"]
    assert time.process_time() - began < MAX_SECONDS
    assert sorted(len(report["cases"]) for report in reports) == [133, 133, 134]
    assert sorted(report["verdict"] for report in reports) == ["disagreement", "disagreement", "not-real"]
