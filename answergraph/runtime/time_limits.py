"""The clock of a run with time limits, and calls that end in time whatever hangs.

A call that does not end is left behind: an awaited one is cancelled, a blocking one
goes on in a daemon thread. Nobody reads what either still returns.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from math import inf
from threading import Thread
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from langchain_core.runnables import RunnableConfig

from answergraph.runtime.steps import CLOCK, TIMED_VISIT, Effect

ResultT = TypeVar("ResultT")

MAX_LEFT_BEHIND = 1_000
"""Calls of this process that may be left behind at a time; with as many, no further blocking call is started.

A waiting thread takes some 20 kB. The bound keeps a process whose tools all hang from running out of threads.
"""
_TO_RETURN = 0.3  # seconds for an inner run to end with its outcome
_TO_CLEAN_UP = 0.05  # seconds for a cancelled call to close what it opened

NOT_ENDED = "The call did not end in time."
NOT_STARTED = "There was no time left to start the call."
TOO_MANY = f"The call was not started: {MAX_LEFT_BEHIND} earlier ones did not end in time and are still running."

_left_behind: set[Future[Any] | asyncio.Future[Any]] = set()

Late = Callable[[Any, Exception], object]
"""Makes the update of a node that did not end in time, from its state and why."""


class NotInTimeError(TimeoutError):
    """A call did not end in time, or was not started for lack of it."""


def calls_left_behind() -> int:
    """Return how many calls of this process did not end in time and have not ended since."""
    return len(_left_behind)


class RunClock:
    """The time of one execution of a run, in seconds of the monotonic clock."""

    def __init__(
        self,
        *,
        seconds: float | None = None,
        per_model_call: float | None = None,
        per_tool_call: float | None = None,
        per_visit: float | None = None,
        ends: float = inf,
        keeps_reserve: bool = True,
    ) -> None:
        """Start the clock; ``per_visit`` limits one visit of a node, ``ends`` is when a caller stops waiting."""
        self.began = monotonic()
        self._seconds = inf if seconds is None else seconds
        self._callers_end = ends
        self.per_model_call = inf if per_model_call is None else per_model_call
        self.per_tool_call = inf if per_tool_call is None else per_tool_call
        self.per_visit = inf if per_visit is None else per_visit
        self.keeps_reserve = keeps_reserve
        self._usual = 0.0
        self._is_resumed = False

    @property
    def ends(self) -> float:
        """The deadline of the run."""
        return min(self.began + self._seconds, self._callers_end)

    @property
    def seconds(self) -> float | None:
        """The seconds that the run may take, ``None`` without a limit."""
        return None if self.ends == inf else round(self.ends - self.began, 3)

    @property
    def used(self) -> float:
        """The seconds that the run has taken so far."""
        return round(monotonic() - self.began, 3)

    @property
    def left(self) -> float:
        return self.ends - monotonic()

    @property
    def reserve(self) -> float:
        """The seconds that are kept for the final answer, by the longest model call so far."""
        if self.ends == inf or not self.keeps_reserve:
            return 0.0
        whole = self.ends - self.began
        return min(max(1.5 * self._usual, 0.1 * whole), 0.5 * whole)

    @property
    def is_over(self) -> bool:
        return self.left <= 0

    @property
    def is_last_call(self) -> bool:
        """Whether another model call as long as the longest one would leave no time for tools and an answer after it."""
        return self.left - self._usual <= self.reserve

    def resume(self, used: float) -> None:
        """Count what earlier executions of the run used, once."""
        self.began -= 0 if self._is_resumed else used
        self._is_resumed = True

    def note_model_call(self, seconds: float) -> None:
        self._usual = max(self._usual, seconds)

    def tool_ends(self, own: float | None) -> float:
        """Return when a tool call must end; ``own`` is the tool's limit instead of the run's for each call."""
        return min(monotonic() + (self.per_tool_call if own is None else own), self.ends - self.reserve)

    def visit(self, function: Callable[[Any], object], state: Any, late: Late, ends: float) -> Any:
        """Return a node's update, or ``late(state, error)`` if it did not end at ``ends``."""
        if self._is_visiting:
            return function(state)
        with self.visiting(ends) as seconds:
            try:
                return run_in_time(partial(function, state), seconds)
            except NotInTimeError as error:
                return late(state, error)

    async def avisit(self, function: Callable[[Any], Any], state: Any, late: Late, ends: float, *, blocks: bool = False) -> Any:
        """Await a node's update as ``visit`` does; ``blocks`` says that the function does not return an awaitable."""
        if self._is_visiting:
            return function(state) if blocks else await function(state)
        with self.visiting(ends) as seconds:
            try:
                return await arun_in_time(partial(function, state), seconds, blocks=blocks)
            except NotInTimeError as error:
                return late(state, error)

    @property
    def _is_visiting(self) -> bool:
        """Whether a graph inside a visit, which sees the clock in its config, visits its own nodes: they end with that visit."""
        return (around := TIMED_VISIT.get()) is not None and around.clock is self

    @contextmanager
    def visiting(self, ends: float) -> Iterator[float]:
        """Let runs inside end with a visit of a node, and yield the seconds that are left for it."""
        now = monotonic()
        ends = min(ends, now + self.per_visit)
        token = TIMED_VISIT.set(TimedVisit(self, ends))
        try:
            yield ends - now
        finally:
            TIMED_VISIT.reset(token)


