"""The routes a LangGraph server lacks: the page's files, with headers that let it load and call nothing but that server.

``langgraph.json`` names ``app`` as its ``http.app``; a server loads this file by its path.
"""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
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


class PageFiles(StaticFiles):
    """The page's files; one that is stored as ``NAME.gz`` is sent as it is stored, for every browser unpacks it."""

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        full_path, stat_result = super().lookup_path(path)
        return (full_path, stat_result) if stat_result else super().lookup_path(f"{path}.gz")

    def file_response(self, full_path: Any, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(full_path, *args, **kwargs)
        if str(full_path).endswith(".gz"):
            response.headers["content-encoding"] = "gzip"
        return response


class PageHeaders:
    """Adds the page's headers to the responses of an application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
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
            PageFiles(directory=FILES, html=True),
            middleware=[Middleware(PageHeaders), Middleware(ExceptionMiddleware)],
        ),
    ]
)
"""The application that a server adds to its own."""
