"""Steps: logic written once for sync and async, and the two drivers that run it.

A step is a generator that yields *effects* and is sent their results. ``run_step`` blocks on an effect, ``arun_step`` awaits
it, as in ``httpx``'s auth flows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial, wraps
from typing import Any, ParamSpec, Protocol, Self, TypeVar

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.runnables import Runnable, RunnableConfig, ensure_config
from langchain_core.runnables.config import merge_configs
from langgraph.runtime import Runtime, get_runtime

StepT = TypeVar("StepT")
ParametersT = ParamSpec("ParametersT")

MAX_CHARACTERS_ON_LOOP = 4_000
"""Longer texts are read in a thread: hostile text takes up to 20 µs a character, a thread 100 µs."""

CLOCK = "__answergraph_clock"
"""Key of a run's ``configurable``: its ``RunClock``, in a run with time limits. LangGraph stores no key that begins like this."""

TIMED_VISIT: ContextVar[Any] = ContextVar("answergraph_timed_visit", default=None)
"""The ``TimedVisit`` of the running node, ``None`` in a run without time limits."""


class Effect(Protocol):
    """An operation in the outside world, blocking or awaited."""

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
    input: object
    listeners: Sequence[BaseCallbackHandler] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    def perform(self) -> Any:
        # Callbacks and config come from the running node's context.
        config = _with_listeners(self.listeners) if self.listeners else None
        return self.runnable.invoke(self.input, config, **self.settings)

    async def aperform(self) -> Any:
        config = _with_listeners(self.listeners) if self.listeners else None
        return await self.runnable.ainvoke(self.input, config, **self.settings)


def _without_clock(config: RunnableConfig) -> RunnableConfig:
    """Return the config of a node for its work inside a timed visit."""
    return {**config, "configurable": {key: value for key, value in config["configurable"].items() if key != CLOCK}}


def _with_listeners(listeners: Sequence[BaseCallbackHandler]) -> RunnableConfig:
    return merge_configs(ensure_config(), {"callbacks": list(listeners)})


@dataclass(frozen=True)
class Call:
    """Call a function, or await another one with the same arguments."""

    blocking: Callable[..., object]
    awaited: Callable[..., Awaitable[object]]
    arguments: tuple[object, ...] = ()

    def perform(self) -> Any:
        return self.blocking(*self.arguments)

    async def aperform(self) -> Any:
        return await self.awaited(*self.arguments)


def run_step(step: Step[StepT]) -> StepT:
    """Run a step to its end, blocking on each effect; an effect's error is raised inside the step."""
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
    """Run a step to its end, awaiting each effect; otherwise as ``run_step``."""
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


def in_both_colours(
    step: Callable[ParametersT, Step[StepT]],
) -> tuple[Callable[ParametersT, StepT], Callable[ParametersT, Awaitable[StepT]]]:
    """Return a step as a blocking function and as a coroutine function, both with the signature of the step."""

    @wraps(step)
    def blocking(*args: ParametersT.args, **kwargs: ParametersT.kwargs) -> StepT:
        return run_step(step(*args, **kwargs))

    @wraps(step)
    async def awaited(*args: ParametersT.args, **kwargs: ParametersT.kwargs) -> StepT:
        return await arun_step(step(*args, **kwargs))

    return blocking, awaited


def wrap(
    hook: Callable[..., object],
    ahook: Callable[..., Awaitable[object]],
    request: object,
    inner: Callable[[Any], Step[Any]],
) -> Call:
    """Call a hook around an inner step; as its handler, the hook may run the step any number of times."""
    handler, ahandler = in_both_colours(inner)
    return Call(partial(hook, request, handler), partial(ahook, request, ahandler))


class Surroundings:
    """A context around one visit of a node, which also finishes the node's update; this one does nothing."""

    def __init__(self, state: Callable[[], object]) -> None:
        """Take a function that returns the node's state."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        return

    def finished_update(self, update: object) -> object:
        """Return the node's update for LangGraph."""
        return update


def no_update(state: Any, error: Exception) -> None:
    """Write nothing: a node of somebody else's did not end in time."""


