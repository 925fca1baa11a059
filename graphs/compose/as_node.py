"""An agent as a node of a graph whose state has other keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.runnables import Runnable

from answergraph.nodes.subgraph_node import StateMapper, SubgraphNode

Mapped = Mapping[str, str] | Callable[[Any], Mapping[str, Any]]
"""How one state is made of another: per key the other's key, or a function."""


def as_node(agent: Runnable[Any, Any], *, inputs: Mapped, outputs: Mapped) -> Runnable[Any, Any]:
    """Make an agent a node of a graph whose state has other keys; it is drawn and streamed as a subgraph.

    Args:
        agent: The agent, or any compiled graph.
        inputs: Makes the agent's input of the graph's state: per key of the input the key of the state, or a function.
        outputs: Makes the state's update of the agent's result: per key of the state the key of the result, or a function.

    Returns:
        The node.

    Example:
        >>> from langgraph.graph import MessagesState, StateGraph
        >>> from answergraph import create_agent
        >>> class State(MessagesState):
        ...     reply: str
        >>> agent = create_agent("offline", name="greeter")
        >>> node = as_node(agent, inputs={"messages": "messages"}, outputs=lambda result: {"reply": result["messages"][-1].text})
        >>> graph = StateGraph(State).add_node("greeter", node).add_edge("__start__", "greeter").compile()
    """
    return SubgraphNode(agent, to_input=_mapping(inputs), to_update=_mapping(outputs))


def _mapping(mapped: Mapped) -> StateMapper:
    if callable(mapped):
        return mapped
    return lambda source: {key: source[other] for key, other in mapped.items() if other in source}
