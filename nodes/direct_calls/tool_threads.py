"""Threads for blocking tools on an event loop, enough for many calls per turn.

asyncio's own pool has as many threads as cores plus four: 50 calls of 20 ms take 170 ms there.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import TypeVar
from weakref import WeakKeyDictionary

from langchain_core.runnables.config import run_in_executor

MAX_TOOL_THREADS = 64
"""Maximum threads of an event loop; further calls wait."""

ResultT = TypeVar("ResultT")

_pools: WeakKeyDictionary[asyncio.AbstractEventLoop, ThreadPoolExecutor] = WeakKeyDictionary()
# A pool per loop: a tool may run an agent on its own loop, whose calls must not wait for the tool's thread. asyncio does not
# report a closed loop: its threads end when another loop gets a pool, or with garbage collection.


async def in_tool_thread(function: Callable[[], ResultT]) -> ResultT:
    """Run a blocking function in a thread of the running loop, in a copy of this context."""
    loop = asyncio.get_running_loop()
    return await run_in_executor(_pools.get(loop) or _new_pool(loop), partial(copy_context().run, function))


def _new_pool(loop: asyncio.AbstractEventLoop) -> ThreadPoolExecutor:
    for other in [other for other in _pools if other.is_closed()]:
        if pool := _pools.pop(other, None):
            pool.shutdown(wait=False)
    return _pools.setdefault(loop, ThreadPoolExecutor(MAX_TOOL_THREADS, thread_name_prefix="answergraph-tool"))
