"""Tools in other processes that hang: a run with a deadline ends with its answer, and their processes end after it."""

import asyncio
import signal
import sys
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from langchain_core.tools import tool
from mcp import Client, StdioServerParameters, stdio_client

from answergraph import ToolStrategy, UsageLimits, create_agent
from answergraph.runtime import time_limits
from tests.graphs.agent.hanging_agents import ANSWER, LONG, QUESTION, SOON, ThinkingModel, told
from tests.graphs.agent.scripted_agents import call, calls
from tests.suite.verdicts import Score

ROOT = Path(__file__).parents[2]
PATIENCE = 300
"""Tenths of a second in which the processes of a run that has ended must end."""

pytestmark = pytest.mark.torture


def agent_with(slow: Any) -> Any:
    """Return an agent whose first reply takes a little, so that time is kept for its answer on a busy machine too."""
    model = ThinkingModel(replies=[calls(call("slow", {}, "s")), ANSWER])
    return create_agent(model, [slow], response_format=ToolStrategy(Score), limits=UsageLimits(seconds=4))


def is_running(pid: str) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    try:
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def running(pids: Path) -> list[str]:
    return [pid for pid in pids.read_text().split() if is_running(pid)]


async def ended(slow: Any, pids: Path) -> tuple[dict[str, Any], float]:
    """Run an agent with the tool; return its result and its seconds, when no process of it is left."""
    began = monotonic()
    result = await agent_with(slow).ainvoke(QUESTION)
    seconds = monotonic() - began
    for _ in range(PATIENCE):
        if not running(pids) and not time_limits.calls_left_behind():
            break
        await asyncio.sleep(0.1)
    return result, seconds


@pytest.mark.skipif(sys.platform != "linux", reason="it looks for processes in /proc")
@pytest.mark.parametrize("kind", ["sleeps", "spins", "ignores signals", "spawns", "never starts"])
async def test_an_mcp_server_that_hangs_keeps_no_run_and_ends(tmp_path: Path, kind: str) -> None:
    pids = tmp_path / "pids"
    pids.touch()
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "tests.torture.hanging_mcp_server", kind, str(pids)], cwd=str(ROOT)
    )

    @tool
    async def slow() -> str:
        """Search for long."""
        async with Client(stdio_client(server)) as client:
            return str(await client.call_tool("slow", {}))

    result, seconds = await ended(slow, pids)
    assert result["outcome"]["status"] == "answered"
    assert told(result)[0] == "Tool slow gave no result. The call did not end in time."
    assert seconds < SOON
    assert running(pids) == []
    assert time_limits.calls_left_behind() == 0


@pytest.mark.skipif(sys.platform != "linux", reason="it looks for processes in /proc")
async def test_a_program_whose_tool_ends_it_when_cancelled_ends_with_the_run(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    pids.touch()
    programs = []

    @tool
    async def slow() -> str:
        """Search for long."""
        program = await asyncio.create_subprocess_exec(sys.executable, "-c", f"import time; time.sleep({LONG})")
        programs.append(program)
        pids.write_text(str(program.pid))
        try:
            return str(await program.wait())
        finally:
            program.kill()

    result, seconds = await ended(slow, pids)
    assert (result["outcome"]["status"], seconds < SOON) == ("answered", True)
    assert running(pids) == []
    # The operating system ends a program before the event loop hears of it, and warns of one it never heard of.
    assert [await program.wait() for program in programs] == [-signal.SIGKILL]