def clock_of(*, per_visit: float | None, **limits: Any) -> RunClock:
    """Start the clock of a run, which ends a little before the visit of the node that it is in."""
    around: TimedVisit | None = TIMED_VISIT.get()
    ends = inf if around is None else around.ends - min(_TO_RETURN, 0.1 * max(around.ends - monotonic(), 0))
    # LangGraph ends a superstep with an exception: the visit ends first.
    return RunClock(per_visit=per_visit and 0.9 * per_visit, ends=ends, **limits)


def with_clock(config: RunnableConfig | None, **limits: Any) -> RunnableConfig:
    """Return the config of a run whose clock starts now."""
    return {**(config or {}), "configurable": {**((config or {}).get("configurable") or {}), CLOCK: clock_of(**limits)}}


class TimedVisit(NamedTuple):
    """What surrounds the work of one visit of a node."""

    clock: RunClock
    ends: float
    """When nobody waits for the visit any more, in seconds of the monotonic clock."""

    async def in_thread(self, function: Callable[[], Any]) -> Any:
        return await arun_in_time(function, inf, blocks=True)


def run_in_time(function: Callable[[], ResultT], seconds: float) -> ResultT:
    """Run a blocking function in a thread of its own, and leave it behind if it does not end in time.

    Raises:
        NotInTimeError: If it did not end, or there is no time or thread left to start it.
    """
    future = _started(function, seconds)
    if not wait([future], None if seconds == inf else seconds).done:
        _leave_behind(future)
        raise NotInTimeError(NOT_ENDED)
    return future.result()


async def arun_in_time(function: Callable[[], Any], seconds: float, *, blocks: bool = False) -> Any:
    """Await a coroutine function, cancelled if it does not end in time; one that ``blocks`` runs in a thread of no pool."""
    if seconds <= 0:
        raise NotInTimeError(NOT_STARTED)
    thread = _started(function, seconds) if blocks else None
    task = asyncio.ensure_future(function()) if thread is None else asyncio.wrap_future(thread)
    try:
        done, _ = await asyncio.wait({task}, timeout=None if seconds == inf else seconds)
    finally:
        if not task.done():
            _leave_behind(task if thread is None else thread)
            task.cancel()
            await asyncio.wait({task}, timeout=_TO_CLEAN_UP)
    if not done:
        raise NotInTimeError(NOT_ENDED)
    return task.result()


@dataclass(frozen=True)
class InTime:
    """An effect that ends in time, or raises ``NotInTimeError``; ``blocks`` says that it has nothing to await."""

    effect: Effect
    seconds: float
    blocks: bool

    def perform(self) -> Any:
        return run_in_time(self.effect.perform, self.seconds)

    async def aperform(self) -> Any:
        return await arun_in_time(self.effect.perform if self.blocks else self.effect.aperform, self.seconds, blocks=self.blocks)


def _started(function: Callable[[], ResultT], seconds: float) -> Future[ResultT]:
    if seconds <= 0:
        raise NotInTimeError(NOT_STARTED)
    if len(_left_behind) >= MAX_LEFT_BEHIND:
        raise NotInTimeError(TOO_MANY)
    future: Future[ResultT] = Future()
    future.set_running_or_notify_cancel()  # so that nobody cancels it while it runs
    context = copy_context()

    def work() -> None:
        try:
            future.set_result(context.run(function))
        except BaseException as error:  # noqa: BLE001 - raised where the result is waited for
            future.set_exception(error)

    Thread(target=work, name="answergraph-in-time", daemon=True).start()
    return future


def _leave_behind(call: Future[Any] | asyncio.Future[Any]) -> None:
    _left_behind.add(call)
    call.add_done_callback(_forget)


def _forget(call: Future[Any] | asyncio.Future[Any]) -> None:
    _left_behind.discard(call)
    if not call.cancelled():
        call.exception()  # nobody waits for it; asyncio would report it
