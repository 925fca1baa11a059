"""The agents that are served over each protocol, and a server of somebody's own around them."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import interrupt
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import ASGIApp

from answergraph import ToolStrategy, UsageLimits, create_agent, external_tool
from answergraph.graphs import create_extractor
from answergraph.testing import ScriptedChatModel


class ScoredVerdict(BaseModel):
    """Whether the test passed."""

    passed: bool
    score: int


class Card(BaseModel):
    title: str


class Invoice(BaseModel):
    number: str
    total: float


INVOICE = "Invoice A-17. Amount due: 20.00"
EDIT = {"decisions": {"total": {"type": "edit", "value": 20}}}
GOOD = {"passed": True, "score": 7}
SHOW_CARD = external_tool("show_card", "Shows a card to the user.", Card)


@tool
def approve(what: str) -> str:
    """Ask a person."""
    return str(interrupt({"approve": what}))


@tool
def breaks(what: str) -> str:
    """Break."""
    raise RuntimeError(f"the password is {what}")


def call(name: str, **args: object) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"call_{name}", "type": "tool_call"}])


def answers(**args: object) -> AIMessage:
    return call("ScoredVerdict", **args)


ENDINGS: list[tuple[list[Any], dict[str, Any], str]] = [
    ([answers(passed=True)] * 9, {}, "invalid"),
    ([AIMessage("", additional_kwargs={"refusal": "I will not."})] * 9, {}, "refused"),
    ([AIMessage("I cannot tell.")] * 9, {}, "unanswered"),
    ([AIMessage('{"passed": tr', response_metadata={"finish_reason": "length"})] * 9, {}, "truncated"),
    ([call("approve", what="x")] * 9, {"limits": UsageLimits(model_calls=1)}, "out_of_budget"),
    ([answers(passed=True)] * 9, {"on_failure": "raise"}, "invalid"),
    ([call("show_card", title="x")] * 9, {}, "deferred"),
]
"""Replies of the model, options of the agent, and the status of the run, which ends without an answer."""


def agent_of(*replies: Any, tools: Any = (), **options: Any) -> Any:
    given = {"response_format": ToolStrategy(ScoredVerdict), "name": "verdict", **options}
    return create_agent(ScriptedChatModel(replies=list(replies)), list(tools), **given)


def reviewing() -> Any:
    """Return an agent that asks a person about the total that it read in ``INVOICE``."""
    read = call("Invoice", number="A-17", total=21)
    return create_extractor(ScriptedChatModel(replies=[read] * 2), Invoice, on_doubt="review", checkpointer=InMemorySaver())


def hanging() -> tuple[Any, asyncio.Event, asyncio.Event]:
    """Return a tool that hangs until it is cancelled, and the events of its begin and its end."""
    began, ended = asyncio.Event(), asyncio.Event()

    @tool
    async def hangs(what: str) -> str:
        """Hang."""
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return what

    return hangs, began, ended


@asynccontextmanager
async def mounted(path: str, make: Callable[[str], ASGIApp]) -> AsyncIterator[str]:
    """Serve an application, mounted in one of somebody's own, and give its address, which it is made with."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}{path}"
        server = uvicorn.Server(uvicorn.Config(Starlette(routes=[Mount(path, make(address))]), log_level="error"))
        serving = asyncio.create_task(server.serve([listening]))
        try:
            yield address
        finally:
            server.should_exit = True
            await serving
