"""One of two servers is killed in the middle of 200 runs: every run ends with the right answer, and no stored step runs again."""

import asyncio
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.client import ClusterClient, Ended
from tests.cluster.ledger import LEDGER, Entry, first_checkpoints, read_ledger, repeated_after_checkpoint
from tests.cluster.servers import Cluster, Server, cluster, missing
from tests.served.questions import asks
from tests.suite.langgraph_dev import shipped

pytestmark = pytest.mark.cluster
RUNS = 200
AT_A_TIME = 40
OPERATIONS = 4
KILL_AFTER = RUNS * OPERATIONS // 3


def question(number: int) -> str:
    return f"(({number} + 3) × 4 - {number}) × 2"


def right_answer(number: int) -> float:
    return ((number + 3) * 4 - number) * 2


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
    with cluster(config, {LEDGER: str(ledger)}) as servers:
        yield servers


async def all_runs(client: ClusterClient) -> list[Ended]:
    places = asyncio.Semaphore(AT_A_TIME)

    async def one(number: int) -> Ended:
        async with places:
            return await client.run(number, "bookkeeper", asks(question(number)))

    return await asyncio.gather(*(one(number) for number in range(RUNS)))


async def kill_in_the_middle(ledger: Path, victim: Server) -> int:
    """Kill a server when a third of the work is done; gives how many entries its process had made."""
    while len(read_ledger(ledger)) < KILL_AFTER:  # noqa: ASYNC110 - other processes write it
        await asyncio.sleep(0.05)
    victim.program.kill()
    return sum(entry.process == victim.program.process.pid for entry in read_ledger(ledger))


async def repeated(client: ClusterClient, entries: list[Entry]) -> list[Entry]:
    thread = entries[0].thread
    history = await client.ask(1, lambda server: server.threads.get_history(thread, limit=100))
    return repeated_after_checkpoint(entries, first_checkpoints(history))


async def test_every_run_ends_with_its_answer_and_no_kept_step_runs_again(servers: Cluster, ledger: Path) -> None:
    victim = servers.servers[0]
    async with ClusterClient(servers.urls) as client:
        ended, by_victim = await asyncio.gather(all_runs(client), kill_in_the_middle(ledger, victim))
        assert [(end.status, end.values["outcome"]["status"]) for end in ended] == [("success", "answered")] * RUNS
        answers = [end.values["structured_response"]["final_answer"] for end in ended]
        assert answers == [right_answer(number) for number in range(RUNS)]

        threads = by_thread(read_ledger(ledger))
        assert len(threads) == RUNS
        assert by_victim > 0
        moved = [entries for entries in threads if len({entry.process for entry in entries}) > 1]
        assert moved, "no run was going on in the server that was killed"
        twice = [entries for entries in threads if len(entries) > OPERATIONS]
        # Only what was being carried out as the server died may have been carried out again, in the other one.
        assert [entries for entries in twice if len(entries) > OPERATIONS + 1 or entries not in moved] == []
        again = await asyncio.gather(*(repeated(client, entries) for entries in twice))
        assert [entry for found in again for entry in found] == []


def by_thread(entries: list[Entry]) -> list[list[Entry]]:
    threads = defaultdict(list)
    for entry in entries:
        threads[entry.thread].append(entry)
    return list(threads.values())
