"""What ``langgraph.json`` deploys: one factory per graph, and nothing else.

A server loads this file by its path, as a module of its own, and calls a factory for every request. So there are no state or
schema types here, and the graphs are made and kept elsewhere.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from langgraph.graph.state import CompiledStateGraph

from answergraph.graphs.calculator import create_calculator
from answergraph.graphs.general_agent import general_agent


def agent() -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the general agent."""
    return general_agent()


@cache
def calculator() -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the calculator."""
    return create_calculator()
