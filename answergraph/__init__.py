"""Agent graphs for LangGraph that always end: in a typed, checked answer, or in a typed reason why there is none."""

import typing

from answergraph.graphs.agent import build_agent_graph, create_agent
from answergraph.graphs.agent_node import as_node
from answergraph.nodes import later
from answergraph.nodes.answer_channel import AnswerChannel
from answergraph.nodes.answer_events import AnswerEvent, is_answer_event
from answergraph.nodes.budget import UsageLimits
from answergraph.nodes.errors import (
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
from answergraph.nodes.outcome import AnswerAccepted, Attempt, Outcome
from answergraph.nodes.response_format.refusals import Refusal, forget_refusals, known_refusals
from answergraph.nodes.state import AgentState, InputAgentState, OutputAgentState
from answergraph.nodes.usage import Usage

if typing.TYPE_CHECKING:
    from answergraph.graphs.agent_tool import AgentToolArtifact, as_tool
    from answergraph.graphs.agent_types import AgentGraph, AgentResult
    from answergraph.graphs.answer_streams import AnswerTransformer, HideAnswerCalls
    from answergraph.nodes.chat_models.react_text.model import ReActTextModel
    from answergraph.nodes.chat_models.request_transform import without_request_transform
    from answergraph.nodes.evidence.abstention import Abstention
    from answergraph.nodes.evidence.bundle import BUNDLE_KEYS, answer_bundle
    from answergraph.nodes.evidence.marks import FromTools, Quote
    from answergraph.nodes.evidence.tool_results import ToolRun
    from answergraph.nodes.evidence.verifier import ClaimVerdict, verify_bundle
    from answergraph.nodes.judging.judgment import Judgment, StageRecord, judgment_match_method
    from answergraph.nodes.llm_math.tool import llm_math_tool
    from answergraph.nodes.response_format.auto import AutoStrategy
    from answergraph.nodes.response_format.deferred import DeferredStrategy
    from answergraph.nodes.response_format.fallback import FallbackStrategy
    from answergraph.nodes.response_format.from_context import FromContext
    from answergraph.nodes.response_format.prompted import PromptedStrategy
    from answergraph.nodes.response_format.provider import ProviderStrategy
    from answergraph.nodes.response_format.salvage import parse_structured_output
    from answergraph.nodes.response_format.tool import ToolStrategy
else:
    # What the plain agent does not need is imported when it is asked for.
    __getattr__ = later.imported_later(
        __name__,
        {
            "AgentToolArtifact": "answergraph.graphs.agent_tool",
            "as_tool": "answergraph.graphs.agent_tool",
            "AgentGraph": "answergraph.graphs.agent_types",
            "AgentResult": "answergraph.graphs.agent_types",
            "AnswerTransformer": "answergraph.graphs.answer_streams",
            "HideAnswerCalls": "answergraph.graphs.answer_streams",
            "ReActTextModel": "answergraph.nodes.chat_models.react_text.model",
            "without_request_transform": "answergraph.nodes.chat_models.request_transform",
            "Abstention": "answergraph.nodes.evidence.abstention",
            "BUNDLE_KEYS": "answergraph.nodes.evidence.bundle",
            "answer_bundle": "answergraph.nodes.evidence.bundle",
            "FromTools": "answergraph.nodes.evidence.marks",
            "Quote": "answergraph.nodes.evidence.marks",
            "ToolRun": "answergraph.nodes.evidence.tool_results",
            "ClaimVerdict": "answergraph.nodes.evidence.verifier",
            "verify_bundle": "answergraph.nodes.evidence.verifier",
            "Judgment": "answergraph.nodes.judging.judgment",
            "StageRecord": "answergraph.nodes.judging.judgment",
            "judgment_match_method": "answergraph.nodes.judging.judgment",
            "llm_math_tool": "answergraph.nodes.llm_math.tool",
            "DeferredStrategy": "answergraph.nodes.response_format.deferred",
            "FallbackStrategy": "answergraph.nodes.response_format.fallback",
            "FromContext": "answergraph.nodes.response_format.from_context",
            "AutoStrategy": "answergraph.nodes.response_format.auto",
            "PromptedStrategy": "answergraph.nodes.response_format.prompted",
            "ProviderStrategy": "answergraph.nodes.response_format.provider",
            "ToolStrategy": "answergraph.nodes.response_format.tool",
            "parse_structured_output": "answergraph.nodes.response_format.salvage",
        },
    )

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
    "FallbackStrategy",
    "FromContext",
    "FromTools",
    "HideAnswerCalls",
    "InputAgentState",
    "Judgment",
    "MultipleStructuredOutputsError",
    "NoAnswerError",
    "Outcome",
    "OutputAgentState",
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
    "as_node",
    "as_tool",
    "build_agent_graph",
    "create_agent",
    "forget_refusals",
    "is_answer_event",
    "judgment_match_method",
    "known_refusals",
    "llm_math_tool",
    "parse_structured_output",
    "verify_bundle",
    "without_request_transform",
]


def __dir__() -> list[str]:
    """Return all names, also of what is not imported yet."""
    return [*{*globals(), *__all__}]
