"""Two servers with an agent whose tools keep a ledger, and runs of it whose right answers are known."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cluster.client import ClusterClient, Ended
from tests.cluster.ledger import LEDGER, read_ledger
from tests.cluster.servers import Cluster, cluster, missing
from tests.served.questions import asks
from tests.suite.langgraph_dev import shipped

OPERATIONS = 4
"""How many entries one run makes in the ledger."""
AT_A_TIME = 40


def question(number: int) -> str:
    return f"(({number} + 3) × 4 - {number}) × 2"


def right_answer(number: int) -> float:
    return ((number + 3) * 4 - number) * 2


@contextmanager
def bookkeepers(ledger: Path, settings: Mapping[str, str] | None = None) -> Iterator[Cluster]:
    """Start two servers with the agent ``bookkeeper``; skip the test where something is not installed."""
    if lacking := missing():
        pytest.skip(f"not installed: {', '.join(lacking)}")
    ledger.touch()
    ledger.chmod(0o666)
    config = shipped()
    config["graphs"]["bookkeeper"] = "./tests/cluster/graphs.py:bookkeeper"
    with cluster(config, {LEDGER: str(ledger), **(settings or {})}) as servers:
        yield servers


async def all_runs(client: ClusterClient, count: int, *, goes_on: bool = False) -> list[Ended]:
    """Run the agent on one question after another, spread over the servers."""
    places = asyncio.Semaphore(AT_A_TIME)

    async def one(number: int) -> Ended:
        async with places:
            return await client.run(number, "bookkeeper", asks(question(number)), goes_on=goes_on)

    return await asyncio.gather(*(one(number) for number in range(count)))


async def entries_made(ledger: Path, count: int) -> None:
    """Wait until the ledger has so many entries."""
    while len(read_ledger(ledger)) < count:  # noqa: ASYNC110 - other processes write it
        await asyncio.sleep(0.05)


def check_answers(ended: list[Ended]) -> None:
    """Check that every run has ended with its right answer."""
    assert [(end.status, end.values["outcome"]["status"]) for end in ended] == [("success", "answered")] * len(ended)
    assert [end.values["structured_response"]["final_answer"] for end in ended] == list(map(right_answer, range(len(ended))))
