"""``make cluster-size``: what servers carry on this machine, as the table of ``docs/deployment.md``.

A run is the calculator's, six calls of the offline model and five tools, on a thread of its own; the client asks on the same machine.
"""

import asyncio
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from tests.cluster.servers import cluster
from tests.served.questions import QUESTIONS
from tests.suite.langgraph_dev import langgraph_dev, lay_out, shipped

LOADS = ((1, 5), (10, 60), (40, 200))
"""How many runs at a time, and how many in all."""


class Measured(NamedTuple):
    """One load on one deployment."""

    runs_a_second: float
    median_seconds: float
    slowest_seconds: float
    wrong: int


@contextmanager
def dev_server() -> Iterator[list[str]]:
    """Run ``langgraph dev``."""
    with tempfile.TemporaryDirectory() as name:
        lay_out(Path(name), shipped())
        with langgraph_dev(Path(name), {}) as url:
            yield [url]


@contextmanager
def aegra_servers(count: int) -> Iterator[list[str]]:
    """Run Aegra in several processes."""
    with cluster(shipped(), count=count) as running:
        yield running.urls


async def one_run(client: LangGraphClient) -> tuple[float, bool]:
    """Return how long a run took, and whether its answer was right."""
    began = time.perf_counter()
    thread = (await client.threads.create())["thread_id"]
    question, last = QUESTIONS["calculator"], None
    async for part in client.runs.stream(thread, "calculator", input=question.input, stream_mode="values", durability="sync"):
        last = part.data if part.event == "values" else last
    return time.perf_counter() - began, last is not None and question.is_right(dict(last))


async def measure(urls: list[str], at_a_time: int, runs: int) -> Measured:
    """Send runs, spread over the servers."""
    places = asyncio.Semaphore(at_a_time)
    clients = [get_client(url=url) for url in urls]

    async def placed(number: int) -> tuple[float, bool]:
        async with places:
            return await one_run(clients[number % len(clients)])

    began = time.perf_counter()
    ended = await asyncio.gather(*(placed(number) for number in range(runs)))
    took = time.perf_counter() - began
    for client in clients:
        await client.aclose()
    times = [seconds for seconds, _ in ended]
    return Measured(runs / took, statistics.median(times), max(times), sum(not right for _, right in ended))


def main() -> None:
    """Print the table."""
    deployments: dict[str, Callable[[], AbstractContextManager[Any]]] = {
        "langgraph dev": dev_server,
        "Aegra, 1 process": lambda: aegra_servers(1),
        "Aegra, 2 processes": lambda: aegra_servers(2),
    }
    print(
        "| server | runs at a time | runs a second | median, seconds | slowest, seconds | wrong answers |\n|---|---|---|---|---|---|"
    )
    for name, start in deployments.items():
        began = time.perf_counter()
        with start() as urls:
            started = time.perf_counter() - began
            for at_a_time, runs in LOADS:
                found = asyncio.run(measure(urls, at_a_time, runs))
                rates = f"{found.runs_a_second:.1f} | {found.median_seconds:.2f} | {found.slowest_seconds:.2f}"
                print(f"| {name} | {at_a_time} | {rates} | {found.wrong} |", flush=True)
        print(f"| {name} | started in {started:.0f} s | | | | |", flush=True)


if __name__ == "__main__":
    main()
