"""One of two servers is asked to stop while runs are under way, as an upgrade does: every run ends with its answer."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.bookkeeping import OPERATIONS, all_runs, bookkeepers, check_answers, entries_made
from tests.cluster.client import ClusterClient
from tests.cluster.ledger import read_ledger
from tests.cluster.servers import Cluster

pytestmark = pytest.mark.cluster
RUNS = 40


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Cluster]:
    with bookkeepers(tmp_path / "ledger", {"WORKER_DRAIN_TIMEOUT": "1"}) as servers:
        yield servers


async def test_runs_of_a_server_that_is_stopped_go_on_at_the_other(servers: Cluster, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger"

    async def stop_in_the_middle() -> int:
        await entries_made(ledger, RUNS * OPERATIONS // 4)
        await asyncio.to_thread(servers.servers[0].program.end)
        stopped = servers.servers[0].program.process.pid
        return sum(entry.process == stopped for entry in read_ledger(ledger))

    async with ClusterClient(servers.urls) as client:
        ended, by_stopped = await asyncio.gather(all_runs(client, RUNS), stop_in_the_middle())
    check_answers(ended)
    assert by_stopped > 0
