"""One of two servers is asked to stop while runs are under way, as an upgrade does: every run ends with its answer."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.client import ClusterClient, Ended
from tests.cluster.ledger import LEDGER, read_ledger
from tests.cluster.servers import Cluster, cluster, missing
from tests.cluster.test_kill import OPERATIONS, question, right_answer
from tests.served.questions import asks
from tests.suite.langgraph_dev import shipped

pytestmark = pytest.mark.cluster
RUNS = 40


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "ledger"
    path.touch()
    path.chmod(0o666)
    return path


@pytest.fixture
def servers(ledger: Path) -> Iterator[Cluster]:
    if lacking := missing():
        pytest.skip(f"not installed: {', '.join(lacking)}")
    config = shipped()
    config["graphs"]["bookkeeper"] = "./tests/cluster/graphs.py:bookkeeper"
    with cluster(config, {LEDGER: str(ledger), "WORKER_DRAIN_TIMEOUT": "1"}) as servers:
        yield servers


async def test_runs_of_a_server_that_is_stopped_go_on_at_the_other(servers: Cluster, ledger: Path) -> None:
    async def all_runs(client: ClusterClient) -> list[Ended]:
        return await asyncio.gather(*(client.run(number, "bookkeeper", asks(question(number))) for number in range(RUNS)))

    async def stop_in_the_middle() -> int:
        while len(read_ledger(ledger)) < RUNS * OPERATIONS // 4:  # noqa: ASYNC110 - other processes write it
            await asyncio.sleep(0.05)
        await asyncio.to_thread(servers.servers[0].program.end)
        stopped = servers.servers[0].program.process.pid
        return sum(entry.process == stopped for entry in read_ledger(ledger))

    async with ClusterClient(servers.urls) as client:
        ended, by_stopped = await asyncio.gather(all_runs(client), stop_in_the_middle())
    assert [(end.status, end.values["outcome"]["status"]) for end in ended] == [("success", "answered")] * RUNS
    assert [end.values["structured_response"]["final_answer"] for end in ended] == list(map(right_answer, range(RUNS)))
    assert by_stopped > 0
