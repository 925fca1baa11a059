"""Agent graphs for LangGraph that always end: in a typed, checked answer, or in a typed reason why there is none."""

from answergraph.graphs.agent import build_agent_graph, create_agent
from answergraph.nodes.budget import UsageLimits
from answergraph.nodes.chat_models.react_text.model import ReActTextModel
from answergraph.nodes.errors import (
    AgentSpecError,
    AnswerGraphError,
    AnswerRejected,
    MultipleStructuredOutputsError,
    NoAnswerError,
    ResponseFormatError,
    StructuredOutputError,
    StructuredOutputValidationError,
)
from answergraph.nodes.llm_math.tool import llm_math_tool
from answergraph.nodes.outcome import AnswerAccepted, Attempt, Outcome
from answergraph.nodes.response_format.auto import AutoStrategy
from answergraph.nodes.response_format.deferred import DeferredStrategy
from answergraph.nodes.response_format.fallback import FallbackStrategy
from answergraph.nodes.response_format.prompted import PromptedStrategy
from answergraph.nodes.response_format.provider import ProviderStrategy
from answergraph.nodes.response_format.refusals import Refusal, forget_refusals, known_refusals
from answergraph.nodes.response_format.tool import ToolStrategy
from answergraph.nodes.state import AgentState, InputAgentState, OutputAgentState
from answergraph.nodes.usage import Usage

__all__ = [
    "AgentSpecError",
    "AgentState",
    "AnswerAccepted",
    "AnswerGraphError",
    "AnswerRejected",
    "Attempt",
    "AutoStrategy",
    "DeferredStrategy",
    "FallbackStrategy",
    "InputAgentState",
    "MultipleStructuredOutputsError",
    "NoAnswerError",
    "Outcome",
    "OutputAgentState",
    "PromptedStrategy",
    "ProviderStrategy",
    "ReActTextModel",
    "Refusal",
    "ResponseFormatError",
    "StructuredOutputError",
    "StructuredOutputValidationError",
    "ToolStrategy",
    "Usage",
    "UsageLimits",
    "build_agent_graph",
    "create_agent",
    "forget_refusals",
    "known_refusals",
    "llm_math_tool",
]
