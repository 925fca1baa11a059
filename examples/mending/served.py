"""The factory that ``langgraph.json`` deploys."""

from __future__ import annotations

from functools import cache
from typing import Any

from langgraph.graph.state import CompiledStateGraph

from examples.mending.mending_workflow import create_mending_workflow


@cache
def workflow() -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the example workflow."""
    return create_mending_workflow()
