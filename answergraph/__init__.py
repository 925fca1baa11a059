"""Agent graphs for LangGraph that always end: in a typed, checked answer, or in a typed reason why there is none."""

from answergraph.graphs.agent import build_agent_graph, create_agent
from answergraph.nodes.errors import (
    AgentSpecError,
    AnswerGraphError,
    AnswerRejected,
    MultipleStructuredOutputsError,
    NoAnswerError,
    StructuredOutputError,
    StructuredOutputValidationError,
)
from answergraph.nodes.outcome import Attempt, Outcome, Usage, UsageLimits
from answergraph.nodes.response_format.auto import AutoStrategy
from answergraph.nodes.response_format.provider import ProviderStrategy
from answergraph.nodes.response_format.tool import ToolStrategy
from answergraph.nodes.state import AgentState, InputAgentState, OutputAgentState

__all__ = [
    "AgentSpecError",
    "AgentState",
    "AnswerGraphError",
    "AnswerRejected",
    "Attempt",
    "AutoStrategy",
    "InputAgentState",
    "MultipleStructuredOutputsError",
    "NoAnswerError",
    "Outcome",
    "OutputAgentState",
    "ProviderStrategy",
    "StructuredOutputError",
    "StructuredOutputValidationError",
    "ToolStrategy",
    "Usage",
    "UsageLimits",
    "build_agent_graph",
    "create_agent",
]
