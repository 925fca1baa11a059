"""The public packages: their names are listed here, so no name is public by accident."""

import subprocess
import sys
from importlib import import_module
from types import ModuleType

import pytest

DOORS = {
    "answergraph": [
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
    ],
    "answergraph.errors": [
        "AgentSpecError",
        "AnswerGraphError",
        "AnswerRejected",
        "BundleError",
        "MultipleStructuredOutputsError",
        "NoAnswerError",
        "ResponseFormatError",
        "RuleEvaluationError",
        "RuleNotMatched",
        "RuleSyntaxError",
        "StoredAnswerError",
        "StructuredOutputError",
        "StructuredOutputValidationError",
        "WorkflowFileError",
        "WorkflowSpecError",
    ],
    "answergraph.evidence": [
        "BUNDLE_KEYS",
        "ClaimVerdict",
        "EvidenceReport",
        "FromTools",
        "Mark",
        "Source",
        "ToolRun",
        "answer_bundle",
        "check_evidence",
        "verify_bundle",
    ],
    "answergraph.models": [
        "ReActTextModel",
        "Refusal",
        "forget_refusals",
        "known_refusals",
    ],
    "answergraph.streaming": [
        "AnswerEvent",
        "AnswerTransformer",
        "HideAnswerCalls",
        "is_answer_event",
    ],
    "answergraph.graphs": [
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
    ],
    "answergraph.kit": [
        "Answer",
        "AnswerAccepted",
        "AnswerChannel",
        "AnswerSchema",
        "Budget",
        "Call",
        "FieldPath",
        "GraphNode",
        "Invoke",
        "Reading",
        "Router",
        "Step",
        "TimedNode",
        "Turn",
        "Work",
        "ask_model",
        "correction_message",
        "explains_arguments",
        "find_json",
        "locate",
        "off_loop",
        "parse_expression",
        "parse_structured_output",
        "pure",
        "reason_router",
        "replaced_models",
        "require_extra",
        "resolve_model",
        "sealed",
        "time_is_up",
        "timed",
        "tool_runs",
    ],
    "answergraph.middleware": [
        "AgentMiddleware",
        "AgentState",
        "ExtendedModelResponse",
        "GroundedAnswer",
        "Input",
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
    "answergraph.many": ["ArrowMap", "BatchAPI", "Group", "MapRun", "Row", "map_answers"],
    "answergraph.serving": ["to_a2a", "to_ag_ui", "to_mcp"],
    "answergraph.telemetry": ["TelemetryHandler"],
    "answergraph.types": [
        "AgentToolArtifact",
        "AnswerEvent",
        "Approve",
        "Attempt",
        "DerivedSum",
        "Edit",
        "Evidence",
        "FieldReading",
        "FieldRecord",
        "FieldStatus",
        "Judgment",
        "LimitName",
        "Limits",
        "ModelPrice",
        "OnDoubt",
        "Outcome",
        "PendingCall",
        "Prices",
        "Reject",
        "ReviewChoice",
        "ReviewDecision",
        "ReviewRequest",
        "RunUsage",
        "SourceRef",
        "StageRecord",
        "Status",
        "Usage",
    ],
    "answergraph.testing": [
        "Case",
        "Difference",
        "EvalReport",
        "Feedback",
        "FieldScore",
        "JudgedBy",
        "RecordMode",
        "Replay",
        "ScriptExhaustedError",
        "ScriptedChatModel",
        "ScriptedRequest",
        "Tape",
        "TapeMismatch",
        "evaluate",
        "feedback_on",
        "inspect_ai_task",
        "pydantic_evals_dataset",
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


@pytest.mark.program
def test_a_name_that_has_left_the_top_level_is_given_with_a_warning_that_says_what_to_write() -> None:
    moved = {"AgentState": "middleware", "ToolRun": "evidence", "StoredAnswerError": "errors"}
    # Of each name a part of one program: what it imports takes longer than all that is looked at.
    program = "import warnings\n" + "".join(
        f"""
with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    from answergraph import {name}
    from answergraph import {name} as again
print(*(f"{{each.category.__name__}} in {{each.filename}}: {{each.message}}" for each in warned), sep="\\n")
from answergraph.{room} import {name} as moved
print({name} is again is moved)
"""
        for name, room in moved.items()
    )
    run = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    said = "DeprecationWarning in <string>: {0} has moved: write `from answergraph.{1} import {0}`."
    assert run.stdout.splitlines() == [line for name, room in moved.items() for line in (said.format(name, room), "True")]
