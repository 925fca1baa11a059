"""The ledger: a file in which tools record each execution, even if their process dies."""

import asyncio
import json
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from operator import add, mul, sub
from pathlib import Path
from typing import Annotated, Any

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, InjectedToolCallId, tool

LEDGER = "ANSWERGRAPH_LEDGER"
"""Environment variable: the ledger's path."""
TOOL_SECONDS = 0.15
"""Seconds that an operation takes, so that a process can be killed in the middle of one."""


@dataclass(frozen=True)
class Entry:
    """One execution of a tool."""

    thread: str
    call: str
    process: int
    began: str
    """When, in ISO form, UTC."""


def read_ledger(path: Path) -> list[Entry]:
    """Return all entries, in the order in which they were made."""
    return [Entry(**json.loads(line)) for line in path.read_text().splitlines()]


def repeated_after_checkpoint(entries: Iterable[Entry], checkpointed: dict[str, str]) -> list[Entry]:
    """Return the entries of calls that ran although a checkpoint had their result.

    Args:
        entries: The entries of one thread.
        checkpointed: For each call, when the first checkpoint was made that has its result, in ISO form, UTC.
    """
    return [entry for entry in entries if entry.call in checkpointed and _time(entry.began) > _time(checkpointed[entry.call])]


def first_checkpoints(history: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Return for each tool call when the first checkpoint was made that has its result.

    Args:
        history: The states of a thread, as a server lists them.
    """
    first: dict[str, str] = {}
    for state in sorted(history, key=lambda state: _time(state["created_at"])):
        for message in state["values"].get("messages", ()):
            if message["type"] == "tool":
                first.setdefault(message["tool_call_id"], state["created_at"])
    return first


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _enter(config: RunnableConfig, call: str) -> None:
    entry = Entry(str(config["configurable"]["thread_id"]), call, os.getpid(), datetime.now(UTC).isoformat())
    line = json.dumps(asdict(entry)) + "\n"
    # One write in append mode: entries of several processes do not mix.
    descriptor = os.open(os.environ[LEDGER], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(descriptor, line.encode())
    finally:
        os.close(descriptor)


def _entering(name: str, operate: Callable[[float, float], float]) -> BaseTool:
    async def operation(a: float, b: float, call: Annotated[str, InjectedToolCallId], config: RunnableConfig) -> float:
        """Carry out an operation."""
        _enter(config, call)
        await asyncio.sleep(TOOL_SECONDS)
        return operate(a, b)

    return tool(name, description=f"{name.capitalize()} two numbers.")(operation)


LEDGER_TOOLS = tuple(_entering(name, operate) for name, operate in (("add", add), ("subtract", sub), ("multiply", mul)))
