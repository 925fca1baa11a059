"""The page to watch a run: static files and their routes. The page uses the public HTTP API of its server."""

from answergraph.runtime.extras import extra_needed

with extra_needed("page", "the page"):
    from answergraph.page.app import PAGE_PATH, app

__all__ = ["PAGE_PATH", "app"]
