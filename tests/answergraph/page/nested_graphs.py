"""Graphs that a tool runs: an agent of answergraph in a tool of another, and in a tool of LangChain's agent."""

from typing import Any

import langchain.agents
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.tools import tool

from answergraph import UsageLimits, create_agent
from answergraph.graphs import as_tool
from answergraph.middleware import GroundedAnswer
from answergraph.testing import ScriptedChatModel
from tests.answergraph.page.watched_graphs import QUOTE, Cause, Finding, calls, in_turn, read_log


def _looks(messages: list[BaseMessage]) -> AIMessage:
    """Read the log of a town, then quote it."""
    town, call_id = messages[0].text, f"{messages[0].text}-{len(messages)}"
    if len(messages) == 1:
        return calls("read_log", {"path": town}, call_id)
    return calls("Finding", {"is_real": True, "quotes": [QUOTE], "why": "It says so."}, call_id)


def priced() -> Any:
    """Return an agent whose calls have a price."""
    limits = UsageLimits(cost=1, prices={"dear": {"input": 100, "output": 1_000}})
    model = ScriptedChatModel(replies=_looks, model_name="dear")
    return create_agent(model, [read_log], response_format=Finding, middleware=[GroundedAnswer()], limits=limits, name="priced")


def _guide() -> Any:
    model = ScriptedChatModel(replies=_looks)
    return create_agent(model, [read_log], response_format=Finding, middleware=[GroundedAnswer()], name="guide")


def _asks(argument: str) -> AIMessage:
    towns = ("Rome", "Oslo")
    return AIMessage("", tool_calls=[{"name": "ask_guide", "args": {argument: town}, "id": town} for town in towns])


def guides() -> Any:
    """Return an agent that asks another agent about two towns in parallel, within limits."""
    ask = as_tool(_guide(), name="ask_guide", description="Asks the guide of a town.")
    model = ScriptedChatModel(replies=in_turn(_asks("request"), calls("Cause", {"cause": "Both guides say so."}, "answer")))
    limits = UsageLimits(model_calls=20, total_tokens=100_000, answer_attempts=2)
    return create_agent(model, [ask], response_format=Cause, limits=limits, name="guides")


def langchain_guides() -> Any:
    """Return LangChain's agent, one of whose tools runs our agent."""
    guide = _guide()

    @tool
    async def ask_guide(town: str) -> str:
        """Ask the guide of a town."""
        end = await guide.ainvoke({"messages": town})
        return str(end["structured_response"].why)

    model = ScriptedChatModel(replies=in_turn(_asks("town"), AIMessage("Both say so.")))
    return langchain.agents.create_agent(model, [ask_guide])
