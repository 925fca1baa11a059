"""A node's update as it is stored: the answer as JSON, the graph's own records without what is as it begins.

Every write of a node is stored before the state is, and read again with the history of a thread. A checkpointer needs to know
no class for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.types import Command


class WritingNode(Runnable[Any, Any]):
    """A node of an agent's graph, with the values of some keys in its updates as they are stored."""

    def __init__(self, node: Runnable[Any, Any], written: Mapping[str, Callable[[Any], Any]]) -> None:
        """Put the conversion behind a node.

        Args:
            node: The node.
            written: Per state key, what returns the stored form of a value.
        """
        self.node = node
        self.name = node.name
        self._written = written

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run the node."""
        return self._converted(self.node.invoke(input, config, **kwargs))

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run the node on the event loop."""
        return self._converted(await self.node.ainvoke(input, config, **kwargs))

    def _converted(self, update: Any) -> Any:
        # As LangGraph tells them: a tuple without a command may be a user's named one.
        if isinstance(update, list | tuple) and any(isinstance(part, Command) for part in update):
            return [self._converted(part) for part in update]
        if isinstance(update, Command) and update.graph is None:
            return replace(update, update=self._in_dict(update.update))
        return self._in_dict(update)

    def _in_dict(self, update: Any) -> Any:
        if not isinstance(update, dict):
            return update
        stored = {key: written(update[key]) for key, written in self._written.items() if update.get(key) is not None}
        return {**update, **stored} if stored else update
