"""``make cluster``: the repository's own ``langgraph.json`` on two servers, every graph on each, and nothing left afterwards."""

import asyncio
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from langgraph_sdk import get_client

from tests.cluster.__main__ import READY
from tests.cluster.servers import missing
from tests.served.questions import QUESTIONS, SHIPPED, asks
from tests.suite import processes
from tests.suite.langgraph_dev import REPOSITORY

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[processes.Program, list[str]]]:
    if lacking := missing():
        pytest.skip(f"not installed: {', '.join(lacking)}")
    log: Path = tmp_path_factory.mktemp("cluster") / "log"
    program = processes.start([sys.executable, "-m", "tests.cluster"], REPOSITORY, {}, log)
    try:
        program.wait_until(lambda: READY in log.read_text().splitlines())
        yield program, [line.split()[-1] for line in log.read_text().splitlines() if "://" in line]
    finally:
        program.end()


def is_open(url: str) -> bool:
    parts = urlsplit(url)
    with socket.socket() as probe:
        return probe.connect_ex((str(parts.hostname), int(parts.port or 0))) == 0


async def ends(url: str, graph: str, **options: Any) -> dict[str, Any]:
    async with get_client(url=url) as client:
        thread = await client.threads.create()
        question = options.pop("input", QUESTIONS[graph].input)
        end: Any = await client.runs.wait(thread["thread_id"], graph, input=question, **options)
        return dict(end)


async def test_every_graph_ends_with_the_right_answer_on_each_server(made: tuple[processes.Program, list[str]]) -> None:
    servers = [url for url in made[1] if url.startswith("http")]
    asked = [(url, graph) for url in servers for graph in SHIPPED]
    ended = await asyncio.gather(*(ends(url, graph) for url, graph in asked))
    assert len(servers) == 2
    assert [(graph, end) for (_, graph), end in zip(asked, ended, strict=True) if not QUESTIONS[graph].is_right(end)] == []


async def test_a_runs_context_reaches_the_factories_of_the_graphs(made: tuple[processes.Program, list[str]]) -> None:
    server = made[1][0]
    schema = {"title": "Sum", "type": "object", "properties": {"final_answer": {"type": "number"}}}
    limited, judged = await asyncio.gather(
        ends(server, "agent", input=asks("1 + 2 + 3 + 4"), context={"response_format": schema, "max_model_calls": 2}),
        ends(server, "judge", input={"report": "It is red."}, context={"rules": ["it is blue", "it is red"]}),
    )
    assert limited["outcome"]["usage"]["model_calls"] == 2
    assert judged["judgment"]["label"] == "it is red"


async def test_a_thread_that_one_server_began_is_gone_on_with_by_the_other(made: tuple[processes.Program, list[str]]) -> None:
    async with get_client(url=made[1][0]) as first, get_client(url=made[1][1]) as second:
        thread = (await first.threads.create())["thread_id"]
        await first.runs.wait(thread, "calculator", input=asks("3 + 4"))
        end: Any = await second.runs.wait(thread, "calculator", input=asks("5 × 6"))
        kept: Any = await first.threads.get_state(thread)
    said = [message["content"] for message in end["messages"] if message["type"] == "human"]
    assert said == ["3 + 4", "5 × 6"]
    assert kept["values"]["structured_response"]["final_answer"] == 30


def test_at_the_end_all_of_it_is_gone(made: tuple[processes.Program, list[str]]) -> None:
    program, urls = made
    assert [is_open(url) for url in urls] == [True] * 4
    program.process.send_signal(signal.SIGINT)
    assert program.process.wait(timeout=60) == 0
    assert [is_open(url) for url in urls] == [False] * 4
    assert program.log.read_text().splitlines()[-1] == "ended"
