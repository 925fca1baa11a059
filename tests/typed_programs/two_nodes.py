# pyright: strict, reportUnknownMemberType=false, reportMissingTypeStubs=false
# The two that are off are about LangGraph's own StateGraph.
"""Two agents as nodes of one graph with a reducer, whose threads are kept."""

import operator
from typing import Annotated, Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from pydantic import BaseModel
from typing_extensions import TypedDict

from answergraph import AgentGraph, AgentResult, as_node, create_agent
from answergraph.testing import ScriptedChatModel


class Risk(BaseModel):
    """A risk."""

    level: int


class State(TypedDict, total=False):
    """A question, and the levels that were found."""

    question: list[str]
    levels: Annotated[list[int], operator.add]


def assessor(reply: str, **more: Any) -> AgentGraph[Risk | None]:
    """Return an agent that assesses; ``more`` are arguments of ``create_agent``."""
    return create_agent(ScriptedChatModel(replies=[reply] * 6), response_format=Risk, **more)


def level_of(result: AgentResult[Risk | None]) -> dict[str, list[int]]:
    """Return the update of the graph."""
    risk = result["structured_response"]
    return {"levels": [] if risk is None else [risk.level]}


def build() -> CompiledStateGraph[State, None, State, State]:
    """Return the graph."""
    graph = StateGraph(State)
    for name, reply in (("left", '{"level": 1}'), ("right", '{"level": 2}')):
        node = as_node(assessor(reply, name=name), inputs={"messages": "question"}, outputs=level_of)
        graph.add_node(name, node)
        graph.add_edge(START, name)
        graph.add_edge(name, END)
    return graph.compile(checkpointer=InMemorySaver())


def main() -> list[int]:
    """Assess by both agents."""
    result = build().invoke({"question": ["How risky is it?"]}, {"configurable": {"thread_id": "1"}})
    return sorted(result["levels"])
