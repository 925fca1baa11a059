"""``make server-cost``: the cost of a run on a server with our agent and with LangChain's, for ``docs/performance.md``.

Both do the work of the benchmark: five steps of a tool call, then the answer, with a model that takes 50 ms. With the page closed
a client waits for the result; with the page open it starts the run as the page does and reads its stream to the end.

``python -m tests.cluster.compare 8 4`` sends eight runs per row, four at a time.
"""

import asyncio
import re
import signal
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from itertools import product
from typing import Any

import httpx
import psycopg

from benchmarks.work import EXPECTED, QUESTION
from tests.cluster.cost import used_by
from tests.cluster.measure import Deployment, aegra_servers, dev_server

AGENTS = ("answergraph", "create_agent")
CONFIG = {"dependencies": ["."], "graphs": {name: f"./tests/cluster/compared.py:{name}" for name in AGENTS}}
RUNS, AT_A_TIME = 80, 20
WARM_UP = 4
COLUMNS = (
    "server",
    "page",
    "agent",
    "runs a second",
    "median, s",
    "95 in 100, s",
    "CPU a run, server, s",
    "CPU a run, databases, s",
    "sent a run, KB",
    "stored a run, KB",
    "memory, servers, MB",
)
AS_THE_PAGE = {"stream_mode": ["messages-tuple", "updates", "custom"], "stream_subgraphs": True, "stream_resumable": True}
"""How the page starts a run: ``createRun`` in ``api.js``."""
RIGHT = re.compile(rb'"total":\s*%d' % EXPECTED.total)

Asked = Callable[[httpx.AsyncClient, str], Awaitable[bytes]]
"""Makes one run of an agent and returns what the server sent."""


async def page_closed(client: httpx.AsyncClient, agent: str) -> bytes:
    """Wait for a run's result."""
    return (await _post(client, f"/threads/{await _thread(client)}/runs/wait", _run_of(agent))).content


async def page_open(client: httpx.AsyncClient, agent: str) -> bytes:
    """Start a run as the page does, and read its stream to the end."""
    runs = f"/threads/{await _thread(client)}/runs"
    run = (await _post(client, runs, {**_run_of(agent), **AS_THE_PAGE})).json()["run_id"]
    return (await client.get(f"{runs}/{run}/stream", headers={"last-event-id": "-1"})).raise_for_status().content


async def send(urls: list[str], ask: Asked, agent: str, runs: int, at_a_time: int) -> list[tuple[float, int]]:
    """Make runs, spread over the servers; return how long each took and how many bytes were sent.

    Raises:
        AssertionError: If an answer is wrong.
    """
    places = asyncio.Semaphore(at_a_time)
    # A server closes a connection that is idle, which a request may be about to use: each gets one of its own.
    settings: Any = {
        "timeout": 300,
        "headers": {"accept-encoding": "identity"},
        "limits": httpx.Limits(max_keepalive_connections=0),
    }
    clients = [httpx.AsyncClient(base_url=url, **settings) for url in urls]

    async def placed(number: int) -> tuple[float, int]:
        async with places:
            began = time.perf_counter()
            sent = await ask(clients[number % len(clients)], agent)
            assert RIGHT.search(sent), f"{agent} answered {sent!r}"
            return time.perf_counter() - began, len(sent)

    ended = await asyncio.gather(*(placed(number) for number in range(runs)))
    for client in clients:
        await client.aclose()
    return ended


def row(deployment: Deployment, ask: Asked, agent: str, runs: int, at_a_time: int) -> str:
    """Return the figures of one line of the table."""
    asyncio.run(send(deployment.servers, ask, agent, WARM_UP, at_a_time))
    stored, before, began = _stored(deployment), deployment.cpu_seconds(), time.perf_counter()
    ended = asyncio.run(send(deployment.servers, ask, agent, runs, at_a_time))
    took = time.perf_counter() - began
    servers, databases = ((after - earlier) / runs for after, earlier in zip(deployment.cpu_seconds(), before, strict=True))
    memory = " + ".join(f"{sum(process.megabytes for process in used_by([url])):.0f}" for url in deployment.servers)
    seconds, sent = sorted(seconds for seconds, _ in ended), sum(size for _, size in ended) / runs / 1000
    kept, late = (_stored(deployment) - stored) / runs / 1000, seconds[95 * (runs - 1) // 100]
    return (
        f"{runs / took:.1f} | {statistics.median(seconds):.2f} | {late:.2f} | {servers:.3f} | {databases:.3f} | {sent:.1f} | "
        f"{f'{kept:.0f}' if deployment.databases else ''} | {memory}"
    )


def main(runs: int = RUNS, at_a_time: int = AT_A_TIME) -> None:
    """Print the table."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what was started is ended as well
    deployments: dict[str, Callable[[], AbstractContextManager[Deployment]]] = {
        "`langgraph dev`": lambda: dev_server(CONFIG),
        "Aegra, 2 processes": lambda: aegra_servers(2, CONFIG),
    }
    print(f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|", sep="\n")
    for (name, start), agent in product(deployments.items(), AGENTS):
        with start() as deployment:  # a server of its own, so that the memory is that of one agent
            for page, ask in {"closed": page_closed, "open": page_open}.items():
                print(f"| {name} | {page} | {agent} | {row(deployment, ask, agent, runs, at_a_time)} |", flush=True)


def _stored(deployment: Deployment) -> int:
    """Return how many bytes the databases have written to their log; a server without a database keeps all in memory."""
    if not deployment.databases:
        return 0
    with psycopg.connect(deployment.databases[0]) as connection:
        written: Any = connection.execute("SELECT wal_bytes FROM pg_stat_wal").fetchone()
    return int(written[0])


def _run_of(agent: str) -> dict[str, Any]:
    return {"assistant_id": agent, "input": {"messages": [{"role": "user", "content": QUESTION}]}}


async def _thread(client: httpx.AsyncClient) -> str:
    thread: str = (await _post(client, "/threads", {})).json()["thread_id"]
    return thread


async def _post(client: httpx.AsyncClient, path: str, body: dict[str, Any]) -> httpx.Response:
    return (await client.post(path, json=body)).raise_for_status()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
