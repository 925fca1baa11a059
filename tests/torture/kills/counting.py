"""Kills a run at each of its points in turn, continues it in another process, and counts lost and repeated work."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, product
from pathlib import Path
from typing import Any, get_args

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver

import answergraph
from tests.torture.kills import killed_run
from tests.torture.kills.killed_run import (
    ASKED,
    REPLIES,
    Color,
    Durability,
    Library,
    Store,
    Way,
    agent_of,
    awaited_saver,
    blocking_saver,
    config_of,
    killed,
)

WAYS: tuple[Way, ...] = tuple(
    Way(*way) for way in product(get_args(Library), get_args(Store), get_args(Durability), get_args(Color))
)
TOOLS = frozenset("abc")


@dataclass
class Tally:
    """The counts after all kills of one way."""

    kills: int = 0
    lost: int = 0
    """Stored steps that are missing in the finished thread."""
    repeated: int = 0
    """Stored steps that ran again."""
    differing: int = 0
    """Threads that did not finish, or whose messages, answer or outcome differ from those of an uninterrupted run."""
    not_stored: int = 0
    """Tools that had run but were not stored yet; they run again."""
    most_not_stored: int = 0
    """The largest such number at one kill."""
    problems: list[str] = field(default_factory=list)

    def __add__(self, other: Tally) -> Tally:
        sums = {
            name: getattr(self, name) + getattr(other, name) for name in ("kills", "lost", "repeated", "differing", "not_stored")
        }
        most = max(self.most_not_stored, other.most_not_stored)
        return Tally(**sums, most_not_stored=most, problems=[*self.problems, *other.problems])

    @property
    def holds(self) -> bool:
        """Whether nothing is lost, repeated or different."""
        return not (self.lost or self.repeated or self.differing)


def tally_of(way: Way, folder: Path, place: str, every: int = 1, first: int = 1) -> Tally:
    """Kill runs of one way at each point, or at every n-th point, and continue each run."""
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload([killed_run.__name__])  # imported once: each killed process is a fork of this one
    expected, found = _seen(agent_of(way.library, InMemorySaver(), str).invoke(ASKED, config_of("unbroken"))), Tally()
    name = "-".join(way).lower()
    for number in count(first, every):
        thread, log = f"{name}-{number}", folder / f"{name}-{number}.log"
        process = processes.Process(target=killed, args=(way, place, thread, log, number))
        process.start()
        process.join()
        if process.exitcode == 0:
            return found
        if process.exitcode != -signal.SIGKILL:
            raise RuntimeError(f"The process of {thread} ended with {process.exitcode}.")
        found += _after_kill(way, place, thread, log.read_text().split() if log.exists() else [], expected)
    raise AssertionError


def _after_kill(way: Way, place: str, thread: str, before: Sequence[str], expected: Any) -> Tally:
    done: list[str] = []
    try:
        stored, result = _gone_on(way, place, thread, done)
    except Exception as error:  # noqa: BLE001 - threads that cannot continue are counted
        return Tally(1, differing=1, problems=[f"{thread}: {type(error).__name__}: {str(error)[:200]}"])
    replies, tools = sum(isinstance(each, AIMessage) for each in stored), _tools_in(stored)
    held = {message.id for message in result["messages"]}
    not_stored = sum(each in TOOLS and each not in tools for each in before)
    tally = Tally(1, not_stored=not_stored, most_not_stored=not_stored)
    tally.lost = sum(message.id not in held for message in stored)
    tally.repeated = max(done.count("model") - (len(REPLIES) - replies), 0) + sum(each in tools for each in done)
    tally.differing = int(_seen(result) != expected)
    if not tally.holds:
        tally.problems.append(f"{thread}: {tally}, done again {done}")
    return tally


def _gone_on(way: Way, place: str, thread: str, done: list[str]) -> tuple[list[Any], Any]:
    """Return what a thread had stored, and what it holds after it was continued."""
    config = config_of(thread)

    async def awaited() -> tuple[list[Any], Any]:
        async with awaited_saver(way.store, place) as saver:
            agent = agent_of(way.library, saver, done.append)
            stored = _stored(await agent.aget_state(config), await saver.aget_tuple(config))
            if stored and way.library == "answergraph":
                return stored, await answergraph.aresume(agent, config)
            return stored, await agent.ainvoke(None if stored else ASKED, config)

    if way.color == "async":
        return asyncio.run(awaited())
    with blocking_saver(way.store, place) as saver:
        agent = agent_of(way.library, saver, done.append)
        stored = _stored(agent.get_state(config), saver.get_tuple(config))
        if stored and way.library == "answergraph":
            return stored, answergraph.resume(agent, config)
        return stored, agent.invoke(None if stored else ASKED, config)


def _stored(state: Any, saved: Any) -> list[Any]:
    """Return the messages of a thread's checkpoint, and those that its finished tasks have written since."""
    if "source" not in (state.metadata or {}):
        return []  # with durability="exit", an empty checkpoint may come before the first one
    written = [value for _, channel, value in (saved.pending_writes or () if saved else ()) if channel == "messages"]
    since = [each for value in written for each in (value if isinstance(value, list) else [value])]
    known = {message.id for message in state.values.get("messages", [])}
    return [*state.values.get("messages", []), *(each for each in since if each.id not in known)]


def _tools_in(messages: Sequence[Any]) -> set[str]:
    return {message.tool_call_id for message in messages if isinstance(message, ToolMessage)}


def _seen(result: Any) -> Any:
    """Return the parts of a result that are equal in two runs of the same agent."""
    messages = [(message.type, message.text, getattr(message, "tool_call_id", None)) for message in result["messages"]]
    outcome = result.get("outcome")
    # The time of two runs differs.
    ended = (outcome["status"], {**outcome["usage"], "seconds": None}, len(outcome["attempts"])) if outcome else None
    return messages, result["structured_response"], ended


def places(folder: Path, postgres: Any) -> Iterator[tuple[Way, str]]:
    """Yield each way with its store: an SQLite file, or a database of a PostgreSQL server."""
    for way in WAYS:
        if way.store == "SQLite":
            yield way, str(folder / f"{'-'.join(way).lower()}.db")
        elif postgres is not None:
            place = postgres.create("_".join(way).lower())
            with blocking_saver("PostgreSQL", place) as saver:
                saver.setup()
            yield way, place
