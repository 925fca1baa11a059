"""Tests of your agents: a model with scripted replies, recorded runs that are played without the network, scores by field."""

import typing

from answergraph.runtime import lazy_imports

if typing.TYPE_CHECKING:
    from answergraph.evaluation.evaluating import evaluate
    from answergraph.evaluation.evaluation_cases import Case
    from answergraph.evaluation.evaluation_doors import inspect_ai_task, pydantic_evals_dataset
    from answergraph.evaluation.evaluation_report import EvalReport, FieldScore
    from answergraph.evaluation.judged_by import JudgedBy
    from answergraph.evaluation.optimizer_feedback import Feedback, feedback_on
    from answergraph.models.in_process.scripted_model import ScriptedChatModel, ScriptedRequest, ScriptExhaustedError
    from answergraph.tapes.differences import Difference, TapeMismatch
    from answergraph.tapes.playing import RecordMode, Replay, replay, use_tape
    from answergraph.tapes.tape import Tape
else:
    # Imported on first use.
    __getattr__, __dir__ = lazy_imports.imported_later(__name__)

__all__ = [
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
]
