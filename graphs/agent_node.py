"""An agent as a node of a graph whose state has other keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda

from answergraph.nodes.budget import UsageLimits
from answergraph.nodes.inner_runs import Account

Mapped = Mapping[str, str] | Callable[[Any], Mapping[str, Any]]
"""How one state is made of another: per key the other's key, or a function."""

Mapper = Callable[[Any], Mapping[str, Any]]
"""Makes one state of another."""


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
    return AgentNode(agent, _mapping(inputs), _mapping(outputs))


class AgentNode(RunnableLambda[Any, Any]):
    """An agent between two mappings.

    A ``RunnableLambda``, because LangGraph looks into those for the subgraphs it draws and streams.
    """

    def __init__(self, agent: Runnable[Any, Any], given: Mapper, taken: Mapper, limits: UsageLimits | None = None) -> None:
        """Put the mappings around an agent.

        Args:
            agent: The agent.
            given: Makes its input of the graph's state.
            taken: Makes the state's update of its result.
            limits: Those of the agent in whose graph this is a node: what its run has left is lent, and charged to it.
        """

        def invoke(state: Any, config: RunnableConfig) -> Any:
            if limits is None:
                return taken(agent.invoke(given(state), config))
            with Account(limits, lambda: state) as account:
                return account.settled(taken(agent.invoke(given(state), config)))

        async def ainvoke(state: Any, config: RunnableConfig) -> Any:
            if limits is None:
                return taken(await agent.ainvoke(given(state), config))
            with Account(limits, lambda: state) as account:
                return account.settled(taken(await agent.ainvoke(given(state), config)))

        super().__init__(invoke, ainvoke, name=agent.get_name())
        self._parts = (agent, given, taken)

    def lending(self, limits: UsageLimits) -> AgentNode:
        """Return the node inside an agent's graph with these limits."""
        return AgentNode(*self._parts, limits)


def _mapping(mapped: Mapped) -> Mapper:
    if callable(mapped):
        return mapped
    return lambda source: {key: source[other] for key, other in mapped.items() if other in source}
