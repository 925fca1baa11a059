"""Steps: logic written once for sync and async, and the two drivers that run it.

A step is a generator that yields *effects*, what it needs done, and is sent each effect's result. ``run_step`` blocks on
an effect, ``arun_step`` awaits it; nothing else in the package exists twice. The idea is that of ``httpx``'s auth flows.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.runnables import Runnable, RunnableConfig, ensure_config
from langchain_core.runnables.config import merge_configs
from langgraph.runtime import Runtime, get_runtime

StepT = TypeVar("StepT")


class Effect(Protocol):
    """Something a step needs done in the outside world, in either colour."""

    def perform(self) -> Any:
        """Do it, blocking."""

    async def aperform(self) -> Any:
        """Do it, awaiting."""


Step = Generator[Effect, Any, StepT]
"""A computation that yields effects, is sent their results and returns a ``StepT``."""


@dataclass(frozen=True)
class Invoke:
    """Invoke a runnable, such as a chat model with its tools bound."""

    runnable: Runnable[Any, Any]
    input: Any
    listeners: Sequence[BaseCallbackHandler] = ()
    """Callback handlers for this call, beside those of the run."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Further keyword arguments."""

    def perform(self) -> Any:
        """Invoke it; callbacks and config come from the running node's context."""
        return self.runnable.invoke(self.input, self._config(), **self.settings)

    async def aperform(self) -> Any:
        """Invoke it without blocking the event loop."""
        return await self.runnable.ainvoke(self.input, self._config(), **self.settings)

    def _config(self) -> RunnableConfig | None:
        return merge_configs(ensure_config(), {"callbacks": list(self.listeners)}) if self.listeners else None


@dataclass(frozen=True)
class CallHandler:
    """Call a handler that LangGraph hands to a wrapper; it is of the running colour already."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]

    def perform(self) -> Any:
        """Call it."""
        return self.function(*self.arguments)

    async def aperform(self) -> Any:
        """Call it and await what it returns."""
        return await self.function(*self.arguments)


@dataclass(frozen=True)
class Wrap:
    """Call a wrapping hook around an inner step, which the hook may run never, once or several times."""

    hook: Callable[[Any, Callable[[Any], Any]], Any]
    ahook: Callable[[Any, Callable[[Any], Awaitable[Any]]], Awaitable[Any]]
    request: Any
    inner: Callable[[Any], Step[Any]]

    def perform(self) -> Any:
        """Call the sync hook with a blocking handler."""
        return self.hook(self.request, lambda request: run_step(self.inner(request)))

    async def aperform(self) -> Any:
        """Call the async hook with an awaitable handler."""

        async def handler(request: Any) -> Any:
            return await arun_step(self.inner(request))

        return await self.ahook(self.request, handler)


def run_step(step: Step[StepT]) -> StepT:
    """Run a step to its end, blocking on each effect.

    Args:
        step: The step. What an effect raises is thrown into it, so that it can be caught by name there.

    Returns:
        What the step returns.
    """
    try:
        effect = next(step)
        while True:
            try:
                result = effect.perform()
            except BaseException as error:  # noqa: BLE001 - thrown into the step, which decides
                effect = step.throw(error)
            else:
                effect = step.send(result)
    except StopIteration as stop:
        value: StepT = stop.value
        return value


async def arun_step(step: Step[StepT]) -> StepT:
    """Run a step to its end, awaiting each effect.

    Args:
        step: The step. What an effect raises is thrown into it, so that it can be caught by name there.

    Returns:
        What the step returns.
    """
    try:
        effect = next(step)
        while True:
            try:
                result = await effect.aperform()
            except BaseException as error:  # noqa: BLE001 - thrown into the step, which decides
                effect = step.throw(error)
            else:
                effect = step.send(result)
    except StopIteration as stop:
        value: StepT = stop.value
        return value


Around = Callable[[Any], AbstractContextManager[Callable[[Any], Any]]]
"""What a graph puts around each visit of a node: opened with the state, it gives the function that the node's update goes
through before LangGraph writes it."""


def _nothing_around(state: Any) -> AbstractContextManager[Callable[[Any], Any]]:
    return nullcontext(lambda update: update)


class GraphNode(Runnable[Any, Any]):
    """A graph node made of a step: ``(state, runtime) -> Step[update]``.

    A plain ``Runnable`` on purpose: LangGraph runs it as it is, where a bare function costs a traced call per visit.
    """

    def __init__(self, step: Callable[[Any, Runtime[Any]], Step[Any]], *, name: str, around: Around = _nothing_around) -> None:
        """Make a node of a step.

        Args:
            step: Called with the state and the runtime at every visit.
            name: Shown in traces.
            around: What the graph puts around each visit.
        """
        self.name: str = name
        self._step = step
        self._around = around

    def within(self, around: Around) -> GraphNode:
        """Return the same node with something else around its visits."""
        return GraphNode(self._step, name=self.name, around=around)

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run the step, blocking."""
        with self._around(input) as finished:
            return finished(run_step(self._step(input, get_runtime())))

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run the step on the event loop."""
        with self._around(input) as finished:
            return finished(await arun_step(self._step(input, get_runtime())))


def pure(function: Callable[[Any, Runtime[Any]], StepT]) -> Callable[[Any, Runtime[Any]], Step[StepT]]:
    """Return a pure function ``(state, runtime) -> update`` as a step; it has no effects."""

    def step(state: Any, runtime: Runtime[Any]) -> Step[StepT]:
        yield from ()
        return function(state, runtime)

    return step


class Router(Runnable[Any, Any]):
    """A conditional edge made of a pure function of the state; untraced, for the reason given in ``GraphNode``."""

    def __init__(self, route: Callable[[Any], Any], *, name: str) -> None:
        """Make a router of a function.

        Args:
            route: Returns why the graph goes on, or one ``Send`` per tool call.
            name: Shown in traces; unique per source node.
        """
        self.route = route
        self.name = name

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Route."""
        return self.route(input)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Route; a pure function needs no event loop."""
        return self.route(input)
