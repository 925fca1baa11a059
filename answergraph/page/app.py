"""The routes a LangGraph server lacks: the page's files, with headers that let it load and call nothing but that server.

``langgraph.json`` names ``app`` as its ``http.app``; a server loads this file by its path.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PAGE_PATH = "/page"
"""Where the page is, below the server's own address."""

FILES = Path(__file__).parent / "static"

HEADERS = {
    # The drawing is an SVG that brings its own style element: styles may stand in the document, scripts may not.
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cache-control": "no-cache",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
"""What every response below the page's path carries."""


class PageHeaders:
    """Adds the page's headers to a response."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application.

        Args:
            app: What responds.
        """
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond as the wrapped application does, with the headers added."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *added]}
            await send(message)

        await self._app(scope, receive, send_with_headers)


async def _to_the_page(request: Request) -> RedirectResponse:
    # The page finds its files and the server relative to its own address, which therefore ends in a slash.
    return RedirectResponse(f"{request.url.path}/")


def _application(routes: list[BaseRoute]) -> Starlette:
    """Make the application; Aegra, where it is installed, takes FastAPI's kind only and goes on building on it."""
    if find_spec("aegra_api") is None:
        return Starlette(routes=routes)
    application: Starlette = import_module("fastapi").FastAPI(routes=routes)
    return application


app = _application(
    routes=[
        Route(PAGE_PATH, _to_the_page),
        # On the mount, not on the application: a server puts an application's middleware around its own routes too. What the
        # files raise becomes a response inside, so that it carries the headers as well.
        Mount(
            PAGE_PATH,
            StaticFiles(directory=FILES, html=True),
            middleware=[Middleware(PageHeaders), Middleware(ExceptionMiddleware)],
        ),
    ]
)
"""The application that a server adds to its own."""
