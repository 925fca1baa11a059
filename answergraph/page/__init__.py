"""The page to watch a run: static files and their routes. The page uses the public HTTP API of its server."""

from answergraph.kit import require_extra

require_extra("page", "starlette")

from answergraph.page.app import PAGE_PATH, app  # noqa: E402 - see above

__all__ = ["PAGE_PATH", "app"]
