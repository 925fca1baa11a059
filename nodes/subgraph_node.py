"""A graph as a node of another graph: with other state keys, and charged to the agent's run around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langgraph.errors import ParentCommand

from answergraph.runtime.steps import Around

StateMapper = Callable[[Any], Mapping[str, Any]]
"""Makes one state of another."""


def unchanged(state: Any) -> Any:
    """Return the state as it is."""
    return state


class SubgraphNode(RunnableLambda[Any, Any]):
    """A graph between two mappings.

    A ``RunnableLambda``, because LangGraph looks into those for the subgraphs it draws and streams.
    """

    def __init__(
        self,
        graph: Runnable[Any, Any],
        *,
        to_input: StateMapper = unchanged,
        to_update: StateMapper = unchanged,
        around: Around | None = None,
    ) -> None:
        """Put the mappings around a graph.

        Args:
            graph: The graph.
            to_input: Makes its input of the state around it.
            to_update: Makes an update of that state of its result.
            around: What the graph of an agent puts around each visit.
        """

        def invoke(state: Any, config: RunnableConfig) -> Any:
            if around is None:
                return to_update(graph.invoke(to_input(state), config))
            with around(lambda: state) as visit:
                return visit.finished_update(to_update(graph.invoke(to_input(state), config)))

        async def ainvoke(state: Any, config: RunnableConfig) -> Any:
            if around is None:
                return to_update(await graph.ainvoke(to_input(state), config))
            with around(lambda: state) as visit:
                return visit.finished_update(to_update(await graph.ainvoke(to_input(state), config)))

        super().__init__(invoke, ainvoke, name=graph.get_name())
        self._parts = (graph, to_input, to_update)

    def within(self, around: Around) -> SubgraphNode:
        """Return the same node with something around its visits."""
        graph, to_input, to_update = self._parts
        return SubgraphNode(graph, to_input=to_input, to_update=to_update, around=around)


class GuestNode(RunnableLambda[Any, Any]):
    """A node that is not the agent's own, of which part of the update is left out.

    A ``RunnableLambda``, for the same reason; it runs the node itself, with no span of its own.
    """

    def __init__(self, node: Runnable[Any, Any], left_out: Callable[[Any], Any]) -> None:
        super().__init__(lambda state: node.invoke(state), name=node.get_name())  # noqa: PLW0108 - what LangGraph looks into
        self._node = node
        self._left_out = left_out

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        with self._guarding():
            return self._left_out(self._node.invoke(input, config, **kwargs))

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        with self._guarding():
            return self._left_out(await self._node.ainvoke(input, config, **kwargs))

    @contextmanager
    def _guarding(self) -> Iterator[None]:
        try:
            yield
        except ParentCommand as bubbled:
            bubbled.args = (self._left_out(bubbled.args[0]),)
            raise
