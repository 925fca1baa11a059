"""Agent graphs: the general one, and those that ship."""

from answergraph.graphs.agent import build_agent_graph, create_agent
from answergraph.graphs.calculator import create_calculator
from answergraph.graphs.triage.triage_graph import create_triage_agent

__all__ = ["build_agent_graph", "create_agent", "create_calculator", "create_triage_agent"]
