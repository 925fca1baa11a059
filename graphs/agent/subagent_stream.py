"""The projection ``run.subagents`` of ``stream_events(version="v3")``: named agents that run inside this one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from langgraph.stream import ProtocolEvent, StreamTransformer

_HOME = "langchain.agents._subagent_transformer"


class NoProjection(StreamTransformer):
    """Adds nothing to a stream."""

    def init(self) -> dict[str, Any]:
        return {}

    def process(self, event: ProtocolEvent) -> bool:
        return True


def subagents(scope: tuple[str, ...] = ()) -> StreamTransformer:
    """Make LangChain's transformer when a stream begins; without LangChain there is no such projection."""
    try:
        made: StreamTransformer = import_module(_HOME).SubagentTransformer(scope)
    except ImportError:
        return NoProjection(scope)
    return made


def subagent_transformer() -> Callable[..., Any]:
    """Return LangChain's transformer if a program has imported it, else what imports it when a stream begins."""
    home = sys.modules.get(_HOME)
    return subagents if home is None else home.SubagentTransformer
