"""Tests of your agents: a model with scripted replies, and tapes, recorded runs that are played without the network."""

import typing

from answergraph.runtime import lazy_imports

if typing.TYPE_CHECKING:
    from answergraph.models.in_process.scripted_model import ScriptedChatModel, ScriptedRequest, ScriptExhaustedError
    from answergraph.tapes.differences import Difference, TapeMismatch
    from answergraph.tapes.playing import RecordMode, Replay, replay, use_tape
    from answergraph.tapes.tape import Tape
else:
    # Imported on first use.
    __getattr__, __dir__ = lazy_imports.imported_later(__name__)

__all__ = [
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
]
