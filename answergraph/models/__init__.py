"""Chat models: found by name, wrapped, or offline; and what servers are known to refuse."""

import typing

from answergraph.runtime import lazy_imports

if typing.TYPE_CHECKING:
    from answergraph.asking.providers.refusals import Refusal, forget_refusals, known_refusals
    from answergraph.react_text.react_text_model import ReActTextModel
else:
    # Imported on first use.
    __getattr__, __dir__ = lazy_imports.imported_later(__name__)

__all__ = [
    "ReActTextModel",
    "Refusal",
    "forget_refusals",
    "known_refusals",
]
