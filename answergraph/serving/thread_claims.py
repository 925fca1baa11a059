"""Claims: one call at a time goes on with a run, in all processes that share a checkpointer.

A claim is a write in a namespace of its own beside the thread. Of two writes with one task and index, LangGraph keeps the first
in its checkpointers, so of two processes that claim at once, one reads its own claim back. A claim is renewed while its run
goes on; that of a killed process of this machine ends at once, of another machine when it is not renewed.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, empty_checkpoint
from typing_extensions import TypedDict

from answergraph.many.ledger.owners import at_work, is_dead, new_owner

LEASE_SECONDS = 120.0
NAMESPACE = "answergraph-claims"
_CHANNEL = "claim"


class _Claim(TypedDict):
    owner: str
    until: float


@asynccontextmanager
async def claimed(saver: BaseCheckpointSaver[str], thread: str) -> AsyncIterator[bool]:
    """Claim a thread for the time of the block; the value is whether it is ours, or another call has it."""
    claims = ThreadClaims(saver, thread)
    at_work.add(claims.owner)
    try:
        if not await claims.claim(LEASE_SECONDS):
            yield False
            return
        renewing = asyncio.create_task(claims.renew())
        try:
            yield True
        finally:
            renewing.cancel()
            with suppress(asyncio.CancelledError):
                await renewing
            await claims.claim(0)  # free for the next
    finally:
        at_work.discard(claims.owner)


class ThreadClaims:
    """The claims of one thread, the last of which counts."""

    def __init__(self, saver: BaseCheckpointSaver[str], thread: str) -> None:
        self.owner = new_owner()
        self._saver = saver
        self._checkpoint = empty_checkpoint() | {"id": "0"}
        self._config: RunnableConfig = {"configurable": {"thread_id": thread, "checkpoint_ns": NAMESPACE}}
        self._own: RunnableConfig = {"configurable": {**self._config["configurable"], "checkpoint_id": "0"}}

    async def claim(self, seconds: float) -> bool:
        """Add a claim unless another owner holds the thread; return whether it is ours."""
        claims = await self._read()
        if claims and claims[-1]["owner"] != self.owner and _is_held(claims[-1]):
            return False
        number, claim = len(claims), _Claim(owner=self.owner, until=time.time() + seconds)
        await self._saver.aput_writes(self._own, [(_CHANNEL, claim)], f"{number:09}")
        claims = await self._read()
        # A checkpointer that shows no such writes cannot tell.
        return len(claims) <= number or claims[number] == claim

    async def renew(self) -> None:
        """Renew the claim again and again."""
        while True:
            await asyncio.sleep(LEASE_SECONDS / 3)
            await self.claim(LEASE_SECONDS)

    async def _read(self) -> list[_Claim]:
        kept = await self._saver.aget_tuple(self._own)
        if kept is None:
            await self._saver.aput(self._config, self._checkpoint, {}, {})
            return []
        writes = sorted((task, value) for task, channel, value in kept.pending_writes or () if channel == _CHANNEL)
        return [value for _, value in writes]


def _is_held(claim: _Claim) -> bool:
    return claim["until"] > time.time() and not is_dead(claim["owner"])
