"""Two servers behind nginx, with the file of a deployment: streams arrive as they are written, and a dead server is left out."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.cluster.bookkeeping import OPERATIONS, all_runs, bookkeepers, check_answers, entries_made
from tests.cluster.client import ClusterClient
from tests.cluster.nginx import in_front_of
from tests.cluster.servers import Cluster
from tests.served.questions import asks

pytestmark = pytest.mark.cluster
RUNS = 40


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Cluster]:
    with bookkeepers(tmp_path / "ledger") as servers:
        yield servers


@pytest.fixture
def front(servers: Cluster) -> Iterator[str]:
    with in_front_of(servers.urls) as address:
        yield address


async def test_a_stream_arrives_as_it_is_written(front: str) -> None:
    body = {"assistant_id": "bookkeeper", "input": asks("1 + 2 + 3 + 4 + 5 + 6"), "stream_mode": ["updates", "values"]}
    async with httpx.AsyncClient(base_url=front, timeout=60) as client:
        thread = (await client.post("/threads", json={})).json()["thread_id"]
        async with client.stream("POST", f"/threads/{thread}/runs/stream", json=body) as response:
            arrived = [time.monotonic() async for line in response.aiter_lines() if line.startswith("event: ")]
        state = (await client.get(f"/threads/{thread}/state")).json()
    assert state["values"]["structured_response"]["final_answer"] == 21
    assert len({round(moment, 2) for moment in arrived}) > 2, "all of the stream came at once"


async def test_runs_end_with_their_answers_when_one_server_is_killed(servers: Cluster, front: str, tmp_path: Path) -> None:
    async def kill_in_the_middle() -> None:
        await entries_made(tmp_path / "ledger", RUNS * OPERATIONS // 4)
        servers.servers[0].program.kill()

    async with ClusterClient([front]) as client:
        ended, _ = await asyncio.gather(all_runs(client, RUNS), kill_in_the_middle())
    check_answers(ended)
