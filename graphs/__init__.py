"""Agent graphs: ``create_agent`` and the built-in graphs."""

import typing

from answergraph.runtime import lazy_imports

if typing.TYPE_CHECKING:
    from answergraph.graphs.add_ons.calculator.calculator import create_calculator
    from answergraph.graphs.add_ons.calculator.llm_math.llm_math_tool import llm_math_tool
    from answergraph.graphs.add_ons.ensemble.ensemble_graph import create_ensemble
    from answergraph.graphs.add_ons.ensemble.merging import merge_answers
    from answergraph.graphs.add_ons.extract.extractor import ExtractorInput, create_extractor
    from answergraph.graphs.add_ons.judge.judge_graph import create_judge
    from answergraph.graphs.add_ons.judge.judging.judgment import judgment_match_method
    from answergraph.graphs.add_ons.react.react_graph import create_react
    from answergraph.graphs.add_ons.triage import create_triage_agent
    from answergraph.graphs.add_ons.workflow.workflow_file import load_workflow
    from answergraph.graphs.add_ons.workflow.workflow_graph import create_workflow
    from answergraph.graphs.add_ons.workflow.workflow_steps import WorkflowLimits, WorkflowStep
    from answergraph.graphs.agent.create import build_agent_graph, create_agent
    from answergraph.graphs.compose.as_node import as_node
    from answergraph.graphs.compose.as_tool import AgentToolArtifact, as_tool
else:
    # Imported on first use, so that the command line starts fast.
    __getattr__, __dir__ = lazy_imports.imported_later(__name__)

__all__ = [
    "AgentToolArtifact",
    "ExtractorInput",
    "WorkflowLimits",
    "WorkflowStep",
    "as_node",
    "as_tool",
    "build_agent_graph",
    "create_agent",
    "create_calculator",
    "create_ensemble",
    "create_extractor",
    "create_judge",
    "create_react",
    "create_triage_agent",
    "create_workflow",
    "judgment_match_method",
    "llm_math_tool",
    "load_workflow",
    "merge_answers",
]
