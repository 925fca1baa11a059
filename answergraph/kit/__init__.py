"""What add-ons build with, here and in other people's packages; held stable as the top level is."""

import typing

from answergraph.runtime import lazy_imports

if typing.TYPE_CHECKING:
    from answergraph.answers.storage.answer_channel import AnswerChannel
    from answergraph.evidence.bundles import sealed
    from answergraph.evidence.claim_checking import locate
    from answergraph.json_text.json_in_text import parse_structured_output
    from answergraph.kit.both_colours import Step, Work
    from answergraph.kit.last_turn import Call, Turn, reason_router
    from answergraph.kit.model_replacements import replaced_models
    from answergraph.kit.one_answer import Answer, AnswerSchema, Reading, ask_model
    from answergraph.kit.run_results import tool_runs
    from answergraph.kit.shared_budget import Budget
    from answergraph.kit.texts import find_json, require_extra
    from answergraph.kit.timed_graphs import TimedNode, time_is_up, timed
    from answergraph.models.resolve import resolve_model
    from answergraph.runtime.explained_arguments import explains_arguments
    from answergraph.runtime.python_expression import parse_expression
    from answergraph.runtime.steps import GraphNode, Invoke, Router, off_loop, pure
    from answergraph.state.field_path import FieldPath
    from answergraph.state.messages import correction_message
    from answergraph.state.outcome import AnswerAccepted
else:
    # Imported on first use.
    __getattr__, __dir__ = lazy_imports.imported_later(__name__)

__all__ = [
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
]
