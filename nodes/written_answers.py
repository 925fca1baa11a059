"""A node's update with the answer in it as JSON, so that a checkpointer needs to know no class to store and load it.

Every write of a node is stored before the state is, and read again with the history of a thread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.types import Command


class AnswerWritingNode(Runnable[Any, Any]):
    """A node of an agent's graph, with the answers in its updates written as JSON."""

    def __init__(self, node: Runnable[Any, Any], key: str, written: Callable[[Any], Any]) -> None:
        """Put the conversion behind a node.

        Args:
            node: The node.
            key: The state key of the answer.
            written: Returns the JSON form of a value of that key.
        """
        self.node = node
        self.name = node.name
        self._key = key
        self._written = written

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run the node."""
        return self._converted(self.node.invoke(input, config, **kwargs))

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run the node on the event loop."""
        return self._converted(await self.node.ainvoke(input, config, **kwargs))

    def _converted(self, update: Any) -> Any:
        if isinstance(update, list | tuple):
            return [self._converted(part) for part in update]
        if isinstance(update, Command) and update.graph is None:
            return replace(update, update=self._in_dict(update.update))
        return self._in_dict(update)

    def _in_dict(self, update: Any) -> Any:
        if not isinstance(update, dict) or update.get(self._key) is None:
            return update
        return {**update, self._key: self._written(update[self._key])}
