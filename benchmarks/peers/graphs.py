"""answergraph, ``langchain.agents.create_agent`` and ``langgraph.prebuilt.create_react_agent``."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

from langchain.agents import create_agent as langchain_create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain.agents.structured_output import ToolStrategy as LangChainToolStrategy
from langchain_core.tools import tool
from langgraph.prebuilt import create_react_agent

import answergraph
from benchmarks.peers.hand_graph import build_by_hand
from benchmarks.peers.idle_graph import build_idle
from benchmarks.played_model import PlayedModel, conversation
from benchmarks.rounds import Done
from benchmarks.work import COUNTER, Report, Work, tool_functions

NO_RECURSION_LIMIT = 10_000
"""The work has a fixed length; no limit of a system may stop it."""

GRAPHS = ("answergraph", "create_agent", "create_react_agent")
HAND_GRAPH = "hand graph"
IDLE_GRAPH = "idle graph"

_LOOP = asyncio.Runner()
"""One event loop for all runs, as in a server: ChatOpenAI's connections belong to the loop that created them."""


class Quiet(AgentMiddleware[Any, Any, Any]):
    """A middleware that does nothing in every hook."""

    def __init__(self, index: int) -> None:
        """Give it a name of its own."""
        super().__init__()
        self._index = index

    @property
    def name(self) -> str:
        """Its name."""
        return f"quiet_{self._index}"

    def before_model(self, state: Any, runtime: Any) -> None:
        """Do nothing."""

    def after_model(self, state: Any, runtime: Any) -> None:
        """Do nothing."""

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Pass the call on."""
        return handler(request)

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Pass the call on."""
        return await handler(request)


def build(system: str, work: Work, tools: Sequence[Any] | None = None, model: Any = None, **options: Any) -> Any:
    """Build one of the graphs.

    Args:
        system: One of ``GRAPHS``, or ``HAND_GRAPH`` or ``IDLE_GRAPH``, which have no middleware.
        work: What it is to do.
        tools: Its tools, by default the work's.
        model: Its model, by default the played one.
        **options: A checkpointer, a state schema.

    Returns:
        The compiled graph.
    """
    model = PlayedModel(work=work) if model is None else model
    tools = work_tools(work) if tools is None else tools
    middleware = [Quiet(index) for index in range(work.middleware)]
    if system == "answergraph":
        options = {"limits": answergraph.UsageLimits(model_calls=None), **options}
        form = answergraph.ToolStrategy(Report)
        return answergraph.create_agent(model, tools, response_format=form, middleware=middleware, **options)
    if system == "create_agent":
        format_ = LangChainToolStrategy(Report)
        return langchain_create_agent(model, tools, response_format=format_, middleware=middleware, **options)
    if system == HAND_GRAPH:
        return build_by_hand(model, tools, **options)
    if system == IDLE_GRAPH:
        return build_idle(model, tools, **options)
    return create_react(model, tools, **options)


def create_react(model: Any, tools: Sequence[Any], **options: Any) -> Any:
    """Build LangGraph's prebuilt agent; it is deprecated but widely used."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return create_react_agent(model, tools, **options)


def work_tools(work: Work, *, awaited: bool = False) -> list[Any]:
    """Return the work's tools as LangChain tools."""
    return [tool(function) for function in tool_functions(work, awaited=awaited)]


def runner(system: str, work: Work, *, awaited: bool, graph: Any = None, **options: Any) -> Callable[[], Done]:
    """Return a function that runs a graph once.

    Args:
        system: One of ``GRAPHS``.
        work: What it is to do.
        awaited: Whether it runs on an event loop, with coroutine tools.
        graph: The graph, if it was built already.
        **options: For ``build``.
    """
    graph = graph or build(system, work, tools=work_tools(work, awaited=awaited), **options)
    messages = conversation(work)

    def run() -> Done:
        config: Any = {"recursion_limit": NO_RECURSION_LIMIT, "configurable": {"thread_id": str(uuid4())}}
        given: Any = {"messages": list(messages)}
        result = _LOOP.run(graph.ainvoke(given, config)) if awaited else graph.invoke(given, config)
        return Done(answer_of(result), COUNTER.take())

    return run


def answer_of(result: dict[str, Any]) -> Report:
    """Return the typed answer of a run's result; for a graph without a response format, its text read as JSON."""
    answer: Report | None = result.get("structured_response")
    return Report.model_validate_json(result["messages"][-1].text) if answer is None else answer
