"""Redis, then PostgreSQL, is killed in the middle of runs and started again: every run ends with the right answer.

The client asks again while the servers cannot answer, and goes on with a run that failed for want of its store.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.bookkeeping import OPERATIONS, all_runs, bookkeepers, check_answers, entries_made
from tests.cluster.client import ClusterClient
from tests.cluster.servers import Cluster

pytestmark = pytest.mark.cluster
RUNS = 60
AWAY_SECONDS = 3.0


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Cluster]:
    with bookkeepers(tmp_path / "ledger") as servers:
        yield servers


@pytest.mark.parametrize("store", ["redis", "postgres"])
async def test_every_run_ends_with_its_answer_when_a_store_was_away(servers: Cluster, tmp_path: Path, store: str) -> None:
    victim = getattr(servers, store)

    async def kill_in_the_middle() -> None:
        await entries_made(tmp_path / "ledger", RUNS * OPERATIONS // 3)
        await asyncio.to_thread(victim.kill)
        await asyncio.sleep(AWAY_SECONDS)
        await asyncio.to_thread(victim.start)

    async with ClusterClient(servers.urls) as client:
        ended, _ = await asyncio.gather(all_runs(client, RUNS, goes_on=True), kill_in_the_middle())
    check_answers(ended)
