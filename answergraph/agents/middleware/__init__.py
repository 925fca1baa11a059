"""The names of ``langchain.agents.middleware``: ours where there is one, LangChain's own where it is installed."""

from importlib import import_module
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import TracePolicy

import answergraph.middleware as ours
from answergraph.middleware import *  # noqa: F403 - the whole door
from answergraph.runtime.extras import extra_needed

__all__ = list(ours.__all__)
__all__ += ["Runtime", "TracePolicy"]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    with extra_needed("langchain", f"answergraph.agents.middleware.{name}"):
        return getattr(import_module("langchain.agents.middleware"), name)
