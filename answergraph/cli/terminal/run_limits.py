"""The limits of one run that a command starts: read from its option, kept around the graph, told while it goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

import answergraph

if TYPE_CHECKING:
    from answergraph.state.budget import InnerRunBudget

Limited = Literal["model_calls", "tool_calls", "total_tokens", "seconds", "cost"]
LIMITED: tuple[Limited, ...] = get_args(Limited)
"""What a caller may limit around a graph; the rest is the agent's own."""
TO_RETURN = 0.3
"""Seconds after the limit: an agent ends at it with its outcome, whatever else would go on is left."""

LimitsOption = Annotated[
    str | None,
    typer.Option(help="Limits, as in 'seconds=60,cost=0.05'; also model_calls, tool_calls, total_tokens."),
]

_around: ContextVar[tuple[answergraph.UsageLimits, InnerRunBudget, float] | None] = ContextVar("limits_of_command", default=None)


def limits_in(option: str | None) -> answergraph.UsageLimits | None:
    """Read limits from ``NAME=NUMBER,…``; raise ``AgentSpecError`` if one is unknown or no number."""
    if option is None:
        return None
    numbers: dict[str, Any] = {"model_calls": None}
    for part in option.split(","):
        name, _, text = (piece.strip() for piece in part.partition("="))
        try:
            numbers[name] = float(text) if name in {"seconds", "cost"} else int(text)
        except ValueError:
            name = ""
        if name not in LIMITED:
            raise answergraph.AgentSpecError(f"--limits takes NAME=NUMBER,… with {', '.join(LIMITED)}; not {part!r}.")
    return answergraph.UsageLimits(**numbers)


@contextmanager
def within(limits: answergraph.UsageLimits | None) -> Iterator[None]:
    """Lower the limits of every agent inside, whatever graph it is in, to what is left of these."""
    if limits is None:
        yield
        return
    from answergraph.runtime.time_limits import RunClock
    from answergraph.state.budget import InnerRunBudget

    clock = RunClock(seconds=limits.seconds)
    timed = nullcontext() if limits.seconds is None else clock.visiting(clock.ends + TO_RETURN)
    with timed, InnerRunBudget(replace(limits, reserve_final_answer=False), lambda: {"messages": []}) as budget:
        token = _around.set((limits, budget, monotonic()))
        try:
            yield
        finally:
            _around.reset(token)


def in_time(work: Callable[[], None]) -> None:
    """Do the work of a run, and leave it behind a moment after the limit of seconds around it.

    Raises:
        TimeoutError: If it was left behind.
    """
    from answergraph.runtime.steps import TIMED_VISIT

    if (timed := TIMED_VISIT.get()) is None:
        work()
        return
    from answergraph.runtime.time_limits import NotInTimeError, run_in_time

    try:
        run_in_time(work, timed.ends + TO_RETURN - monotonic())
    except NotInTimeError:
        raise TimeoutError(f"The run's budget is spent: {timed.clock.seconds:g} seconds.") from None


def spent_so_far() -> str:
    """Return what the command's run has used of its limits, empty without limits."""
    if (around := _around.get()) is None:
        return ""
    limits, budget, began = around
    return spent({**budget.used(), "seconds": monotonic() - began}, {**limits.in_force()})


def spent(usage: Mapping[str, object], limits: Mapping[str, object]) -> str:
    """Return what was used beside what was allowed, as in ``3 of 50 model calls · 4.1 of 60 seconds``."""
    from answergraph.nodes.endings import LIMIT_WORDS

    used = {name: usage.get(name) or 0 for name in LIMITED if limits.get(name) is not None}
    return " · ".join(f"{number:.4g} of {limits[name]:,} {LIMIT_WORDS[name]}" for name, number in used.items())
