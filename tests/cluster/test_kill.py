"""One of two servers is killed in the middle of 200 runs: every run ends with the right answer, and no stored step runs again."""

import asyncio
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.bookkeeping import OPERATIONS, all_runs, bookkeepers, check_answers, entries_made
from tests.cluster.client import ClusterClient
from tests.cluster.ledger import Entry, first_checkpoints, read_ledger, repeated_after_checkpoint
from tests.cluster.servers import Cluster, Server

pytestmark = pytest.mark.cluster
RUNS = 200
KILL_AFTER = RUNS * OPERATIONS // 3


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Cluster]:
    with bookkeepers(tmp_path / "ledger") as servers:
        yield servers


async def kill_in_the_middle(ledger: Path, victim: Server) -> int:
    """Kill a server when a third of the work is done; gives how many entries its process had made."""
    await entries_made(ledger, KILL_AFTER)
    victim.program.kill()
    return sum(entry.process == victim.program.process.pid for entry in read_ledger(ledger))


async def repeated(client: ClusterClient, entries: list[Entry]) -> list[Entry]:
    thread = entries[0].thread
    history = await client.ask(1, lambda server: server.threads.get_history(thread, limit=100))
    return repeated_after_checkpoint(entries, first_checkpoints(history))


async def test_every_run_ends_with_its_answer_and_no_kept_step_runs_again(servers: Cluster, tmp_path: Path) -> None:
    ledger, victim = tmp_path / "ledger", servers.servers[0]
    async with ClusterClient(servers.urls) as client:
        ended, by_victim = await asyncio.gather(all_runs(client, RUNS), kill_in_the_middle(ledger, victim))
        check_answers(ended)

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
