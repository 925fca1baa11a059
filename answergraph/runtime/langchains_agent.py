"""Parts of LangChain's agents without a public name, read from one of its agents."""

import sys
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from typing import Any, NamedTuple

from langgraph.prebuilt import ToolCallTransformer
from langgraph.stream import ProtocolEvent, StreamTransformer
from langgraph.types import TracePolicy


class LangChainsAgent(NamedTuple):
    """The parts."""

    subagents: Any
    """Makes the projection ``run.subagents`` of a stream."""
    trace_policy: TracePolicy
    """The default trace policy of hooks, which follows ``configure_trace_policy``."""


class NoProjection(StreamTransformer):
    """Adds nothing to a stream."""

    def init(self) -> dict[str, object]:
        return {}

    def process(self, event: ProtocolEvent) -> bool:
        return True


@lru_cache(maxsize=1)
def langchains_agent() -> LangChainsAgent:
    """Read an agent of LangChain once; without it, or with another module in its place, projection and policy do nothing."""
    try:
        middleware, home = import_module("langchain.agents.middleware"), find_spec("langchain.agents.factory")
    except ImportError:
        home = None
    if home is None or home.loader is None or sys.modules["langchain.agents"].__name__ != "langchain.agents":
        return LangChainsAgent(NoProjection, TracePolicy())
    # From a module of its own: a program may have put our ``create_agent`` in the place of LangChain's.
    factory = module_from_spec(home)
    home.loader.exec_module(factory)
    hook = middleware.before_agent(lambda state, runtime: None, name="Hook")
    agent = factory.create_agent(
        import_module("langchain_core.language_models").FakeListChatModel(responses=[]), middleware=[hook]
    )
    subagents = [each for each in agent.stream_transformers if each is not ToolCallTransformer]
    return LangChainsAgent(subagents[0] if subagents else NoProjection, agent.builder.nodes["Hook.before_agent"].trace_policy)


def subagent_transformer() -> Callable[..., object]:
    """Return LangChain's transformer, imported when a stream begins unless it already is."""
    transformer: Callable[..., object] = langchains_agent().subagents if "langchain.agents" in sys.modules else _made_late
    return transformer


def _made_late(scope: tuple[str, ...] = ()) -> StreamTransformer:
    transformer: StreamTransformer = langchains_agent().subagents(scope)
    return transformer
