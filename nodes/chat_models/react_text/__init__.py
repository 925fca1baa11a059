"""The text protocol Thought / Action / Observation for models without tool calls."""

import typing

from answergraph.nodes import later

if typing.TYPE_CHECKING:
    from answergraph.nodes.chat_models.react_text.model import ReActTextModel
else:
    # Agents whose models have tool calls never need it, and it brings a tenth of all that is imported.
    __getattr__ = later.imported_later(__name__, {"ReActTextModel": "answergraph.nodes.chat_models.react_text.model"})

__all__ = ["ReActTextModel"]
