"""A run that several processes go on with at once; a process is another served agent over the same database."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import interrupt

from answergraph import ToolStrategy, create_agent
from answergraph.many.ledger.owners import new_owner
from answergraph.serving import thread_claims
from answergraph.serving.served_agent import ServedAgent
from answergraph.testing import ScriptedChatModel
from tests.answergraph.serving.served_agents import GOOD, ScoredVerdict, answers, call

Savers = Callable[[], Any]


async def report(*_: object) -> None:
    """Take the progress of a run."""


@asynccontextmanager
async def in_memory(_: str) -> AsyncIterator[Savers]:
    saver = InMemorySaver()
    yield lambda: saver


@asynccontextmanager
async def in_sqlite(place: str) -> AsyncIterator[Savers]:
    """Open a connection for each process."""
    async with AsyncExitStack() as stack:
        savers = [await stack.enter_async_context(AsyncSqliteSaver.from_conn_string(f"{place}/runs.db")) for _ in range(3)]
        yield savers.pop


@asynccontextmanager
async def in_postgres(database: str) -> AsyncIterator[Savers]:
    async with AsyncExitStack() as stack:
        savers = [await stack.enter_async_context(AsyncPostgresSaver.from_conn_string(database)) for _ in range(3)]
        await savers[0].setup()
        yield savers.pop


def served(saver: BaseCheckpointSaver[Any], refunds: list[str]) -> ServedAgent:
    @tool
    async def refund(order: str) -> str:
        """Refund an order, if a person agrees."""
        refunds.append(str(interrupt({"refund": order})))
        await asyncio.sleep(0.3)
        return "Refunded."

    def reply(messages: list[BaseMessage]) -> AIMessage:
        return answers(**GOOD) if isinstance(messages[-1], ToolMessage) else call("refund", order="O-1")

    format_ = ToolStrategy(ScoredVerdict)
    agent = create_agent(ScriptedChatModel(replies=reply), [refund], response_format=format_, name="verdict", checkpointer=saver)
    return ServedAgent(agent)


async def waiting_thread(agent: ServedAgent) -> str:
    end = await agent.run({"request": "x"}, report)
    assert end.content is not None
    return str(end.content["thread_id"])


@pytest.mark.parametrize("opened", [in_memory, in_sqlite, pytest.param(in_postgres, marks=pytest.mark.postgres)])
async def test_a_decision_that_is_sent_to_several_processes_at_once_is_carried_out_once(
    opened: Any, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    refunds: list[str] = []
    place = request.getfixturevalue("postgres_database") if opened is in_postgres else str(tmp_path)
    async with opened(place) as savers:
        processes = [served(savers(), refunds) for _ in range(3)]
        thread = await waiting_thread(processes[0])
        decision = {"thread_id": thread, "decision": "yes"}
        ends = await asyncio.gather(*[process.resume(decision, report) for process in processes * 2])
        late = await processes[1].resume(decision, report)
    assert refunds == ["yes"]
    assert [end.content for end in ends if end.content] == [GOOD]
    assert {end.text for end in ends if not end.content} == {f"failed: The run of the thread_id {thread!r} goes on already."}
    assert late.text == f"failed: No run waits under the thread_id {thread!r}."


async def test_a_run_whose_call_was_cancelled_can_be_gone_on_with_elsewhere() -> None:
    saver, refunds = InMemorySaver(), list[str]()
    first, second = served(saver, refunds), served(saver, refunds)
    decision = {"thread_id": await waiting_thread(first), "decision": "yes"}
    going_on = asyncio.create_task(first.resume(decision, report))
    await asyncio.sleep(0.15)
    going_on.cancel()
    await asyncio.gather(going_on, return_exceptions=True)
    assert refunds == ["yes"]
    assert (await second.resume(decision, report)).content == GOOD


def ended_process() -> int:
    with Popen(["true"]) as process:
        process.wait()
        return process.pid


@pytest.mark.parametrize(
    ("owner", "seconds", "is_held"),
    [
        ("another machine:{own}:1", 60, True),
        ("another machine:{own}:1", -1, False),
        ("{machine}:{ended}:1", 60, False),
    ],
    ids=["renewed elsewhere", "not renewed", "killed here"],
)
async def test_a_claim_holds_while_its_process_lives(owner: str, seconds: float, is_held: bool) -> None:
    saver = InMemorySaver()
    agent = served(saver, [])
    thread = await waiting_thread(agent)
    machine, own, _ = new_owner().split(":")
    before = thread_claims.ThreadClaims(saver, thread)
    before.owner = owner.format(machine=machine, own=own, ended=ended_process())
    assert await before.claim(seconds)
    end = await agent.resume({"thread_id": thread, "decision": "yes"}, report)
    assert ("goes on already" in end.text) == is_held


async def test_a_claim_is_renewed_while_the_run_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread_claims, "LEASE_SECONDS", 0.09)
    monkeypatch.setattr(thread_claims, "is_dead", lambda owner: False)
    saver = InMemorySaver()
    async with thread_claims.claimed(saver, "served-1") as is_ours:
        assert is_ours
        began = time.monotonic()
        while time.monotonic() - began < 0.5:
            await asyncio.sleep(0.02)
            async with thread_claims.claimed(saver, "served-1") as is_theirs:
                assert not is_theirs
    async with thread_claims.claimed(saver, "served-1") as is_theirs:
        assert is_theirs


async def test_a_thread_keeps_its_history_beside_the_claims() -> None:
    saver = InMemorySaver()
    agent = served(saver, [])
    thread = await waiting_thread(agent)

    async def history() -> list[str]:
        own: Any = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
        return [each.checkpoint["id"] async for each in saver.alist(own)]

    before = await history()
    async with thread_claims.claimed(saver, thread):
        assert (await history(), await agent.waits_for(thread)) == (before, "waits_for_person")
