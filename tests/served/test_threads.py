"""Threads on a server: time travel from a checkpoint, a fork, a copy, and a run that is cancelled."""

import asyncio
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient

from tests.served.conftest import Provider
from tests.served.questions import asks

pytestmark = pytest.mark.server


def answer(end: Any) -> Any:
    return end["structured_response"]["final_answer"]


async def calculated(client: LangGraphClient, text: str = "(2 + 3) × 4") -> tuple[str, list[Any]]:
    thread = (await client.threads.create())["thread_id"]
    end = await client.runs.wait(thread, "calculator", input=asks(text))
    assert answer(end) == 20
    return thread, list(await client.threads.get_history(thread, limit=50))


async def test_a_run_from_an_old_checkpoint_repeats_only_what_came_after(client: LangGraphClient) -> None:
    thread, history = await calculated(client)
    middle = next(state for state in history if state["next"] == ["model"] and len(state["values"]["messages"]) == 3)
    kept = [message["id"] for message in middle["values"]["messages"]]
    end: Any = await client.runs.wait(thread, "calculator", checkpoint_id=middle["checkpoint"]["checkpoint_id"])
    assert answer(end) == 20
    assert [message["id"] for message in end["messages"]][:3] == kept
    assert end["messages"][3]["id"] != history[0]["values"]["messages"][3]["id"]


async def test_a_fork_with_another_result_ends_in_another_answer(client: LangGraphClient) -> None:
    thread, history = await calculated(client)
    middle = next(state for state in history if state["next"] == ["model"] and len(state["values"]["messages"]) == 3)
    result = {**middle["values"]["messages"][-1], "content": "6.0"}
    forked: Any = await client.threads.update_state(thread, {"messages": [result]}, checkpoint=middle["checkpoint"])
    end = await client.runs.wait(thread, "calculator", checkpoint=forked["checkpoint"])
    assert answer(end) == 24
    old: Any = await client.threads.get_state(thread, checkpoint=history[0]["checkpoint"])
    assert answer(old["values"]) == 20


async def test_a_copy_goes_its_own_way(client: LangGraphClient) -> None:
    thread, _ = await calculated(client)
    found = await client.threads.search(metadata={}, limit=1000)
    before = {known["thread_id"] for known in found}
    await client.threads.copy(thread)
    (copy,) = {known["thread_id"] for known in await client.threads.search(metadata={}, limit=1000)} - before
    end = await client.runs.wait(copy, "calculator", input=asks("1 + 1"))
    assert answer(end) == 2
    original: Any = await client.threads.get_state(thread)
    assert answer(original["values"]) == 20


async def test_a_run_that_is_cancelled_keeps_what_it_had_and_its_thread_goes_on(
    client: LangGraphClient, provider: Provider
) -> None:
    asked, released = provider.hold("Wait here.")
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(thread, "agent", input=asks("Wait here."), context=provider.context)
    assert await asyncio.to_thread(asked.wait, 30)
    await client.runs.cancel(thread, run["run_id"], wait=True)
    released.set()
    assert (await client.runs.get(thread, run["run_id"]))["status"] == "interrupted"
    values: Any = (await client.threads.get_state(thread))["values"]
    assert [message["content"] for message in values["messages"]] == ["Wait here."]
    end: Any = await client.runs.wait(thread, "agent", input=asks("Go on."), context=provider.context)
    assert end["messages"][-1]["content"] == "Did: Go on."


async def test_a_run_that_was_stopped_goes_on_with_no_input(client: LangGraphClient, provider: Provider) -> None:
    asked, released = provider.hold("Hold this.")
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(thread, "agent", input=asks("Hold this."), context=provider.context)
    assert await asyncio.to_thread(asked.wait, 30)
    await client.runs.cancel(thread, run["run_id"], wait=True)
    released.set()
    state: Any = await client.threads.get_state(thread)
    assert [(task["name"], task["interrupts"]) for task in state["tasks"]] == [("model", [])]
    end: Any = await client.runs.wait(thread, "agent", input=None, context=provider.context)
    assert [message["content"] for message in end["messages"]] == ["Hold this.", "Did: Hold this."]
    assert (await client.threads.get_state(thread))["tasks"] == []
