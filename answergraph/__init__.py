"""Agent graphs for LangGraph that always end: in a typed, checked answer, or in a typed reason why there is none."""

import typing

from answergraph.runtime import lazy_imports

__version__ = "0.2.0.dev0"

if typing.TYPE_CHECKING:
    from answergraph.answers.schemas.item_keys import Key
    from answergraph.answers.untrusted.from_context import FromContext
    from answergraph.asking.strategies.auto_strategy import AutoStrategy
    from answergraph.asking.strategies.deferred_strategy import DeferredStrategy
    from answergraph.asking.strategies.fallback_strategy import FallbackStrategy
    from answergraph.asking.strategies.prompted_strategy import PromptedStrategy
    from answergraph.asking.strategies.provider_strategy import ProviderStrategy
    from answergraph.asking.strategies.tool_strategy import ToolStrategy
    from answergraph.evidence.claim_checking import EvidenceReport, check_evidence
    from answergraph.evidence.marks import Abstention, Derived, Grounded, Quote, SupportedBy
    from answergraph.graphs.agent.agent_types import AgentGraph, AgentResult
    from answergraph.graphs.agent.create import build_agent_graph, create_agent
    from answergraph.graphs.agent.installation import install, uninstall
    from answergraph.graphs.compose.as_node import as_node
    from answergraph.graphs.compose.as_tool import as_tool
    from answergraph.graphs.compose.resuming import aresume, aunfinished, resume, unfinished
    from answergraph.middleware.grounded_answer import GroundedAnswer
    from answergraph.middleware.require_tools import RequireTools
    from answergraph.nodes.external_tool import external_tool
    from answergraph.runtime.errors import AgentSpecError, AnswerGraphError, AnswerRejected, NoAnswerError
    from answergraph.state.outcome import Outcome
    from answergraph.state.usage import UsageLimits
else:
    _MOVED = (  # which the top level of 0.1 had; until 0.3 it gives them still, with a warning
        "BUNDLE_KEYS",
        "AgentState",
        "AgentToolArtifact",
        "AnswerAccepted",
        "AnswerChannel",
        "AnswerEvent",
        "AnswerTransformer",
        "Attempt",
        "BundleError",
        "ClaimVerdict",
        "FromTools",
        "HideAnswerCalls",
        "InputAgentState",
        "Judgment",
        "MultipleStructuredOutputsError",
        "OutputAgentState",
        "PendingCall",
        "ReActTextModel",
        "Refusal",
        "ResponseFormatError",
        "RuleEvaluationError",
        "RuleNotMatched",
        "RuleSyntaxError",
        "StageRecord",
        "StoredAnswerError",
        "StructuredOutputError",
        "StructuredOutputValidationError",
        "ToolRun",
        "Usage",
        "WorkflowFileError",
        "WorkflowSpecError",
        "answer_bundle",
        "forget_refusals",
        "is_answer_event",
        "judgment_match_method",
        "known_refusals",
        "llm_math_tool",
        "parse_structured_output",
        "verify_bundle",
    )
    # Imported on first use, so that the command line starts fast.
    __getattr__, __dir__ = lazy_imports.imported_later(__name__, _MOVED)

__all__ = [
    "Abstention",
    "AgentGraph",
    "AgentResult",
    "AgentSpecError",
    "AnswerGraphError",
    "AnswerRejected",
    "AutoStrategy",
    "DeferredStrategy",
    "Derived",
    "EvidenceReport",
    "FallbackStrategy",
    "FromContext",
    "Grounded",
    "GroundedAnswer",
    "Key",
    "NoAnswerError",
    "Outcome",
    "PromptedStrategy",
    "ProviderStrategy",
    "Quote",
    "RequireTools",
    "SupportedBy",
    "ToolStrategy",
    "UsageLimits",
    "aresume",
    "as_node",
    "as_tool",
    "aunfinished",
    "build_agent_graph",
    "check_evidence",
    "create_agent",
    "external_tool",
    "install",
    "resume",
    "unfinished",
    "uninstall",
]
