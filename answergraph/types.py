"""The shapes of plain JSON that go in and out: for annotations; nothing here has to be built by hand."""

import typing

from answergraph.runtime import lazy_imports
from answergraph.state.field_record import Evidence, FieldReading, FieldRecord, FieldStatus, OnDoubt, SourceRef
from answergraph.state.outcome import (
    Attempt,
    LimitName,
    Limits,
    ModelPrice,
    Outcome,
    PendingCall,
    Prices,
    RunUsage,
    Status,
    Usage,
)

if typing.TYPE_CHECKING:
    from answergraph.graphs.add_ons.judge.judging.judgment import Judgment, StageRecord
    from answergraph.graphs.compose.as_tool import AgentToolArtifact
    from answergraph.nodes.reviews.review_request import (
        Approve,
        DerivedSum,
        Edit,
        Reject,
        ReviewChoice,
        ReviewDecision,
        ReviewRequest,
    )
    from answergraph.streaming.answer_events import AnswerEvent
else:
    # Imported on first use: most programs use none of them.
    __getattr__, __dir__ = lazy_imports.imported_later(__name__)

__all__ = [
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
]
