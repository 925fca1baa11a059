"""Runs with a deadline, in seeded combinations of what hangs, where, and how it is called, end with an outcome."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import Any

import pytest

from answergraph.runtime import time_limits
from tests.graphs.agent.hanging_agents import QUESTION
from tests.torture.hanging_cases import DEADLINE, RUNS, Case, graph_of

AT_ONCE = 8
LATE = 30.0
"""Seconds after which a run counts as one that does not end, on any machine."""

pytestmark = pytest.mark.torture


def ended(case: Case, graph: Any, over: threading.Event) -> tuple[str, float]:
    """Run a case; return the status of its outcome and the seconds it took."""
    began = monotonic()

    async def awaited() -> Any:
        if case.streamed:
            return [state async for state in graph.astream(QUESTION, stream_mode="values")][-1]
        return await graph.ainvoke(QUESTION)

    async def measured() -> tuple[Any, float]:
        # Not the end of the loop, which waits for what hangs in it.
        result = await awaited()
        seconds = monotonic() - began
        over.set()
        return result, seconds

    try:
        if case.awaited:
            result, seconds = asyncio.run(measured())
        else:
            result = list(graph.stream(QUESTION, stream_mode="values"))[-1] if case.streamed else graph.invoke(QUESTION)
            seconds = monotonic() - began
    finally:
        over.set()
    return result["outcome"]["status"], seconds


def test_every_run_ends_with_an_outcome_whatever_hangs() -> None:
    cases = [Case.of(seed) for seed in range(RUNS)]
    overs = [threading.Event() for _ in cases]
    # Built in one thread: langchain_core silences a warning of pydantic for the whole process while it makes a tool's schema.
    graphs = [graph_of(case, over) for case, over in zip(cases, overs, strict=True)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        ends = list(pool.map(ended, cases, graphs, overs))
    late = [seconds - DEADLINE for _, seconds in ends]
    assert {status for status, _ in ends} <= {"answered", "out_of_budget", "truncated", "unanswered"}
    assert max(late) < LATE, f"{max(late):.2f} s after the deadline"
    # Every model that answers at last is asked once more, with what is known.
    answers = [
        status for case, (status, _) in zip(cases, ends, strict=True) if case.model == "answers" and case.tool == "returns"
    ]
    assert answers == ["answered"] * len(answers)
    wait_for_the_late()
    assert time_limits.calls_left_behind() == 0


def wait_for_the_late() -> None:
    end = monotonic() + LATE
    while time_limits.calls_left_behind() and monotonic() < end:
        threading.Event().wait(0.1)
