"""A second message while the first is being answered: the four strategies of the server."""

import asyncio
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import ConflictError

from tests.served.conftest import Provider
from tests.served.questions import asks

pytestmark = pytest.mark.server

EXCHANGES = {
    "enqueue": ["first", "Did: first", "second", "Did: second"],
    "interrupt": ["first", "second", "Did: second"],
    "rollback": ["second", "Did: second"],
}


async def text_twice(client: LangGraphClient, provider: Provider, strategy: Any) -> tuple[str, list[str], str | int]:
    """Send a message while another is in the model's hands; gives the thread, what it holds at last, and the first run's fate."""
    first = f"first ({strategy})"
    asked, released = provider.hold(first)
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(thread, "agent", input=asks(first), context=provider.context)
    assert await asyncio.to_thread(asked.wait, 30)
    second = client.runs.create(thread, "agent", input=asks("second"), context=provider.context, multitask_strategy=strategy)
    try:
        later = await second
    finally:
        released.set()
        await client.runs.join(thread, run["run_id"]) if strategy in {"enqueue", "reject"} else None
    await client.runs.join(thread, later["run_id"])
    values: Any = (await client.threads.get_state(thread))["values"]
    said = [message["content"].replace(f" ({strategy})", "") for message in values["messages"]]
    fates = {known["run_id"]: known["status"] for known in await client.runs.list(thread)}
    return thread, said, fates.get(run["run_id"], "gone")


async def test_what_becomes_of_the_first_message_is_the_callers_choice(client: LangGraphClient, provider: Provider) -> None:
    ended = await asyncio.gather(*(text_twice(client, provider, strategy) for strategy in EXCHANGES))
    assert {strategy: said for strategy, (_, said, _) in zip(EXCHANGES, ended, strict=True)} == EXCHANGES
    assert [fate for _, _, fate in ended] == ["success", "interrupted", "gone"]


async def test_a_second_message_can_be_refused(client: LangGraphClient, provider: Provider) -> None:
    with pytest.raises(ConflictError, match="already running"):
        await text_twice(client, provider, "reject")
