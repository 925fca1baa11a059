"""A client of several servers: if one is gone it asks another, and it never starts a run twice."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import httpx
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import InternalServerError

POLL_SECONDS = 1.0
MOST_POLLS = 240
FORGOTTEN_POLLS = 60
"""A run that has not ended after so many polls is cancelled and gone on with; a dead server's lease is over long before."""
MOST_ROUNDS = 30
UNFINISHED = {"pending", "running"}
STOPPED = {"error", "interrupted"}


@dataclass(frozen=True)
class Ended:
    """A run that ended."""

    thread: str
    run: str
    status: str
    values: dict[str, Any]


class ClusterClient:
    """Spreads runs over servers."""

    def __init__(self, urls: Sequence[str]) -> None:
        self._urls = urls
        self._stack = AsyncExitStack()
        self._clients: list[LangGraphClient] = []

    async def __aenter__(self) -> Self:
        for url in self._urls:
            self._clients.append(await self._stack.enter_async_context(get_client(url=url)))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def run(self, number: int, graph: str, question: dict[str, Any], *, goes_on: bool = False) -> Ended:
        """Start a run at a server chosen by number, and wait for its end on any server; go on with one that has failed."""
        thread = str(uuid.uuid4())
        await self.ask(number, lambda client: client.threads.create(thread_id=thread, if_exists="do_nothing"))
        run = await self.ask(number, lambda client: _create_once(client, thread, graph, question))
        for poll in range(1, MOST_POLLS + 1):
            known = await self.ask(number, partial(_known, thread=thread, run=run))
            if known["status"] in UNFINISHED:
                if goes_on and poll % FORGOTTEN_POLLS == 0:
                    # Aegra gives the lease of a failed run back also if its end could not be stored: nobody has the run then.
                    await self.ask(number, partial(_cancel, thread=thread, run=run))
            elif goes_on and known["status"] in STOPPED:
                run = await self.ask(number, partial(_go_on, thread=thread, graph=graph, question=question, failed=run))
            else:
                state = await self.ask(number, lambda client: client.threads.get_state(thread))
                return Ended(thread, run, known["status"], state["values"])
            await asyncio.sleep(POLL_SECONDS)
        raise TimeoutError(f"run {run} of thread {thread} did not end")

    async def ask(self, number: int, what: Callable[[LangGraphClient], Awaitable[Any]]) -> Any:
        """Ask one server, and the others in turn if it does not answer: a busy one may just be closing the connection."""
        first = number % len(self._clients)
        lost: Exception | None = None
        for _ in range(MOST_ROUNDS):
            for client in self._clients[first:] + self._clients[:first]:
                try:
                    return await what(client)
                except (httpx.TransportError, InternalServerError) as error:  # the latter while a store is away
                    lost = error
            await asyncio.sleep(POLL_SECONDS)
        raise ConnectionError("no server answers") from lost


async def _create_once(client: LangGraphClient, thread: str, graph: str, question: dict[str, Any]) -> str:
    # A server that died may have made the run before it could say so.
    known = await client.runs.list(thread)
    # With "sync" a step is stored before the next one begins. By default it is stored during the next ones, and a busy server
    # that is killed may lose several steps.
    run = known[0] if known else await client.runs.create(thread, graph, input=question, durability="sync")
    return run["run_id"]


async def _known(client: LangGraphClient, thread: str, run: str) -> Any:
    return await client.runs.get(thread, run)


async def _cancel(client: LangGraphClient, thread: str, run: str) -> None:
    await client.runs.cancel(thread, run)


async def _go_on(client: LangGraphClient, thread: str, graph: str, question: dict[str, Any], failed: str) -> str:
    """Go on from the thread's last checkpoint, or begin if none was stored, unless that has been done."""
    newest: str = (await client.runs.list(thread, limit=1))[0]["run_id"]
    if newest != failed:
        return newest
    state = await client.threads.get_state(thread)
    place: Any = {"checkpoint": state["checkpoint"]} if state["values"] else {"input": question}
    return (await client.runs.create(thread, graph, durability="sync", **place))["run_id"]
