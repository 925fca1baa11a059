"""Blocking functions on an event loop, each in a thread."""

import asyncio
import threading
from contextvars import ContextVar
from time import monotonic

import pytest

from answergraph.nodes.direct_calls.tool_threads import MAX_TOOL_THREADS, in_tool_thread

WHO: ContextVar[str] = ContextVar("who", default="nobody")
PATIENCE = 30
"""Seconds in which threads must have ended, on any machine."""


def tool_threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name.startswith("answergraph-tool")}


async def test_a_function_sees_the_context_and_leaves_it_as_it_is() -> None:
    def change() -> str:
        before = WHO.get()
        WHO.set("the function")
        return before

    WHO.set("the caller")
    assert await in_tool_thread(change) == "the caller"
    assert WHO.get() == "the caller"


async def test_as_many_functions_as_there_are_threads_block_at_once() -> None:
    barrier = threading.Barrier(MAX_TOOL_THREADS, timeout=30)
    await asyncio.gather(*(in_tool_thread(barrier.wait) for _ in range(MAX_TOOL_THREADS)))


async def test_the_end_of_an_iteration_is_an_error_that_a_coroutine_can_raise() -> None:
    with pytest.raises(RuntimeError) as caught:
        await in_tool_thread(lambda: next(iter(())))
    assert isinstance(caught.value.__cause__, StopIteration)


def test_the_threads_of_closed_loops_end_when_another_loop_gets_its_own() -> None:
    before = tool_threads()
    loops = [asyncio.new_event_loop() for _ in range(3)]  # kept: garbage collection must not be what ends the threads
    for loop in loops:
        loop.run_until_complete(in_tool_thread(int))
        loop.close()
    asyncio.run(in_tool_thread(int))
    end = monotonic() + PATIENCE
    while len(left := tool_threads() - before) > 1 and monotonic() < end:
        left.pop().join(timeout=0.05)
    assert len(left) <= 1


async def test_calls_that_hang_after_they_were_cancelled_keep_no_later_call_waiting() -> None:
    over = threading.Event()
    try:
        for _ in range(3):
            hung = [asyncio.ensure_future(in_tool_thread(over.wait)) for _ in range(MAX_TOOL_THREADS)]
            await asyncio.sleep(0)
            for call in hung:
                call.cancel()
            assert all(isinstance(end, asyncio.CancelledError) for end in await asyncio.gather(*hung, return_exceptions=True))
            assert await asyncio.wait_for(in_tool_thread(lambda: "done"), PATIENCE) == "done"
    finally:
        over.set()
