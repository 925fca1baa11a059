"""A graph as a node of another graph with other state keys, and a node of the developer's in the graph of an agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda

from answergraph.runtime.steps import Around

StateMapper = Callable[[Any], Mapping[str, Any]]
"""Makes one state of another."""


class SubgraphNode(RunnableLambda[Any, Any]):
    """A graph between two mappings.

    A ``RunnableLambda``, because LangGraph looks into those for the subgraphs it draws and streams.
    """

    def __init__(self, graph: Runnable[Any, Any], *, to_input: StateMapper, to_update: StateMapper) -> None:
        """Put the mappings around a graph.

        Args:
            graph: The graph.
            to_input: Makes its input of the state around it.
            to_update: Makes an update of that state of its result.
        """

        def invoke(state: Any, config: RunnableConfig) -> Any:
            return to_update(graph.invoke(to_input(state), config))

        async def ainvoke(state: Any, config: RunnableConfig) -> Any:
            return to_update(await graph.ainvoke(to_input(state), config))

        super().__init__(invoke, ainvoke, name=graph.get_name())


class GuestNode(RunnableLambda[Any, Any]):
    """A node that is not the agent's own, with what the agent's graph puts around its visits.

    A ``RunnableLambda`` for the same reason; it runs the node itself, with no span of its own.
    """

    def __init__(self, node: Runnable[Any, Any], around: Around) -> None:
        super().__init__(lambda state: node.invoke(state), name=node.get_name())  # noqa: PLW0108 - what LangGraph looks into
        self._node = node
        self._around = around

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        with self._around(lambda: input) as visit:
            return visit.finished_update(self._node.invoke(input, config, **kwargs))

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        with self._around(lambda: input) as visit:
            return visit.finished_update(await self._node.ainvoke(input, config, **kwargs))
