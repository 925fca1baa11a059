"""``make cluster-size``: the capacity of servers on this machine, for the table of ``docs/deployment.md``.

A run is the calculator's, six calls of the offline model and five tools, on a thread of its own. The client asks on the same
machine, and its own CPU time is not counted.
"""

import asyncio
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from tests.cluster.cost import used_by
from tests.cluster.servers import cluster
from tests.served.questions import QUESTIONS
from tests.suite.langgraph_dev import langgraph_dev, lay_out, shipped

LOADS = ((1, 5), (40, 120))
"""The number of concurrent runs, and of all runs."""
COLUMNS = (
    "server",
    "runs at a time",
    "runs a second",
    "median, s",
    "wrong answers",
    "CPU a run, server, s",
    "CPU a run, databases, s",
    "memory, servers, MB",
)


class Deployment(NamedTuple):
    """The addresses of the servers and their databases."""

    servers: list[str]
    databases: list[str]

    def cpu_seconds(self) -> tuple[float, float]:
        """Return the CPU seconds of servers and databases."""
        servers, databases = (sum(process.cpu_seconds for process in used_by(urls)) for urls in self)
        return servers, databases


@contextmanager
def dev_server(config: Mapping[str, Any]) -> Iterator[Deployment]:
    """Run ``langgraph dev`` with a ``langgraph.json``."""
    with tempfile.TemporaryDirectory() as name:
        lay_out(Path(name), config)
        with langgraph_dev(Path(name), {}) as url:
            yield Deployment([url], [])


@contextmanager
def aegra_servers(count: int, config: Mapping[str, Any]) -> Iterator[Deployment]:
    """Run Aegra in several processes."""
    with cluster(config, count=count) as running:
        yield Deployment(running.urls, [running.database, running.redis.url])


async def one_run(client: LangGraphClient) -> tuple[float, bool]:
    """Return how long a run took, and whether its answer was right."""
    began = time.perf_counter()
    thread = (await client.threads.create())["thread_id"]
    question, last = QUESTIONS["calculator"], None
    async for part in client.runs.stream(thread, "calculator", input=question.input, stream_mode="values", durability="sync"):
        last = part.data if part.event == "values" else last
    return time.perf_counter() - began, last is not None and question.is_right(dict(last))


async def send(urls: list[str], at_a_time: int, runs: int) -> list[tuple[float, bool]]:
    """Send runs, spread over the servers."""
    places = asyncio.Semaphore(at_a_time)
    clients = [get_client(url=url) for url in urls]

    async def placed(number: int) -> tuple[float, bool]:
        async with places:
            return await one_run(clients[number % len(clients)])

    ended = await asyncio.gather(*(placed(number) for number in range(runs)))
    for client in clients:
        await client.aclose()
    return ended


def row(name: str, deployment: Deployment, at_a_time: int, runs: int) -> str:
    """Return one line of the table."""
    before, began = deployment.cpu_seconds(), time.perf_counter()
    ended = asyncio.run(send(deployment.servers, at_a_time, runs))
    took = time.perf_counter() - began
    servers, databases = ((after - earlier) / runs for after, earlier in zip(deployment.cpu_seconds(), before, strict=True))
    median, wrong = statistics.median(seconds for seconds, _ in ended), sum(not right for _, right in ended)
    memory = " + ".join(f"{sum(process.megabytes for process in used_by([url])):.0f}" for url in deployment.servers)
    return f"| {name} | {at_a_time} | {runs / took:.1f} | {median:.2f} | {wrong} | {servers:.2f} | {databases:.2f} | {memory} |"


def main() -> None:
    """Print the table."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what was started is ended as well
    deployments: dict[str, Callable[[], AbstractContextManager[Deployment]]] = {
        "`langgraph dev`": lambda: dev_server(shipped()),
        "Aegra, 1 process": lambda: aegra_servers(1, shipped()),
        "Aegra, 2 processes": lambda: aegra_servers(2, shipped()),
    }
    print(f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|", sep="\n")
    for name, start in deployments.items():
        with start() as deployment:
            for at_a_time, runs in LOADS:
                print(row(name, deployment, at_a_time, runs), flush=True)


if __name__ == "__main__":
    main()
