"""Graphs that the tests serve beside the shipped ones. A server loads this file by its path, so it holds factories only."""

from functools import cache
from threading import Event
from typing import Any

from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from pydantic import BaseModel

from answergraph import ToolStrategy, build_agent_graph, create_agent, external_tool
from answergraph.graphs import create_judge
from answergraph.graphs.add_ons.calculator.calculator import CALCULATOR_TOOLS, Calculation, create_calculator
from answergraph.middleware import GroundedAnswer
from answergraph.testing import ScriptedChatModel
from tests.served.hooks import Announce, TeamState, stop_after_two_turns
from tests.torture.hanging_cases import Case, graph_of


@cache
def approval() -> Any:
    """Return a calculator that asks a human before it multiplies."""
    ask = HumanInTheLoopMiddleware(interrupt_on={"multiply": True})
    middleware = [ask, GroundedAnswer()]
    return create_agent("offline", CALCULATOR_TOOLS, response_format=Calculation, middleware=middleware, name="approval")


@cache
def elsewhere() -> Any:
    """Return a calculator with an external tool for multiplication."""
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


class Verdict(BaseModel):
    """Whether the tests pass."""

    passed: bool


def _unsure(**options: Any) -> Any:
    unsure = AIMessage("", tool_calls=[{"name": "Verdict", "args": {"passed": "perhaps"}, "id": "1"}])
    model = ScriptedChatModel(replies=lambda messages: unsure)
    return create_agent(model, response_format=ToolStrategy(Verdict, **options), on_failure="raise", name="unsure")


def raising() -> Any:
    """Return an agent that raises an error if it has no answer."""
    return _unsure()


def unreadable() -> Any:
    """Return an agent that raises the model's mistake."""
    return _unsure(handle_errors=False)


def undecided() -> Any:
    """Return a judge that raises an error if no rule holds."""
    return create_judge("offline", ["approved", "needs fix"], on_failure="raise")


@cache
def hooked() -> Any:
    """Return a calculator with middleware that has hooks of every kind."""
    middleware = [Announce(), stop_after_two_turns, GroundedAnswer()]
    return build_agent_graph("offline", CALCULATOR_TOOLS, response_format=Calculation, middleware=middleware).compile()


def hanging(config: RunnableConfig) -> Any:
    """Return an agent with a deadline, whose model and tools hang in one of the seeded ways."""
    return graph_of(Case.of(config["configurable"].get("seed", 0)), Event())
