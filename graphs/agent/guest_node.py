"""A user's node in the graph of an agent."""

from __future__ import annotations

from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda

from answergraph.runtime.steps import Around


class GuestNode(RunnableLambda[Any, Any]):
    """A user's node, with the agent's surroundings for its visits.

    A ``RunnableLambda``, because LangGraph finds subgraphs in those. It has no trace span.
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
