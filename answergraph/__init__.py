"""Agent graphs for LangGraph that always end: in a typed, checked answer, or in a typed reason why there is none."""

import typing

from answergraph.runtime import lazy_imports

__version__ = "0.2.0.dev0"

if typing.TYPE_CHECKING:
    from answergraph.answers.storage.answer_channel import AnswerChannel
    from answergraph.answers.untrusted.from_context import FromContext
    from answergraph.asking.providers.refusals import Refusal, forget_refusals, known_refusals
    from answergraph.asking.strategies.auto_strategy import AutoStrategy
    from answergraph.asking.strategies.deferred_strategy import DeferredStrategy
    from answergraph.asking.strategies.fallback_strategy import FallbackStrategy
    from answergraph.asking.strategies.prompted_strategy import PromptedStrategy
    from answergraph.asking.strategies.provider_strategy import ProviderStrategy
    from answergraph.asking.strategies.tool_strategy import ToolStrategy
    from answergraph.evidence.answer_bundle import BUNDLE_KEYS, answer_bundle
    from answergraph.evidence.claim_checking import EvidenceReport, check_evidence
    from answergraph.evidence.marks import Abstention, Derived, FromTools, Grounded, Quote
    from answergraph.evidence.verifier import ClaimVerdict, verify_bundle
    from answergraph.graphs.add_ons.calculator.llm_math.llm_math_tool import llm_math_tool
    from answergraph.graphs.add_ons.judge.judging.judgment import Judgment, StageRecord, judgment_match_method
    from answergraph.graphs.agent.agent_types import AgentGraph, AgentResult
    from answergraph.graphs.agent.create import build_agent_graph, create_agent
    from answergraph.graphs.agent.installation import install, uninstall
    from answergraph.graphs.compose.answer_streams import AnswerTransformer, HideAnswerCalls
    from answergraph.graphs.compose.as_node import as_node
    from answergraph.graphs.compose.as_tool import AgentToolArtifact, as_tool
    from answergraph.graphs.compose.resuming import aresume, aunfinished, resume, unfinished
    from answergraph.json_text.json_in_text import parse_structured_output
    from answergraph.nodes.external_tool import external_tool
    from answergraph.react_text.react_text_model import ReActTextModel
    from answergraph.runtime.errors import (
        AgentSpecError,
        AnswerGraphError,
        AnswerRejected,
        BundleError,
        MultipleStructuredOutputsError,
        NoAnswerError,
        ResponseFormatError,
        RuleEvaluationError,
        RuleNotMatched,
        RuleSyntaxError,
        StoredAnswerError,
        StructuredOutputError,
        StructuredOutputValidationError,
        WorkflowFileError,
        WorkflowSpecError,
    )
    from answergraph.state.agent_state import AgentState, InputAgentState, OutputAgentState
    from answergraph.state.outcome import AnswerAccepted, Attempt, Outcome, PendingCall, Usage
    from answergraph.state.tool_results import ToolRun
    from answergraph.state.usage import UsageLimits
    from answergraph.streaming.answer_events import AnswerEvent, is_answer_event
else:
    # Imported on first use, so that the command line starts fast.
    __getattr__, __dir__ = lazy_imports.imported_later(__name__)

__all__ = [
    "BUNDLE_KEYS",
    "Abstention",
    "AgentGraph",
    "AgentResult",
    "AgentSpecError",
    "AgentState",
    "AgentToolArtifact",
    "AnswerAccepted",
    "AnswerChannel",
    "AnswerEvent",
    "AnswerGraphError",
    "AnswerRejected",
    "AnswerTransformer",
    "Attempt",
    "AutoStrategy",
    "BundleError",
    "ClaimVerdict",
    "DeferredStrategy",
    "Derived",
    "EvidenceReport",
    "FallbackStrategy",
    "FromContext",
    "FromTools",
    "Grounded",
    "HideAnswerCalls",
    "InputAgentState",
    "Judgment",
    "MultipleStructuredOutputsError",
    "NoAnswerError",
    "Outcome",
    "OutputAgentState",
    "PendingCall",
    "PromptedStrategy",
    "ProviderStrategy",
    "Quote",
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
    "ToolStrategy",
    "Usage",
    "UsageLimits",
    "WorkflowFileError",
    "WorkflowSpecError",
    "answer_bundle",
    "aresume",
    "as_node",
    "as_tool",
    "aunfinished",
    "build_agent_graph",
    "check_evidence",
    "create_agent",
    "external_tool",
    "forget_refusals",
    "install",
    "is_answer_event",
    "judgment_match_method",
    "known_refusals",
    "llm_math_tool",
    "parse_structured_output",
    "resume",
    "unfinished",
    "uninstall",
    "verify_bundle",
]
