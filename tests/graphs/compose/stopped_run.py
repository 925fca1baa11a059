"""A run that is stopped when it stores its n-th write or checkpoint: by an exception, or by SIGKILL in a process of its own."""

import asyncio
import os
import signal
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from answergraph import ToolStrategy, create_agent
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import BAD, GOOD, QUESTION, Verdict, call, calls

THREAD: Any = {"configurable": {"thread_id": "1"}}
REPLIES = (
    calls(call("look", {"at": "a"}, "a"), call("look", {"at": "b"}, "b")),
    calls(call("look", {"at": "c"}, "c")),
    calls(call("Verdict", BAD, "bad")),
    calls(call("Verdict", GOOD, "good")),
)


def agent_of(saver: Any, note: Callable[[str], Any]) -> Any:
    """Return an agent that looks three times and corrects its answer; notes each call of the model and of the tool."""

    @tool
    def look(at: str) -> str:
        """Look at something."""
        note(at)
        return f"saw {at}"

    def reply(messages: list[Any]) -> AIMessage:
        note("model")
        return REPLIES[sum(isinstance(message, AIMessage) for message in messages)].model_copy()

    return create_agent(ScriptedChatModel(replies=reply), [look], response_format=ToolStrategy(Verdict), checkpointer=saver)


def stop_at(saver: Any, number: int, stop: Callable[[], Any], *, methods: tuple[str, ...] = ("put", "put_writes")) -> None:
    """Have a saver call ``stop`` instead of storing anything from the n-th time on; it counts by its ``methods``."""
    counted: list[str] = []

    def stopping(method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)  # LangGraph looks at its signature
        def store(*args: Any, **kwargs: Any) -> Any:
            counted.append(method.__name__)
            return stop() if len(counted) >= number else method(*args, **kwargs)

        return store

    for name in methods:
        setattr(saver, name, stopping(getattr(saver, name)))


def killed(database: Path, log: Path, number: int, color: str) -> None:
    """Run the agent on a database until the n-th time that it stores something, then die."""

    def note(line: str) -> None:
        with log.open("a") as opened:
            opened.write(f"{line}\n")

    def die() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    async def awaited() -> None:
        async with AsyncSqliteSaver.from_conn_string(str(database)) as saver:
            stop_at(saver, number, die, methods=("aput", "aput_writes"))
            await agent_of(saver, note).ainvoke(QUESTION, THREAD, durability="sync")

    if color == "async":
        asyncio.run(awaited())
    else:
        with SqliteSaver.from_conn_string(str(database)) as saver:
            stop_at(saver, number, die)
            agent_of(saver, note).invoke(QUESTION, THREAD, durability="sync")
