"""Both colours of a graph: the `run` fixture gives each behaviour once blocking and once awaited."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Literal

import pytest
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.pregel import Pregel
from langgraph.types import StateSnapshot

Color = Literal["sync", "async"]
Graph = Pregel[Any, Any, Any, Any]


class Run:
    """Runs graphs in one colour. One event loop serves all calls of a test, as it would in a server."""

    def __init__(self, color: Color, runner: asyncio.Runner) -> None:
        self.color = color
        # Not the runner itself: it takes Ctrl-C at each call, for which Python writes down the task with all that it was given.
        self._loop = runner.get_loop()

    @property
    def is_async(self) -> bool:
        """Whether graphs are awaited."""
        return self.color == "async"

    def __call__(self, graph: Runnable[Any, Any], input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Return what the graph ends with."""
        if self.is_async:
            return self._loop.run_until_complete(_result(graph.ainvoke(input, config, **kwargs)))
        return graph.invoke(input, config, **kwargs)

    def either(self, blocking: Callable[..., Any], awaited: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Return what a function returns that there is once per colour."""
        return self._loop.run_until_complete(_result(awaited(*args, **kwargs))) if self.is_async else blocking(*args, **kwargs)

    def stream(self, graph: Runnable[Any, Any], input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> list[Any]:
        """Return all that the graph streams."""
        if self.is_async:
            return self._loop.run_until_complete(_collected(graph.astream(input, config, **kwargs)))
        return list(graph.stream(input, config, **kwargs))

    def state(self, graph: Graph, config: RunnableConfig, **kwargs: Any) -> StateSnapshot:
        """Return the newest checkpoint of a thread."""
        if self.is_async:
            return self._loop.run_until_complete(graph.aget_state(config, **kwargs))
        return graph.get_state(config, **kwargs)

    def history(self, graph: Graph, config: RunnableConfig, **kwargs: Any) -> list[StateSnapshot]:
        """Return the checkpoints of a thread, newest first."""
        if self.is_async:
            return self._loop.run_until_complete(_collected(graph.aget_state_history(config, **kwargs)))
        return list(graph.get_state_history(config, **kwargs))


@pytest.fixture(params=["sync", "async"])
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    """Run a graph blocking, then awaited: the test is written once, as a plain function."""
    with asyncio.Runner() as runner:
        yield Run(request.param, runner)


async def _result(awaitable: Any) -> Any:
    return await awaitable


async def _collected(items: AsyncIterator[Any]) -> list[Any]:
    return [item async for item in items]
