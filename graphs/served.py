"""What ``langgraph.json`` deploys: one factory per graph, and nothing else.

A server loads this file by its path, as a module of its own, and calls a factory for every request. So there are no state or
schema types here, and the graphs are made and kept elsewhere.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph

from answergraph.graphs.calculator import create_calculator
from answergraph.graphs.general_agent import general_agent
from answergraph.graphs.judge_by_context import judge_by_context
from answergraph.graphs.mending.workflow import create_mending_workflow
from answergraph.graphs.react import react_agent
from answergraph.graphs.triage import create_triage_agent
from answergraph.nodes.chat_models.resolve import OFFLINE

TRIAGE_ROOT = "ANSWERGRAPH_TRIAGE_ROOT"
"""The environment variable that names the folder below which test runs lie; nobody can ask about another one."""
_EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "failures"


def agent() -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the general agent."""
    return general_agent()


@cache
def calculator() -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the calculator."""
    return create_calculator()


def react(config: RunnableConfig) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the react graph for the model of the run's context."""
    return react_agent(config.get("configurable", {}).get("model") or OFFLINE)


def judge(config: RunnableConfig) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the judge for the model and the rules of the run's context."""
    return judge_by_context(config.get("configurable"))


@cache
def workflow() -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the example workflow."""
    return create_mending_workflow()


@cache
def triage() -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the triage; without ``ANSWERGRAPH_TRIAGE_ROOT`` it may look into the examples of the repository alone."""
    return create_triage_agent(root=os.environ.get(TRIAGE_ROOT) or _EXAMPLES)
