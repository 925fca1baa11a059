"""The page for one file: its scripts, and what is in the file. On this machine only; without actions nothing is written."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import Mount, Route

from answergraph.page.app import FILES, HEADERS, OnlyAskedRequests, PageFiles

LOCAL = ("127.0.0.1", "localhost")
Question: TypeAlias = Callable[[Mapping[str, str]], object]
"""Answers a request with JSON, by its query."""
Action: TypeAlias = Callable[[Mapping[str, object]], object]
"""Does what the JSON of a request says, and answers with JSON."""


def file_app(name: str, questions: Mapping[str, Question], actions: Mapping[str, Action] | None = None) -> Starlette:
    """Return the application; ``questions`` and ``actions`` are by their path below ``/opened``."""

    def route(path: str, ask: Question) -> Route:
        async def answer(request: Request) -> JSONResponse:
            content = await run_in_threadpool(ask, dict(request.query_params))
            return JSONResponse({"name": name, **content} if isinstance(content, dict) else content, headers=HEADERS)

        return Route(f"/opened{path}", answer)

    def action_route(path: str, act: Action) -> Route:
        async def answer(request: Request) -> JSONResponse:
            return JSONResponse(await run_in_threadpool(act, await request.json()), headers=HEADERS)

        return Route(f"/opened{path}", answer, methods=["POST"])

    # The page of a server and that of a file have one head.
    head = (FILES / "index.html").read_text().partition("<body")[0].replace("main.js", "opened.js")
    page = HTMLResponse(head + (FILES / "opened.html").read_text(), headers=HEADERS)
    # Another site may have a name that leads here; it is not answered.
    return Starlette(
        routes=[
            Route("/", page),
            *[route(path, ask) for path, ask in questions.items()],
            *[action_route(path, act) for path, act in (actions or {}).items()],
            Mount("/", PageFiles(directory=FILES)),
        ],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(LOCAL)), Middleware(OnlyAskedRequests)],
    )
