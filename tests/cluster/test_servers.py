"""``make cluster``: the repository's own ``langgraph.json`` on two servers, every graph on each, and nothing left afterwards."""

import asyncio
import gzip
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from langgraph_sdk import get_client
from playwright.sync_api import expect

from answergraph.page import PAGE_PATH
from answergraph.page.app import FILES, HEADERS
from tests.answergraph.page.conftest import choose, ended
from tests.answergraph.page.test_static_views import steps
from tests.cluster.__main__ import READY
from tests.cluster.servers import missing
from tests.served.questions import QUESTIONS, SHIPPED, asks
from tests.suite import processes
from tests.suite.chromium import chromium
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


async def test_a_thread_begun_on_one_server_continues_on_the_other(made: tuple[processes.Program, list[str]]) -> None:
    async with get_client(url=made[1][0]) as first, get_client(url=made[1][1]) as second:
        thread = (await first.threads.create())["thread_id"]
        await first.runs.wait(thread, "calculator", input=asks("3 + 4"))
        end: Any = await second.runs.wait(thread, "calculator", input=asks("5 × 6"))
        kept: Any = await first.threads.get_state(thread)
    said = [message["content"] for message in end["messages"] if message["type"] == "human"]
    assert said == ["3 + 4", "5 × 6"]
    assert kept["values"]["structured_response"]["final_answer"] == 30


@pytest.mark.parametrize("server", [0, 1])
def test_each_server_hands_out_the_page_with_all_its_files_and_headers(
    made: tuple[processes.Program, list[str]], server: int
) -> None:
    with httpx.Client(base_url=f"{made[1][server]}{PAGE_PATH}/", timeout=60) as client:
        page = client.get("")
        # A file that is stored compressed is asked for by its own name; the client unpacks it, as browsers do.
        stored = {str(path.relative_to(FILES)): path.read_bytes() for path in sorted(FILES.rglob("*")) if path.is_file()}
        files = {
            name.removesuffix(".gz"): gzip.decompress(data) if name.endswith(".gz") else data for name, data in stored.items()
        }
        answers = {name: client.get(name) for name in files}
        missing_file = client.get("missing.js")
        bare = client.get(made[1][server] + PAGE_PATH)
    assert (page.status_code, page.content) == (200, (FILES / "index.html").read_bytes())
    assert [name for name, answer in answers.items() if (answer.status_code, answer.content) != (200, files[name])] == []
    assert answers["main.js"].headers["content-type"].startswith("text/javascript")
    assert [
        answer.url for answer in (page, *answers.values(), missing_file) if not HEADERS.items() <= dict(answer.headers).items()
    ] == []
    assert (missing_file.status_code, bare.status_code, bare.headers["location"]) == (404, 307, f"{PAGE_PATH}/")


async def test_what_the_page_asks_a_server_for_is_answered(made: tuple[processes.Program, list[str]]) -> None:
    """The routes and stream modes of the page's ``api.js``."""
    async with httpx.AsyncClient(base_url=made[1][0], timeout=60) as client:
        assistants = (await client.post("/assistants/search", json={"limit": 100})).json()
        chosen = {each["graph_id"]: each["assistant_id"] for each in assistants}["calculator"]
        drawn = await client.get(f"/assistants/{chosen}/graph")
        schemas = await client.get(f"/assistants/{chosen}/schemas")
        thread = (await client.post("/threads", json={})).json()["thread_id"]
        modes = ["messages-tuple", "updates", "values", "custom", "tasks"]
        body = {"assistant_id": chosen, "input": asks("3 + 4"), "stream_mode": modes, "stream_subgraphs": True}
        streamed = await client.post(f"/threads/{thread}/runs/stream", json=body)
        state = (await client.get(f"/threads/{thread}/state")).json()
        history = (await client.post(f"/threads/{thread}/history", json={"limit": 5})).json()
    events = {line.removeprefix("event: ").split("|")[0] for line in streamed.text.splitlines() if line.startswith("event: ")}
    assert {node["id"] for node in drawn.json()["nodes"]} >= {"model", "tools", "structured_response"}
    assert "messages" in str(schemas.json()["input_schema"])
    assert events >= {"messages", "updates", "values", "custom", "tasks"}
    assert state["values"]["structured_response"]["final_answer"] == 7
    assert history[0]["values"] == state["values"]


@pytest.mark.browser
def test_the_page_follows_a_run_on_one_server_and_shows_the_same_on_the_other(
    made: tuple[processes.Program, list[str]],
) -> None:
    first, second = made[1][:2]
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{first}{PAGE_PATH}/")
        page.wait_for_selector("body[data-ready]")
        choose(page, "calculator")
        page.get_by_label("Message", exact=True).fill("3 + 4")
        page.get_by_role("button", name="Run", exact=True).click()
        assert ended(page) == "The run has ended: answered."
        told = [row.split(" | ")[:3] for row in steps(page)]
        assert [name for _, name, _ in told] == ["model", "add", "model", "validate_calculation", "model", "structured_response"]
        expect(page.locator(".answer").get_by_role("row", name="final_answer")).to_contain_text("7")
        page.goto(page.url.replace(first, second))
        expect(page.get_by_role("heading", level=1)).to_have_text("Answered on the first attempt")
        expect(page.get_by_role("treegrid")).to_have_attribute("aria-rowcount", str(len(told)))
        assert [row.split(" | ")[:3] for row in steps(page)] == told
        assert errors == []


def test_at_the_end_all_of_it_is_gone(made: tuple[processes.Program, list[str]]) -> None:
    program, urls = made
    assert [is_open(url) for url in urls] == [True] * 4
    program.process.send_signal(signal.SIGINT)
    assert program.process.wait(timeout=60) == 0
    assert [is_open(url) for url in urls] == [False] * 4
    assert program.log.read_text().splitlines()[-1] == "ended"
