"""Streaming of partial answers."""

import typing

from answergraph.runtime import lazy_imports

if typing.TYPE_CHECKING:
    from answergraph.streaming.answer_events import AnswerEvent, is_answer_event
    from answergraph.streaming.answer_streams import AnswerTransformer, HideAnswerCalls
else:
    # Imported on first use.
    __getattr__, __dir__ = lazy_imports.imported_later(__name__)

__all__ = [
    "AnswerEvent",
    "AnswerTransformer",
    "HideAnswerCalls",
    "is_answer_event",
]
