"""A development server keeps its threads over a restart and a reload also if the answer's type is in the graph's own file."""

import time
from contextlib import suppress
from pathlib import Path
from threading import Event

import httpx
import pytest

from tests.suite import processes
from tests.suite.langgraph_dev import langgraph_dev, lay_out, shipped

pytestmark = pytest.mark.server

LONGEST_RELOAD = 120
"""In seconds, on a busy machine."""

GRAPHS = """
from langchain_core.messages import AIMessage
from pydantic import BaseModel

from answergraph import create_agent
from answergraph.testing import ScriptedChatModel

class Line(BaseModel):
    number: int

class Finding(BaseModel):
    lines: list[Line]

def an_agent():
    call = {"name": "Finding", "args": {"lines": [{"number": 7}]}, "id": "1"}
    return create_agent(ScriptedChatModel(replies=[AIMessage("", tool_calls=[call])] * 9), response_format=Finding)

first, second = an_agent(), an_agent()
"""


def run_of(url: str, graph: str) -> str:
    """Carry out a run of a new thread; returns the thread."""
    thread: str = httpx.post(f"{url}/threads", json={}, timeout=60).json()["thread_id"]
    request = {"assistant_id": graph, "input": {"messages": [{"role": "user", "content": "Where?"}]}}
    httpx.post(f"{url}/threads/{thread}/runs/wait", json=request, timeout=60).raise_for_status()
    return thread


def assert_is_kept(url: str, thread: str) -> None:
    values = httpx.get(f"{url}/threads/{thread}/state", timeout=60).json()["values"]
    assert values["structured_response"] == {"lines": [{"number": 7}]}
    assert httpx.get(f"{url}/threads/{thread}", timeout=60).json()["values"]["outcome"]["status"] == "answered"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(GRAPHS)
    lay_out(tmp_path, {**shipped(), "graphs": {name: f"./mine.py:{name}" for name in ("first", "second")}})
    return tmp_path


def test_threads_outlive_the_server_if_the_answers_type_is_in_the_graphs_file(folder: Path) -> None:
    port = processes.free_port()
    with langgraph_dev(folder, {}, port) as url:
        threads = [run_of(url, graph) for graph in ("first", "second")]
    with langgraph_dev(folder, {}, port) as url:
        for thread in threads:
            assert_is_kept(url, thread)


def test_threads_outlive_a_hot_reload_of_the_graphs_file_that_holds_the_answers_type(folder: Path) -> None:
    with langgraph_dev(folder, {}, reloads=True) as url:
        thread = run_of(url, "first")
        (folder / "mine.py").write_text(GRAPHS.replace('"number": 7', '"number": 8'))
        deadline = time.monotonic() + LONGEST_RELOAD
        while not is_loaded_anew(url):
            assert time.monotonic() < deadline, (folder / "log").read_text()
            Event().wait(0.5)
        assert_is_kept(url, thread)


def is_loaded_anew(url: str) -> bool:
    with suppress(httpx.HTTPError):
        values = httpx.get(f"{url}/threads/{run_of(url, 'second')}/state", timeout=60).json()["values"]
        return bool(values["structured_response"] == {"lines": [{"number": 8}]})
    return False
