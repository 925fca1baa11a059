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
"""Maximum threads of an event loop's pool; further calls wait."""
MAX_CANCELLED = MAX_TOOL_THREADS // 2
"""Cancelled calls of a pool, whose threads may hang; after as many, later calls get another pool."""

ResultT = TypeVar("ResultT")

_pools: WeakKeyDictionary[asyncio.AbstractEventLoop, "_Pool"] = WeakKeyDictionary()
# A pool per loop: a tool may run an agent on its own loop, whose calls must not wait for the tool's thread. asyncio does not
# report a closed loop: its threads end when another loop gets a pool, or with garbage collection.


async def in_tool_thread(function: Callable[[], ResultT]) -> ResultT:
    """Run a blocking function in a thread of the running loop, in a copy of this context."""
    loop = asyncio.get_running_loop()
    pool = _pools.get(loop) or _new_pool(loop)
    try:
        return await run_in_executor(pool, partial(copy_context().run, function))
    except asyncio.CancelledError:
        pool.cancelled += 1
        if pool.cancelled >= MAX_CANCELLED and _pools.get(loop) is pool:
            # The other half of its threads makes the calls that wait in it.
            del _pools[loop]
            pool.shutdown(wait=False)
        raise


class _Pool(ThreadPoolExecutor):
    cancelled = 0


def _new_pool(loop: asyncio.AbstractEventLoop) -> _Pool:
    for other in [other for other in _pools if other.is_closed()]:
        if pool := _pools.pop(other, None):
            pool.shutdown(wait=False)
    return _pools.setdefault(loop, _Pool(MAX_TOOL_THREADS, thread_name_prefix="answergraph-tool"))
