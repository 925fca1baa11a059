"""A process that is killed during a run loses and repeats nothing that was stored; `make torture` kills at every point."""

from pathlib import Path
from typing import Any

import pytest

from tests.suite.postgres import Cluster
from tests.torture.kills.counting import Tally, places, tally_of

EVERY = 7
"""Every seventh point of a run is tried here; each way to run and store starts at another point."""


def kills_of(store: str, folder: Path, postgres: Cluster | None) -> Tally:
    ways = [each for each in places(folder, postgres) if each[0].store == store and each[0].library == "answergraph"]
    return sum((tally_of(way, folder, place, EVERY, number) for number, (way, place) in enumerate(ways, 1)), Tally())


@pytest.mark.torture
def test_a_killed_run_on_sqlite_continues_without_loss_or_repetition(tmp_path: Path) -> None:
    tally = kills_of("SQLite", tmp_path, None)
    assert tally.problems == []
    assert tally.holds
    assert tally.kills >= 30


@pytest.mark.torture
@pytest.mark.postgres
def test_a_killed_run_on_postgresql_continues_without_loss_or_repetition(tmp_path: Path, postgres_cluster: Any) -> None:
    tally = kills_of("PostgreSQL", tmp_path, postgres_cluster)
    assert tally.problems == []
    assert tally.holds
    assert tally.kills >= 30
