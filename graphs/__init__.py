"""Agent graphs: the general one, and those that ship."""

import typing

from answergraph.graphs.agent import build_agent_graph, create_agent
from answergraph.graphs.agent_node import as_node
from answergraph.nodes import later

if typing.TYPE_CHECKING:
    from answergraph.graphs.agent_tool import AgentToolArtifact, as_tool
    from answergraph.graphs.calculator import create_calculator
    from answergraph.graphs.judge import create_judge
    from answergraph.graphs.react import create_react
    from answergraph.graphs.triage import create_triage_agent
    from answergraph.graphs.workflow.file import load_workflow
    from answergraph.graphs.workflow.graph import create_workflow
    from answergraph.graphs.workflow.steps import WorkflowLimits, WorkflowStep
else:
    # What the plain agent does not need is imported when it is asked for.
    __getattr__ = later.imported_later(
        __name__,
        {
            "AgentToolArtifact": "answergraph.graphs.agent_tool",
            "as_tool": "answergraph.graphs.agent_tool",
            "create_calculator": "answergraph.graphs.calculator",
            "create_judge": "answergraph.graphs.judge",
            "create_react": "answergraph.graphs.react",
            "create_triage_agent": "answergraph.graphs.triage",
            "load_workflow": "answergraph.graphs.workflow.file",
            "create_workflow": "answergraph.graphs.workflow.graph",
            "WorkflowLimits": "answergraph.graphs.workflow.steps",
            "WorkflowStep": "answergraph.graphs.workflow.steps",
        },
    )

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


def __dir__() -> list[str]:
    """Return all names, also of what is not imported yet."""
    return [*{*globals(), *__all__}]
