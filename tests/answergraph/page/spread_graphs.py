"""Graphs that do the same for several towns in parallel: an agent for each, an agent in one node, plain functions."""

import operator
from typing import Annotated, Any

from langchain_core.messages import AIMessage, BaseMessage
from langgraph.graph import START, StateGraph
from langgraph.types import Send
from typing_extensions import TypedDict

from answergraph import create_agent
from answergraph.middleware import GroundedAnswer
from answergraph.testing import ScriptedChatModel
from tests.answergraph.page.watched_graphs import QUOTE, Finding, calls, read_log


class Town(TypedDict):
    """One town."""

    town: str


class Towns(TypedDict):
    """Towns and the findings about them."""

    towns: list[str]
    found: Annotated[list[dict[str, str]], operator.add]


def _about_a_town(messages: list[BaseMessage]) -> AIMessage:
    """Read the log, then quote it; the quote about Oslo is always wrong."""
    town, call_id = messages[0].text, f"{messages[0].text}-{len(messages)}"
    if len(messages) == 1:
        return calls("read_log", {"path": town}, call_id)
    quote = f"the trams of Oslo, {len(messages)}" if town == "Oslo" else QUOTE
    return calls("Finding", {"is_real": True, "quotes": [quote], "why": "It says so."}, call_id)


def _guide() -> Any:
    model = ScriptedChatModel(replies=_about_a_town)
    return create_agent(model, [read_log], response_format=Finding, middleware=[GroundedAnswer()], name="guide")


def towns() -> Any:
    """Return a graph in which an agent examines each town, in parallel."""
    guide = _guide()

    async def visit(state: Town) -> dict[str, Any]:
        end = await guide.ainvoke({"messages": state["town"]})
        return {"found": [{"town": state["town"], "status": end["outcome"]["status"]}]}

    def spread(state: Towns) -> list[Send]:
        return [Send("visit", {"town": town}) for town in state["towns"]]

    return StateGraph(Towns).add_node("visit", visit).add_conditional_edges(START, spread, ["visit"]).compile()


def batch() -> Any:
    """Return a graph in which an agent examines all towns in one node."""
    guide = _guide()

    async def visit_all(state: Towns) -> dict[str, Any]:
        ends = await guide.abatch([{"messages": town} for town in state["towns"]])
        pairs = zip(state["towns"], ends, strict=True)
        return {"found": [{"town": town, "status": end["outcome"]["status"]} for town, end in pairs]}

    return StateGraph(Towns).add_node("visit_all", visit_all).add_edge(START, "visit_all").compile()


def lengths() -> Any:
    """Return a graph of plain functions that counts the letters of each town in parallel, then adds them up."""

    def count(state: Town) -> dict[str, Any]:
        return {"found": [{"town": state["town"], "letters": str(len(state["town"]))}]}

    def add_up(state: Towns) -> dict[str, Any]:
        return {"found": [{"town": "all", "letters": str(sum(int(each["letters"]) for each in state["found"]))}]}

    def spread(state: Towns) -> list[Send]:
        return [Send("count", {"town": town}) for town in state["towns"]]

    graph = StateGraph(Towns).add_node("count", count).add_node("add_up", add_up).add_edge("count", "add_up")
    return graph.add_conditional_edges(START, spread, ["count"]).compile()
