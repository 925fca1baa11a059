"""A run with a limit of seconds whose server is stopped goes on in the next one, and ends within its limit."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_client

from tests.served.conftest import Provider
from tests.served.questions import asks
from tests.served.test_killed_server import LONGEST_SECONDS
from tests.suite import processes
from tests.suite.langgraph_dev import langgraph_dev, lay_out, shipped

pytestmark = pytest.mark.server

SECONDS = 8


async def test_a_limited_run_ends_with_its_outcome_in_the_server_after_the_one_that_was_stopped(
    provider: Provider, tmp_path: Path
) -> None:
    lay_out(tmp_path, shipped())
    port = processes.free_port()
    asked, released = provider.hold("Hang.")
    with langgraph_dev(tmp_path, provider.environment, port) as url:
        async with get_client(url=url) as client:
            thread = (await client.threads.create())["thread_id"]
            limited = {**provider.context, "max_seconds": SECONDS}
            run = (await client.runs.create(thread, "agent", input=asks("Hang."), context=limited))["run_id"]
            assert await asyncio.to_thread(asked.wait, LONGEST_SECONDS)
    # It has stopped at once: its run was given up, not brought to an end.
    with langgraph_dev(tmp_path, provider.environment, port) as url:
        async with get_client(url=url) as client:
            await client.runs.join(thread, run)
            state: Any = await client.threads.get_state(thread)
    released.set()
    outcome = state["values"]["outcome"]
    assert (outcome["status"], outcome["limit"], outcome["limits"]["seconds"]) == ("out_of_budget", "seconds", SECONDS)
