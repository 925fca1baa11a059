"""The scenarios that are not one run of one agent: many parallel runs, streams, imports, building."""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from langchain.agents import create_agent as langchain_create_agent
from langchain_core.messages import HumanMessage

import answergraph
from benchmarks.peers.graphs import NO_RECURSION_LIMIT, answer_of, build, create_react, work_tools
from benchmarks.played_model import StreamedModel, TimedModel, conversation
from benchmarks.rounds import Case, Done
from benchmarks.work import COUNTER, QUESTION, Report, Work

IMPORTS = {
    "answergraph": "from answergraph import create_agent",
    "langgraph": "from langgraph.prebuilt import create_react_agent",
    "create_agent": "from langchain.agents import create_agent",
    "pydantic-ai": "from pydantic_ai import Agent",
    "openai-agents": "from agents import Agent",
}
"""The import statement for each system."""

CREATORS: dict[str, Callable[..., Any]] = {
    "answergraph": answergraph.create_agent,
    "create_agent": langchain_create_agent,
    "create_react_agent": create_react,
}
SHORT_STREAM = 50
"""The chunks of a stream whose beginning and end are timed."""
STREAMS = 20
"""The number of such streams per figure."""


def concurrent_runner(system: str, work: Work, count: int) -> Callable[[], Done]:
    """Return a function that starts many runs of one graph in parallel."""
    graph = build(system, work, tools=work_tools(work, awaited=True))
    messages = conversation(work)

    async def arun() -> list[Any]:
        config: Any = {"recursion_limit": NO_RECURSION_LIMIT}
        return await asyncio.gather(*(graph.ainvoke({"messages": list(messages)}, config) for _ in range(count)))

    def run() -> Done:
        answers = [answer_of(result) for result in asyncio.run(arun())]
        different = [answer for answer in answers if answer != answers[0]]
        return Done([answers[0], *different], COUNTER.take())

    return run


class Waited:
    """A clock that runs only while the program waits for an event."""

    def __init__(self) -> None:
        """Start at nothing."""
        self.seconds = 0.0

    def read(self) -> float:
        """Return the time so far."""
        return self.seconds


def waiting_runner(system: str, waited: Waited, *, for_result: bool, awaited: bool) -> Callable[[], Done]:
    """Return a function that reads short streams and times the wait for the first event, or after the last token."""
    model = TimedModel(work=Work(), chunks=SHORT_STREAM)
    graph: Any = CREATORS[system](model, [])

    def note(began: float, events: list[float]) -> None:
        waited.seconds += time.perf_counter() - model.ended if for_result else events[0] - began

    async def acollect() -> None:
        began = time.perf_counter()
        note(began, [time.perf_counter() async for _ in graph.astream(_asked(), stream_mode="messages")])

    def collect() -> None:
        began = time.perf_counter()
        note(began, [time.perf_counter() for _ in graph.stream(_asked(), stream_mode="messages")])

    def run() -> Done:
        for _ in range(STREAMS):
            asyncio.run(acollect()) if awaited else collect()
        return Done(None, 0)

    return run


def streaming_runner(system: str, chunks: int, *, awaited: bool) -> Callable[[], Done]:
    """Return a function that reads a streamed text and checks that every chunk arrived."""
    model = StreamedModel(work=Work(), chunks=chunks)
    graph: Any = CREATORS[system](model, [])

    async def collect() -> list[Any]:
        return [chunk async for chunk, _ in graph.astream(_asked(), stream_mode="messages")]

    def run() -> Done:
        found = asyncio.run(collect()) if awaited else [chunk for chunk, _ in graph.stream(_asked(), stream_mode="messages")]
        texts = [chunk.content for chunk in found if chunk.content]
        assert len(texts) == chunks, f"{system} streamed {len(texts)} chunks of {chunks}"
        return Done(Report.model_validate_json("".join(texts)), COUNTER.take())

    return run


def import_case() -> Case:
    """Import each system in a new process; the time is the CPU time of that process.

    The warm-up compiles the bytecode, so it exists as in an installed package.
    """
    folder = tempfile.TemporaryDirectory()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = folder.name

    def importing(code: str) -> Callable[[], Done]:
        def run() -> Done:
            subprocess.run([sys.executable, "-c", code], check=True, env=environment)
            return Done(None, 0)

        return run

    systems = {name: importing(code) for name, code in IMPORTS.items()}
    return Case("import", "new process", systems, Done(None, 0), reference="langgraph", clock=_children_cpu)


def build_case(work: Work) -> Case:
    """Build an agent with existing tools."""
    tools = work_tools(work)

    def building(system: str) -> Callable[[], Done]:
        def run() -> Done:
            build(system, work, tools=tools)
            return Done(None, 0)

        return run

    systems = {name: building(name) for name in ("answergraph", "create_agent", "create_react_agent")}
    return Case("build", f"tools={work.tools}", systems, Done(None, 0))


def _asked() -> dict[str, Any]:
    return {"messages": [HumanMessage(QUESTION)]}


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
