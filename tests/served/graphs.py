"""Graphs that the tests serve beside the shipped ones. A server loads this file by its path, so it holds factories only."""

from functools import cache
from typing import Any

from langchain.agents.middleware import HumanInTheLoopMiddleware
from langgraph.graph import END, START, StateGraph

from answergraph import build_agent_graph, create_agent, external_tool
from answergraph.graphs.calculator import CALCULATOR_TOOLS, Calculation, create_calculator
from answergraph.middleware import GroundedAnswer
from tests.served.hooks import Announce, TeamState, stop_after_two_turns


@cache
def approval() -> Any:
    """Return a calculator that asks a human before it multiplies."""
    ask = HumanInTheLoopMiddleware(interrupt_on={"multiply": True})
    middleware = [ask, GroundedAnswer()]
    return create_agent("offline", CALCULATOR_TOOLS, response_format=Calculation, middleware=middleware, name="approval")


@cache
def elsewhere() -> Any:
    """Return a calculator whose products somebody else works out."""
    here = [tool for tool in CALCULATOR_TOOLS if tool.name != "multiply"]
    multiply: Any = next(tool for tool in CALCULATOR_TOOLS if tool.name == "multiply")
    waiting = external_tool("multiply", multiply.description, multiply.tool_call_schema)
    return create_agent("offline", [*here, waiting], response_format=Calculation, middleware=[GroundedAnswer()], name="elsewhere")


@cache
def team() -> Any:
    """Return a graph with a calculator as a node."""
    graph = StateGraph(TeamState)
    graph.add_node("calculator", create_calculator())
    graph.add_edge(START, "calculator")
    graph.add_edge("calculator", END)
    return graph.compile()


@cache
def hooked() -> Any:
    """Return a calculator with middleware that has hooks of every kind."""
    middleware = [Announce(), stop_after_two_turns, GroundedAnswer()]
    return build_agent_graph("offline", CALCULATOR_TOOLS, response_format=Calculation, middleware=middleware).compile()
