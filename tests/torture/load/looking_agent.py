"""An agent that looks a number up and answers with it, and the resources that a process holds."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from pathlib import Path
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from pydantic import BaseModel

from answergraph import ToolStrategy, create_agent
from answergraph.models.in_process.in_process_model import ChatRequest, InProcessChatModel

BYTES_PER_MB = 1_000_000


class Found(BaseModel):
    """The number found."""

    number: int


@tool
def look(number: int) -> int:
    """Look a number up."""
    return number


@tool
async def look_slowly(number: int) -> int:
    """Look a number up."""
    await asyncio.sleep(0.01)
    return number


class LookingModel(InProcessChatModel):
    """Calls its tool with the requested number, and answers with the number that the tool returned."""

    model_name: str = "looking"
    tool: str = "look"
    calls: int = 1

    @property
    def _llm_type(self) -> str:
        return "looking"

    def respond(self, request: ChatRequest) -> AIMessage:
        last = request.messages[-1]
        name, count = ("Found", 1) if isinstance(last, ToolMessage) else (self.tool, self.calls)
        said = (
            last.text if last.text.isdigit() else next(each.text for each in reversed(request.messages) if each.type == "human")
        )
        args = {"number": int(said)}
        calls = [{"name": name, "args": args, "id": f"{len(request.messages)}-{at}"} for at in range(count)]
        usage: Any = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        return AIMessage("", tool_calls=calls, usage_metadata=usage)


def looking_agent(*, tool: str = "look", calls: int = 1, **options: Any) -> Any:
    model = LookingModel(tool=tool, calls=calls)
    return create_agent(model, [look, look_slowly], response_format=ToolStrategy(Found), **options)


def asked(number: int) -> Any:
    return {"messages": [str(number)]}


class Held(NamedTuple):
    """The resources that this process holds."""

    megabytes: float
    threads: int
    handles: int

    @classmethod
    def now(cls) -> Held:
        gc.collect()
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return cls(pages * os.sysconf("SC_PAGE_SIZE") / BYTES_PER_MB, threading.active_count(), len(os.listdir("/proc/self/fd")))

    def more_than(self, before: Held) -> Held:
        return Held(self.megabytes - before.megabytes, self.threads - before.threads, self.handles - before.handles)
