"""Typed answers over protocols, on their official SDKs. An add-on: it uses the public names of the other packages only."""

import typing

from answergraph.runtime import lazy_imports

if typing.TYPE_CHECKING:
    from answergraph.serving.a2a_server import to_a2a
    from answergraph.serving.ag_ui_agent import to_ag_ui
    from answergraph.serving.mcp_server import to_mcp
else:
    # Imported on first use: the SDK belongs to an extra.
    __getattr__, __dir__ = lazy_imports.imported_later(__name__)

__all__ = ["to_a2a", "to_ag_ui", "to_mcp"]
