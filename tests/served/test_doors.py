"""Agents over MCP, mounted beside the routes of a LangGraph server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from langgraph_sdk import get_client
from mcp import Client

from tests.served.questions import QUESTIONS
from tests.suite.langgraph_dev import langgraph_dev, lay_out, shipped

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("doors")
    lay_out(folder, {**shipped(), "http": {"app": "./tests/served/doors.py:app"}})
    with langgraph_dev(folder, {}) as url:
        yield url


async def test_a_server_answers_over_mcp_beside_its_own_routes(address: str) -> None:
    steps: list[str | None] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        steps.append(message)

    async with Client(f"{address}/typed/mcp/") as client:
        (tool,) = (await client.list_tools()).tools
        result = await client.call_tool(tool.name, {"request": "(17 × 23) + (89 ÷ 4) - 156"}, progress_callback=note)
    assert tool.output_schema is not None
    assert "final_answer" in tool.output_schema["properties"]
    assert result.structured_content is not None
    assert (result.is_error, result.structured_content["final_answer"]) == (False, 257.25)
    assert "structured_response" in steps
    async with get_client(url=address) as server:
        end = await server.runs.wait(None, "calculator", input=QUESTIONS["calculator"].input)
    assert isinstance(end, dict)
    assert QUESTIONS["calculator"].is_right(end)
