"""Runs in the process that is killed: an agent with its own store, and the points at which it can die."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import wraps
from itertools import count
from pathlib import Path
from typing import Any, Literal, NamedTuple

import langchain.agents
import langchain.agents.structured_output
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from answergraph import ToolStrategy, create_agent
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import Verdict

Library = Literal["answergraph", "LangChain"]
Store = Literal["SQLite", "PostgreSQL"]
Color = Literal["sync", "async"]
Durability = Literal["sync", "async", "exit"]


def _calls(*calls: tuple[str, dict[str, Any], str]) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": call_id} for name, args, call_id in calls])


REPLIES = (
    _calls(("look", {"at": "a"}, "a"), ("look", {"at": "b"}, "b")),
    _calls(("look", {"at": "c"}, "c")),
    _calls(("Verdict", {"passed": True, "score": 70}, "wrong")),
    _calls(("Verdict", {"passed": True, "score": 7}, "right")),
)
ASKED: dict[str, Any] = {"messages": [HumanMessage("Did it pass?")]}


class Way(NamedTuple):
    """One way to run and to store a thread."""

    library: Library
    store: Store
    durability: Durability
    color: Color


def agent_of(library: Library, saver: Any, note: Callable[[str], Any], point: Callable[[], Any] = lambda: None) -> Any:
    """Return an agent of either library that looks three times, corrects its answer, and logs its calls."""

    @tool
    def look(at: str) -> str:
        """Look at something."""
        note(at)
        point()
        return f"saw {at}"

    def reply(messages: list[Any]) -> AIMessage:
        note("model")
        point()
        return REPLIES[sum(isinstance(message, AIMessage) for message in messages)].model_copy()

    model = ScriptedChatModel(replies=reply)
    if library == "answergraph":
        return create_agent(model, [look], response_format=ToolStrategy(Verdict), checkpointer=saver)
    theirs = langchain.agents.structured_output.ToolStrategy(Verdict)
    return langchain.agents.create_agent(model, [look], response_format=theirs, checkpointer=saver)


@contextmanager
def blocking_saver(store: Store, place: str) -> Iterator[Any]:
    opened = SqliteSaver.from_conn_string(place) if store == "SQLite" else PostgresSaver.from_conn_string(place)
    with opened as saver:
        yield saver


@asynccontextmanager
async def awaited_saver(store: Store, place: str) -> AsyncIterator[Any]:
    opened: Any = AsyncSqliteSaver.from_conn_string(place) if store == "SQLite" else AsyncPostgresSaver.from_conn_string(place)
    async with opened as saver:
        yield saver


def config_of(thread: str) -> Any:
    return {"configurable": {"thread_id": thread}}


def killed(way: Way, place: str, thread: str, log: Path, number: int) -> None:
    """Run the agent until it reaches a point for the n-th time, then die."""
    numbers = count(1)

    def note(line: str) -> None:
        with log.open("a") as opened:
            opened.write(f"{line}\n")

    def point() -> None:
        if next(numbers) == number:
            os.kill(os.getpid(), signal.SIGKILL)

    async def awaited() -> None:
        async with awaited_saver(way.store, place) as saver:
            for name in ("aput", "aput_writes"):
                setattr(saver, name, _awaited_points(getattr(saver, name), point))
            agent = agent_of(way.library, saver, note, point)
            await agent.ainvoke(ASKED, config_of(thread), durability=way.durability)

    if way.color == "async":
        asyncio.run(awaited())
        return
    with blocking_saver(way.store, place) as saver:
        for name in ("put", "put_writes"):
            setattr(saver, name, _blocking_points(getattr(saver, name), point))
        agent_of(way.library, saver, note, point).invoke(ASKED, config_of(thread), durability=way.durability)


def _blocking_points(method: Callable[..., Any], point: Callable[[], Any]) -> Callable[..., Any]:
    """Return a method of a saver with a point before and after it."""

    @wraps(method)  # LangGraph inspects its signature
    def store(*args: Any, **kwargs: Any) -> Any:
        point()
        stored = method(*args, **kwargs)
        point()
        return stored

    return store


def _awaited_points(method: Callable[..., Any], point: Callable[[], Any]) -> Callable[..., Any]:
    @wraps(method)
    async def store(*args: Any, **kwargs: Any) -> Any:
        point()
        stored = await method(*args, **kwargs)
        point()
        return stored

    return store
