"""The text protocol Thought / Action / Observation for models without tool calls."""

import typing

from answergraph.runtime import lazy_imports

if typing.TYPE_CHECKING:
    from answergraph.models.react_text.react_text_model import ReActTextModel
else:
    # Agents whose models have tool calls never need it, and it brings a tenth of all that is imported.
    __getattr__ = lazy_imports.imported_later(__name__, {"ReActTextModel": "answergraph.models.react_text.react_text_model"})

__all__ = ["ReActTextModel"]
