"""What ``langgraph.json`` deploys: one factory per graph, and nothing else.

A server loads this file by its path, as a module of its own, and calls a factory for every request. So there are no state or
schema types here, and the graphs are made and kept elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph
from langgraph_sdk.runtime import ServerRuntime

from answergraph.graphs.calculator import create_calculator
from answergraph.graphs.general_agent import general_agent


def agent(config: RunnableConfig, runtime: ServerRuntime[Any]) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the general agent for the run's context."""
    return general_agent(_context(config, runtime))


@cache
def calculator() -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the calculator."""
    return create_calculator()


def _context(config: RunnableConfig, runtime: ServerRuntime[Any]) -> Mapping[str, Any]:
    """Return a run's context; where no run is about to start, what an assistant's configuration repeats of it."""
    execution = runtime.execution_runtime
    context = execution.context if execution else None
    return {**config.get("configurable", {}), **(context or {})}
