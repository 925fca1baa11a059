"""Agent graphs for LangGraph that always end: in a typed, checked answer, or in a typed reason why there is none."""

from answergraph.graphs.agent import build_agent_graph, create_agent
from answergraph.nodes.budget import UsageLimits
from answergraph.nodes.errors import (
    AgentSpecError,
    AnswerGraphError,
    AnswerRejected,
    BundleError,
    MultipleStructuredOutputsError,
    NoAnswerError,
    StructuredOutputError,
    StructuredOutputValidationError,
)
from answergraph.nodes.evidence.abstention import Abstention
from answergraph.nodes.evidence.bundle import BUNDLE_KEYS, answer_bundle
from answergraph.nodes.evidence.marks import FromTools, Quote
from answergraph.nodes.evidence.tool_results import ToolRun
from answergraph.nodes.evidence.verifier import ClaimVerdict, verify_bundle
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
    "BUNDLE_KEYS",
    "Abstention",
    "AgentSpecError",
    "AgentState",
    "AnswerAccepted",
    "AnswerGraphError",
    "AnswerRejected",
    "Attempt",
    "AutoStrategy",
    "BundleError",
    "ClaimVerdict",
    "DeferredStrategy",
    "FallbackStrategy",
    "FromTools",
    "InputAgentState",
    "MultipleStructuredOutputsError",
    "NoAnswerError",
    "Outcome",
    "OutputAgentState",
    "PromptedStrategy",
    "ProviderStrategy",
    "Quote",
    "Refusal",
    "StructuredOutputError",
    "StructuredOutputValidationError",
    "ToolRun",
    "ToolStrategy",
    "Usage",
    "UsageLimits",
    "answer_bundle",
    "build_agent_graph",
    "create_agent",
    "forget_refusals",
    "known_refusals",
    "verify_bundle",
]
