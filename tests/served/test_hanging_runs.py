"""Served runs with a deadline end in time with an outcome, whatever hangs in their model and tools."""

import asyncio
from time import monotonic
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient

from tests.served.questions import asks
from tests.torture.hanging_cases import DEADLINE, Case

pytestmark = pytest.mark.server

SEEDS = range(40)
AT_ONCE = 5
LATE = 20.0
"""Seconds after which a run counts as one that does not end, on any machine."""


async def ended(client: LangGraphClient, seed: int) -> tuple[str, float]:
    """Run a case on the server; return the status of its outcome and the seconds it took."""
    config: Any = {"configurable": {"seed": seed}}
    began = monotonic()
    if Case.of(seed).streamed:
        parts = [part async for part in client.runs.stream(None, "hanging", input=asks("q"), config=config, stream_mode="values")]
        values: Any = parts[-1].data
    else:
        values = await client.runs.wait(None, "hanging", input=asks("q"), config=config)
    return values["outcome"]["status"], monotonic() - began


async def test_every_run_of_a_server_ends_with_an_outcome_whatever_hangs(client: LangGraphClient) -> None:
    answering = [seed for seed in SEEDS if Case.of(seed).model == "answers"]
    # One after the other: the tools of other runs burn the process's time, also the part that is kept for the answer.
    answers = [await ended(client, seed) for seed in answering]
    assert [status for status, _ in answers] == ["answered"] * len(answering)
    places = asyncio.Semaphore(AT_ONCE)

    async def in_turn(seed: int) -> tuple[str, float]:
        async with places:
            return await ended(client, seed)

    others = await asyncio.gather(*(in_turn(seed) for seed in SEEDS if seed not in answering))
    assert {status for status, _ in others} <= {"answered", "out_of_budget", "truncated", "unanswered"}
    late = [seconds - DEADLINE for _, seconds in (*answers, *others)]
    assert max(late) < LATE, f"{max(late):.2f} s after the deadline"


async def test_a_hanging_run_can_be_cancelled(client: LangGraphClient) -> None:
    seed = next(seed for seed in range(1_000) if (case := Case.of(seed)).model == "never" and case.place == "alone")
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(thread, "hanging", input=asks("q"), config={"configurable": {"seed": seed}})
    began = monotonic()
    await client.runs.cancel(thread, run["run_id"], wait=True)
    assert monotonic() - began < LATE
    assert (await client.threads.get(thread))["status"] != "busy"
