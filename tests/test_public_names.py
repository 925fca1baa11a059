"""The public packages: their names are listed here, so no name is public by accident."""

from importlib import import_module
from types import ModuleType

import pytest

DOORS = {
    "answergraph": [
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
    ],
    "answergraph.graphs": [
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
    ],
    "answergraph.kit": [
        "Answer",
        "AnswerSchema",
        "Budget",
        "Call",
        "GraphNode",
        "Invoke",
        "Reading",
        "Router",
        "Step",
        "Turn",
        "Work",
        "ask_model",
        "correction_message",
        "find_json",
        "off_loop",
        "pure",
        "reason_router",
        "require_extra",
        "resolve_model",
        "sealed",
        "tool_runs",
    ],
    "answergraph.middleware": [
        "AgentMiddleware",
        "AgentState",
        "ExtendedModelResponse",
        "GroundedAnswer",
        "InputAgentState",
        "ModelCallResult",
        "ModelRequest",
        "ModelResponse",
        "NarrowResponseFormat",
        "OmitFromSchema",
        "OutputAgentState",
        "RequireTools",
        "ToolCallRequest",
        "after_agent",
        "after_model",
        "before_agent",
        "before_model",
        "dynamic_prompt",
        "hook_config",
        "wrap_model_call",
        "wrap_tool_call",
    ],
    "answergraph.many": ["ArrowMap", "Group", "MapRun", "Row", "map_answers"],
    "answergraph.testing": [
        "Difference",
        "RecordMode",
        "Replay",
        "ScriptExhaustedError",
        "ScriptedChatModel",
        "ScriptedRequest",
        "Tape",
        "TapeMismatch",
        "replay",
        "use_tape",
    ],
}
"""The names that users may import; repeated here, so that no name changes unnoticed."""


def public_names(door: ModuleType) -> set[str]:
    """Return the names of ours that a door shows: a package's door shows what it imports, a module what it defines."""
    ours = "answergraph" if hasattr(door, "__path__") else door.__name__
    names = {name: getattr(value, "__module__", ours) for name, value in vars(door).items() if not is_module(value)}
    return {name for name, home in names.items() if home.startswith(ours) and not name.startswith("_")}


def is_module(value: object) -> bool:
    return isinstance(value, ModuleType)


@pytest.mark.parametrize("door", DOORS)
def test_a_public_door_offers_what_is_listed_here(door: str) -> None:
    module = import_module(door)
    assert getattr(module, "__all__", []) == DOORS[door]
    assert [name for name in DOORS[door] if not hasattr(module, name)] == []
    assert public_names(module) - set(DOORS[door]) == set(), "public by its name, but not in __all__"
