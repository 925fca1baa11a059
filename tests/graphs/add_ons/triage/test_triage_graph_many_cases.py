"""What a cause costs does not depend on how many other cases the folder has."""

from functools import partial
from pathlib import Path

import pytest

from answergraph.graphs import create_triage_agent
from tests.graphs.add_ons.triage.junit_files import failed, passed, write_results
from tests.suite.function_calls import calls_of

CAUSES = [
    failed(f"test_{fruit}", f"E       ValueError: no {fruit} is left\n\nshop/{fruit}.py:4: ValueError", message=f"no {fruit}")
    for fruit in ("apple", "lemon", "olive", "peach")
]


def triage(place: Path, causes: int) -> None:
    # One at a time, since threads that wait for each other call more or less.
    assert len(create_triage_agent().invoke({"folder": str(place)}, {"max_concurrency": 1})["reports"]) == causes


def calls_for_further_causes(place: Path, others: list[str]) -> int:
    """Return how many more calls the triage of all causes takes than that of one of them, beside other cases."""
    write_results(place / "one", *CAUSES[:1], *others)
    write_results(place / "all", *CAUSES, *others)
    one, every = (
        calls_of(partial(triage, place / name, count), in_threads=True) for name, count in (("one", 1), ("all", len(CAUSES)))
    )
    return every - one


@pytest.mark.parametrize("name", ["test_{}", "test_price[{}]"])
def test_a_cause_costs_as_much_beside_a_thousand_cases_as_beside_ten(tmp_path: Path, name: str) -> None:
    ten, thousand = ([passed(name.format(index)) for index in range(count)] for count in (10, 1000))
    calls_for_further_causes(tmp_path / "first", ten)  # what is imported and compiled at first does not count
    few, many = calls_for_further_causes(tmp_path / "few", ten), calls_for_further_causes(tmp_path / "many", thousand)
    assert many < 1.3 * few
