"""Agent graphs: the general one, and those that ship."""

from answergraph.graphs.agent import build_agent_graph, create_agent
from answergraph.graphs.agent_node import as_node
from answergraph.graphs.agent_tool import AgentToolArtifact, as_tool
from answergraph.graphs.calculator import create_calculator
from answergraph.graphs.judge import create_judge
from answergraph.graphs.react import create_react
from answergraph.graphs.triage import create_triage_agent
from answergraph.graphs.workflow.file import load_workflow
from answergraph.graphs.workflow.graph import create_workflow
from answergraph.graphs.workflow.steps import WorkflowLimits, WorkflowStep

__all__ = [
    "AgentToolArtifact",
    "WorkflowLimits",
    "WorkflowStep",
    "as_node",
    "as_tool",
    "build_agent_graph",
    "create_agent",
    "create_calculator",
    "create_judge",
    "create_react",
    "create_triage_agent",
    "create_workflow",
    "load_workflow",
]