class TimedVisits(Runnable[Any, Any]):
    """A graph node whose visits end in time, in a run with time limits.

    A plain ``Runnable``, because a function costs a traced call per visit.
    """

    _visit: Callable[..., object]
    _avisit: Callable[..., Awaitable[object]]
    _late: Callable[[Any, Exception], object] = staticmethod(no_update)
    """Makes the update of a visit that did not end in time."""
    _grace = 0.0

    def _deadline(self, clock: Any, input: object) -> float:
        """Return when a visit has to end, by the run's ``RunClock``."""
        return float(clock.ends + self._grace)

    def _only_blocks(self, input: object) -> bool:
        """Return whether a visit has nothing to await: it gets a thread of its own, since a pool may fill up with hung ones."""
        return False

    def invoke(self, input: object, config: RunnableConfig | None = None, **kwargs: object) -> object:
        if not config or CLOCK not in config.get("configurable", ()):
            return self._visit(input, config, **kwargs)
        clock, visit = config["configurable"][CLOCK], partial(self._visit, config=_without_clock(config), **kwargs)
        return clock.visit(visit, input, self._late, self._deadline(clock, input))

    async def ainvoke(self, input: object, config: RunnableConfig | None = None, **kwargs: object) -> object:
        if not config or CLOCK not in config.get("configurable", ()):
            return await self._avisit(input, config, **kwargs)
        clock, blocks = config["configurable"][CLOCK], self._only_blocks(input)
        visit = partial(self._visit if blocks else self._avisit, config=_without_clock(config), **kwargs)
        return await clock.avisit(visit, input, self._late, self._deadline(clock, input), blocks=blocks)


class GraphNode(TimedVisits):
    """A graph node made of a step: ``(state, runtime) -> Step[update]``."""

    def __init__(
        self,
        step: Callable[[Any, Runtime[Any]], Step[Any]],
        *,
        name: str,
        around: Callable[..., Surroundings] = Surroundings,
        late: Callable[[Any, Exception], object] = no_update,
        grace: float = 0.1,
    ) -> None:
        """Take the node's step; ``late`` makes its update if it does not end ``grace`` seconds after the run's deadline."""
        self.name: str = name
        self._step = step
        self._around = around
        self._late = late
        self._grace = grace

    def _visit(self, input: object, config: object, **kwargs: object) -> object:
        with self._around(lambda: input) as around:
            return around.finished_update(run_step(self._step(input, get_runtime())))

    async def _avisit(self, input: object, config: object, **kwargs: object) -> object:
        with self._around(lambda: input) as around:
            return around.finished_update(await arun_step(self._step(input, get_runtime())))


def pure(function: Callable[[Any, Runtime[Any]], StepT]) -> Callable[[Any, Runtime[Any]], Step[StepT]]:
    """Return a pure function ``(state, runtime) -> update`` as a step; it has no effects."""

    def step(state: Any, runtime: Runtime[Any]) -> Step[StepT]:
        yield from ()
        return function(state, runtime)

    return step


async def in_thread(function: Callable[..., StepT], *arguments: object) -> StepT:
    """Call a function in a thread, which a run with time limits leaves behind if it does not end in time."""
    # Out of a step comes no StopIteration: asyncio cannot raise it, and would wait for ever.
    call = partial(run_step, off_loop(function, *arguments, when=False))
    visit = TIMED_VISIT.get()
    value: StepT = await (asyncio.to_thread(call) if visit is None else visit.in_thread(call))
    return value


def off_loop(function: Callable[..., StepT], *arguments: object, when: bool = True) -> Step[StepT]:
    """Call a function with ``arguments``: in a thread if the step is awaited and ``when`` it may take long."""
    value: StepT = (yield Call(function, partial(in_thread, function), arguments)) if when else function(*arguments)
    return value


class Router(Runnable[object, object]):
    """A conditional edge made of a pure function of the state, which it can be called as; untraced, as a ``GraphNode`` is."""

    def __init__(self, route: Callable[[Any], Any], *, name: str) -> None:
        self.route = route
        self.name = name

    def __call__(self, state: object) -> Any:
        return self.route(state)

    def invoke(self, input: object, config: RunnableConfig | None = None, **kwargs: object) -> Any:
        return self.route(input)

    async def ainvoke(self, input: object, config: RunnableConfig | None = None, **kwargs: object) -> Any:
        return self.route(input)


_NOTHING = (lambda _: None).__code__


def has_listener(writer: Callable[..., object]) -> bool:
    """Return whether anyone listens to a run's stream writer.

    Without listeners, LangGraph's writer does nothing. There is no public way to detect that, so its code is compared with
    that of a function that does nothing; a test runs graphs with and without listeners.
    """
    code = getattr(writer, "__code__", None)
    return code is None or (code.co_code, code.co_consts) != (_NOTHING.co_code, _NOTHING.co_consts)


class Recorder(Protocol):
    """Records the calls of models and tools, or plays recorded ones in their place."""

    def model_call(self, call: Invoke) -> Effect:
        """Return the effect that takes the place of a model call."""

    def tool_call(self, call: Mapping[str, object], effect: Effect) -> Effect:
        """Return the effect that takes the place of a tool call."""


recorder: Recorder | None = None
"""The one in use. Of the process: a test's runs are awaited on loops, and in threads, that began before its tape."""
