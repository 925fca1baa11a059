"""The factories for ``langgraph.json``, one per graph.

A server loads this file by its path and calls a factory for every request, so types and caches are elsewhere.
"""

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph
from langgraph_sdk.runtime import ServerRuntime

from answergraph.graphs.add_ons.calculator.calculator import create_calculator
from answergraph.graphs.add_ons.calculator.general_agent import general_agent
from answergraph.graphs.add_ons.extract.extractor import ExtractorInput, extract_by_context
from answergraph.graphs.add_ons.judge.judge_graph import judge_by_context
from answergraph.graphs.add_ons.react.react_graph import react_agent
from answergraph.graphs.add_ons.triage import create_triage_agent
from answergraph.graphs.agent.agent_types import AgentGraph
from answergraph.models.model_names import OFFLINE
from answergraph.runtime.errors import AgentSpecError

TRIAGE_ROOT = "ANSWERGRAPH_TRIAGE_ROOT"
"""The environment variable for the folder of test runs; others are not accessible."""
MODELS = "ANSWERGRAPH_MODELS"
"""The environment variable for the models that callers may choose beside ``offline``: names, with commas between them."""
_EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "failures"


def agent(config: RunnableConfig, runtime: ServerRuntime[Any]) -> AgentGraph:
    return general_agent(_context(config, runtime), permitted=permitted_model)


@cache
def calculator() -> AgentGraph:
    return create_calculator()


def react(config: RunnableConfig, runtime: ServerRuntime[Any]) -> AgentGraph:
    return react_agent(permitted_model(_context(config, runtime).get("model") or OFFLINE))


def judge(config: RunnableConfig, runtime: ServerRuntime[Any]) -> CompiledStateGraph[Any, Any]:
    context = _context(config, runtime)
    permitted_model(context.get("model") or OFFLINE)
    return judge_by_context(context)


def extract(config: RunnableConfig, runtime: ServerRuntime[Any]) -> AgentGraph[Any, ExtractorInput]:
    context = _context(config, runtime)
    permitted_model(context.get("model") or OFFLINE)
    return extract_by_context(context)


@cache
def triage() -> CompiledStateGraph[Any, Any]:
    """Return the triage; without ``ANSWERGRAPH_TRIAGE_ROOT``, only for the repository's examples."""
    return create_triage_agent(root=os.environ.get(TRIAGE_ROOT) or _EXAMPLES)


def permitted_model(name: object) -> Any:
    """Return the model that a caller chose; raise ``AgentSpecError`` if the deployer did not list it: it would use their keys."""
    permitted = [OFFLINE, *filter(None, map(str.strip, os.environ.get(MODELS, "").split(",")))]
    # What is no name is refused by the graph, with the field.
    if isinstance(name, str) and name not in permitted:
        names = ", ".join(map(repr, permitted))
        raise AgentSpecError(
            f"Model {name!r} cannot be used: this server permits {names}. Its operator lists models in {MODELS}."
        )
    return name


def _context(config: RunnableConfig, runtime: ServerRuntime[Any]) -> Mapping[str, object]:
    """Return a run's context, or the one in an assistant's configuration, which not every server copies when it starts a run."""
    execution = runtime.execution_runtime
    context = execution.context if execution else None
    return {**config.get("configurable", {}), **(context or {})}
