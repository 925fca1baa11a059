"""Threads for tools that only block, when an agent runs on an event loop: enough for a turn with many calls.

asyncio's own pool has as many threads as the machine has cores, and four: 50 calls that wait 20 ms take 170 ms there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from langchain_core.runnables.config import run_in_executor

MAX_TOOL_THREADS = 64
"""Threads of one event loop, made when they are needed; further calls wait."""

ParametersT = ParamSpec("ParametersT")
ResultT = TypeVar("ResultT")

_pools: WeakKeyDictionary[asyncio.AbstractEventLoop, ThreadPoolExecutor] = WeakKeyDictionary()
# A pool per loop, as asyncio has it: a tool may itself run an agent on a loop of its own, and its calls must not wait for a
# thread that waits for them. asyncio does not say when a loop is closed: the threads of a closed loop end when another loop gets
# its pool, or when the loop is garbage.


async def in_tool_thread(
    function: Callable[ParametersT, ResultT], *args: ParametersT.args, **kwargs: ParametersT.kwargs
) -> ResultT:
    """Run a blocking function in a thread of the running loop, in a copy of this context."""
    loop = asyncio.get_running_loop()
    called = partial(copy_context().run, function, *args, **kwargs)
    return await run_in_executor(_pools.get(loop) or _new_pool(loop), called)


def _new_pool(loop: asyncio.AbstractEventLoop) -> ThreadPoolExecutor:
    for other in [other for other in _pools if other.is_closed()]:
        if pool := _pools.pop(other, None):
            pool.shutdown(wait=False)
    return _pools.setdefault(loop, ThreadPoolExecutor(MAX_TOOL_THREADS, thread_name_prefix="answergraph-tool"))
