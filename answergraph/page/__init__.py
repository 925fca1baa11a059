"""The page to watch a run: static files, and the few routes that hand them out.

The page itself speaks to the public HTTP API of the server that serves it.
"""

from answergraph.runtime.extras import extra_needed

with extra_needed("page", "the page"):
    from answergraph.page.app import PAGE_PATH, app

__all__ = ["PAGE_PATH", "app"]
