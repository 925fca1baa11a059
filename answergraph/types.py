"""The shapes of plain JSON that go in and out: for annotations; nothing here has to be built by hand."""

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

__all__ = [
    "Attempt",
    "Evidence",
    "FieldReading",
    "FieldRecord",
    "FieldStatus",
    "LimitName",
    "Limits",
    "ModelPrice",
    "OnDoubt",
    "Outcome",
    "PendingCall",
    "Prices",
    "RunUsage",
    "SourceRef",
    "Status",
    "Usage",
]
