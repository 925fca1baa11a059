"""A run whose server is killed with SIGKILL goes on in the server that is started after it."""

import asyncio
import time
from pathlib import Path

import pytest
from langgraph_sdk import get_client

from tests.served.conftest import Provider
from tests.served.questions import asks
from tests.suite import processes
from tests.suite.langgraph_dev import langgraph_dev, lay_out, shipped

pytestmark = pytest.mark.server

LONGEST_SECONDS = 60


def is_written_after(moment: float, folder: Path) -> bool:
    files = list(folder.glob("*.pckl"))
    return bool(files) and min(file.stat().st_mtime for file in files) > moment


async def until_written(folder: Path) -> None:
    """Wait until the server has written all its files once more: ``langgraph dev`` does so every ten seconds."""
    begun = time.time()
    async with asyncio.timeout(LONGEST_SECONDS):
        while not is_written_after(begun, folder):  # noqa: ASYNC110 - another process writes
            await asyncio.sleep(0.1)


async def test_a_run_goes_on_in_the_next_server_without_being_asked_for(provider: Provider, tmp_path: Path) -> None:
    lay_out(tmp_path, shipped())
    port = processes.free_port()
    asked, released = provider.hold("Outlive this.")
    with langgraph_dev(tmp_path, provider.environment, port, crashes=True) as url:
        async with get_client(url=url) as client:
            thread = (await client.threads.create())["thread_id"]
            run = (await client.runs.create(thread, "agent", input=asks("Outlive this."), context=provider.context))["run_id"]
            assert await asyncio.to_thread(asked.wait, LONGEST_SECONDS)
            await until_written(tmp_path / ".langgraph_api")
    released.set()
    with langgraph_dev(tmp_path, provider.environment, port) as url:
        async with get_client(url=url) as client:
            end = await client.runs.join(thread, run)
            assert [message["content"] for message in end["messages"]] == ["Outlive this.", "Did: Outlive this."]
            assert (await client.runs.get(thread, run))["status"] == "success"
            assert (await client.threads.get_state(thread))["tasks"] == []
