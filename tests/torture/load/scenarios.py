"""The scenarios, each in its own process, and their bounds."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from time import process_time
from typing import Any, NamedTuple

from langchain_core.messages import RemoveMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from answergraph.middleware import before_agent
from tests.torture.load.looking_agent import Held, asked, looking_agent

MAX_GROWN_MB = 5.0
"""For runs that keep nothing; allocators and caches take a little."""
MAX_THREADS_KEPT = 64
"""The tool threads of one event loop, and those of asyncio's pool; they are kept for the next run, after any number of runs."""
KEPT_MESSAGES = 20


class Finding(NamedTuple):
    """The result of one scenario."""

    what: str
    found: str
    bound: str
    holds: bool


def runs_in_one_process(number: int) -> Finding:
    """Make half of the runs blocking and half awaited; the first tenth fills caches."""
    agent = looking_agent()

    async def awaited(count: int) -> None:
        for each in range(count):
            _check(await agent.ainvoke(asked(each)), each)

    def all_runs(count: int) -> None:
        for each in range(count // 2):
            _check(agent.invoke(asked(each)), each)
        asyncio.run(awaited(count // 2))

    all_runs(number // 10)
    before = Held.now()
    all_runs(number - number // 10)
    return _left(f"{number:,} runs in one process", Held.now().more_than(before))


def turns_on_one_thread(number: int) -> Finding:
    """Cut the conversation to its last messages at every tenth turn; only the saver's data may grow."""

    @before_agent
    def cut(state: Any, runtime: Any) -> Any:
        messages = state["messages"]
        return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *messages[-1:]]} if len(messages) > KEPT_MESSAGES else None

    saver = InMemorySaver()
    agent, config = looking_agent(checkpointer=saver, middleware=[cut]), _config(1)

    def turns(first: int, last: int) -> float:
        started = process_time()
        for each in range(first, last):
            _check(agent.invoke(asked(each), config, durability="exit"), each)
        return process_time() - started

    tenth = number // 10
    early = turns(0, tenth)
    before = Held.now()
    turns(tenth, number - tenth)
    late = turns(number - tenth, number)
    grown = Held.now().more_than(before)
    per_turn = grown.megabytes * 1000 / (number - tenth)
    holds = late < 2 * early and grown.threads <= 0 and grown.handles <= 0
    found = f"a turn takes {late / early:.1f} times as long at the end, the saver keeps {per_turn:.1f} KB a turn"
    return Finding(f"{number:,} turns on one thread", found, "2 times as long", holds)


def runs_at_once(number: int) -> Finding:
    agent = looking_agent()

    async def both_rounds() -> Held:
        await _gathered(agent, number)
        before = Held.now()
        await _gathered(agent, number)
        assert len(asyncio.all_tasks()) == 1
        return Held.now().more_than(before)

    return _left(f"{number:,} runs at once", asyncio.run(both_rounds()))


def calls_in_one_reply(number: int, *, tool: str = "look") -> Finding:
    """Compare with a tenth of the calls: linear work takes ten times as long."""
    seconds = []
    for count in (number // 10, number):
        agent = looking_agent(calls=count, tool=tool)
        started = process_time()
        result = agent.invoke(asked(1))
        asyncio.run(agent.ainvoke(asked(1)))
        seconds.append((process_time() - started) / 2)
        assert len(result["messages"]) == count + 4
    factor = seconds[1] / seconds[0]
    what = f"{number:,} parallel calls of {'a tool' if tool == 'look' else 'an unknown tool'}"
    return Finding(what, f"{seconds[1]:.1f} s of CPU, {factor:.0f} times a tenth of them", "20 times", factor < 20)


def stopped_runs(number: int, *, timed_out: bool) -> Finding:
    """Stop each run a little later than the one before, then run the next turn of its thread."""
    agent = looking_agent(tool="look_slowly", calls=3, checkpointer=InMemorySaver())

    async def stopped(each: int) -> None:
        run = agent.ainvoke(asked(each), _config(each))
        seconds = each % 50 / 1000
        with suppress(asyncio.CancelledError, TimeoutError):
            if timed_out:
                await asyncio.wait_for(run, seconds)
            else:
                task = asyncio.ensure_future(run)
                await asyncio.sleep(seconds)
                task.cancel()
                await task

    async def all_stopped() -> Held:
        await stopped(0)
        before = Held.now()
        for each in range(number):
            await stopped(each)
            _check(await agent.ainvoke(asked(each), _config(each)), each)
        assert len(asyncio.all_tasks()) == 1
        return Held.now().more_than(before)._replace(megabytes=0)  # the conversations stay in memory

    what = f"{number:,} runs {'timed out' if timed_out else 'cancelled'}, then the next turn"
    return _left(what, asyncio.run(all_stopped()))


def findings(part: int = 1) -> Iterator[Finding]:
    """Yield the result of each scenario, in full or with a fraction of its numbers."""
    scenarios: list[Callable[[], Finding]] = [
        partial(runs_in_one_process, 5_000 // part),
        partial(turns_on_one_thread, 10_000 // part),
        partial(runs_at_once, 1_000 // part),
        partial(calls_in_one_reply, 1_000 // part),
        partial(calls_in_one_reply, 1_000 // part, tool="nobody"),
        partial(stopped_runs, 500 // part, timed_out=False),
        partial(stopped_runs, 500 // part, timed_out=True),
    ]
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    with ProcessPoolExecutor(1, context, max_tasks_per_child=1) as processes:
        for scenario in scenarios:
            yield processes.submit(scenario).result()


async def _gathered(agent: Any, number: int) -> None:
    results = await asyncio.gather(*(agent.ainvoke(asked(each)) for each in range(number)))
    for each, result in enumerate(results):
        _check(result, each)


def _check(result: Any, number: int) -> None:
    assert result["outcome"]["status"] == "answered", result["outcome"]
    assert result["structured_response"].number == number


def _config(thread: int) -> Any:
    return {"configurable": {"thread_id": str(thread)}}


def _left(what: str, grown: Held) -> Finding:
    found = f"{grown.megabytes:.1f} MB, {grown.threads} threads, {grown.handles} handles more"
    holds = grown.megabytes <= MAX_GROWN_MB and grown.threads <= MAX_THREADS_KEPT and grown.handles <= 0
    return Finding(what, found, f"{MAX_GROWN_MB:.0f} MB, {MAX_THREADS_KEPT} threads, 0 handles", holds)
