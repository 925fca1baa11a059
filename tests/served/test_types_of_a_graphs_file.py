"""A development server keeps its threads over a restart also where the answer's type stands in the graph's own file."""

from pathlib import Path

import httpx
import pytest

from tests.suite import processes
from tests.suite.langgraph_dev import langgraph_dev, lay_out, shipped

pytestmark = pytest.mark.server

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


def test_threads_outlive_the_server_if_the_answers_type_is_in_the_graphs_file(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(GRAPHS)
    lay_out(tmp_path, {**shipped(), "graphs": {name: f"./mine.py:{name}" for name in ("first", "second")}})
    port = processes.free_port()
    threads = []
    with langgraph_dev(tmp_path, {}, port) as url:
        for graph in ("first", "second"):
            thread = httpx.post(f"{url}/threads", json={}).json()["thread_id"]
            request = {"assistant_id": graph, "input": {"messages": [{"role": "user", "content": "Where?"}]}}
            httpx.post(f"{url}/threads/{thread}/runs/wait", json=request, timeout=60).raise_for_status()
            threads.append(thread)
    with langgraph_dev(tmp_path, {}, port) as url:
        for thread in threads:
            values = httpx.get(f"{url}/threads/{thread}/state", timeout=60).json()["values"]
            assert values["structured_response"] == {"lines": [{"number": 7}]}
            assert httpx.get(f"{url}/threads/{thread}", timeout=60).json()["values"]["outcome"]["status"] == "answered"
