"""The page for one file: its scripts, and what is in the file. On this machine only, and nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse
from starlette.routing import Mount, Route

from answergraph.page.app import FILES, HEADERS, PageFiles

LOCAL = ("127.0.0.1", "localhost")
Question: TypeAlias = Callable[[Mapping[str, str]], object]
"""Answers a request with JSON, by its query."""


def file_app(name: str, questions: Mapping[str, Question]) -> Starlette:
    """Return the application; ``questions`` are by their path below ``/opened``."""

    def route(path: str, ask: Question) -> Route:
        async def answer(request: Request) -> JSONResponse:
            found = await run_in_threadpool(ask, dict(request.query_params))
            return JSONResponse({"name": name, **found} if isinstance(found, dict) else found, headers=HEADERS)

        return Route(f"/opened{path}", answer)

    async def to_the_page(request: Request) -> RedirectResponse:
        return RedirectResponse("/opened.html")

    # Another site may have a name that leads here; it is not answered.
    return Starlette(
        routes=[
            Route("/", to_the_page),
            *[route(path, ask) for path, ask in questions.items()],
            Mount("/", PageFiles(directory=FILES)),
        ],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(LOCAL))],
    )
