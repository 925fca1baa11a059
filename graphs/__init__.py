"""Agent graphs: the general one, and those that ship."""

from answergraph.graphs.agent import build_agent_graph, create_agent
from answergraph.graphs.agent_node import as_node
from answergraph.graphs.agent_tool import AgentToolArtifact, as_tool
from answergraph.graphs.calculator import create_calculator
from answergraph.graphs.react import create_react

__all__ = [
    "AgentToolArtifact",
    "as_node",
    "as_tool",
    "build_agent_graph",
    "create_agent",
    "create_calculator",
    "create_react",
]
