"""The routes of the page, with headers that restrict it to its own server.

``langgraph.json`` names ``app`` as its ``http.app``; a server loads this file by its path.
"""

import os
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

from httpx import ASGITransport, AsyncClient, HTTPStatusError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from answergraph.page.kept_steps import KeptSteps
from answergraph.page.pdf_pages import page_picture, page_texts

PAGE_PATH = "/page"

FILES = Path(__file__).parent / "static"

MAX_CHECKPOINTS = 100  # checkpoints per response

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cache-control": "no-cache",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
"""Headers of every response below the page's path."""

_kept = KeptSteps()
_NOT_PASSED_ON = ("host", "content-length", "content-type", "accept-encoding")


class PageFiles(StaticFiles):
    """The page's files; one stored as ``NAME.gz`` is sent compressed."""

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        full_path, stat_result = super().lookup_path(path)
        return (full_path, stat_result) if stat_result else super().lookup_path(f"{path}.gz")

    async def get_response(self, path: str, scope: Scope) -> Response:
        try:
            response = await super().get_response(path, scope)
        except HTTPException as error:
            response = PlainTextResponse(error.detail, error.status_code)
        is_compressed = str(getattr(response, "path", "")).endswith(".gz")
        response.headers.update(HEADERS | ({"content-encoding": "gzip"} if is_compressed else {}))
        return response


async def _to_the_page(request: Request) -> RedirectResponse:
    # The page uses relative addresses, so its own must end in a slash.
    return RedirectResponse(f"{request.url.path}/")


async def _steps(request: Request) -> Response:
    """Return a thread's checkpoints, newest first, without their growing states."""
    query = request.query_params
    most = min(int(limit), MAX_CHECKPOINTS) if (limit := query.get("limit", "")).isdecimal() else MAX_CHECKPOINTS
    thread, space = request.path_params["thread"], query.get("space", "")
    bytes_read = 0

    async with _own_server(request) as client:

        async def ask(limit: int, before: str | None) -> list[dict[str, object]]:
            nonlocal bytes_read
            search: dict[str, object] = {"limit": limit}
            if before is not None:
                search["before"] = {"configurable": {"thread_id": thread, "checkpoint_ns": space, "checkpoint_id": before}}
            if "space" in query:
                search["checkpoint"] = {"checkpoint_ns": space}
            response = await client.post(f"/threads/{quote(thread, safe='')}/history", json=search)
            steps = [_without_state(state) for state in response.raise_for_status().json()]
            bytes_read += len(response.content)
            return steps

        try:
            steps = await _kept.read((thread, space), most, query.get("before"), ask)
        except HTTPStatusError as error:
            return JSONResponse(error.response.json(), error.response.status_code)
    return Response(f"[{','.join(steps)}]", headers={"x-bytes-read": str(bytes_read)}, media_type="application/json")


async def _document(request: Request) -> Response:
    """Return the texts of the pages of a message's PDFs; with ``page``, its picture and the boxes of ``places`` in its text."""
    thread, message = request.path_params["thread"], request.path_params["message"]
    async with _own_server(request) as client:
        response = await client.get(f"/threads/{quote(thread, safe='')}/state")
    if response.is_error:
        return JSONResponse(response.json(), response.status_code)
    messages = response.json()["values"].get("messages") or []
    content = next((each["content"] for each in messages if each.get("id") == message), None)
    try:
        return JSONResponse(await run_in_threadpool(_pages_of, content, request.query_params))
    except (ValueError, IndexError, RuntimeError) as error:  # a broken file is a RuntimeError
        return JSONResponse({"detail": str(error)}, 422)


def _pages_of(content: object, query: Mapping[str, str]) -> object:
    if "page" not in query:
        return page_texts(content)
    spans = [span.split("-") for span in query.get("places", "").split(",") if span]
    return page_picture(content, int(query["page"]), [(int(start), int(end)) for start, end in spans])


def _own_server(request: Request) -> AsyncClient:
    """Return a client of the server that the page belongs to, with the caller's headers, so that its access rules apply."""
    headers = {name: value for name, value in request.headers.items() if name not in _NOT_PASSED_ON}
    server = ASGITransport(app=request.app, raise_app_exceptions=False)
    return AsyncClient(transport=server, base_url=str(request.base_url), headers=headers)


def _without_state(state: dict[str, Any]) -> dict[str, object]:
    kept = {name: state.get(name) for name in ("created_at", "next", "tasks", "parent_checkpoint")}
    kept |= {name: (state.get("metadata") or {}).get(name) for name in ("run_id", "source")}
    return {"checkpoint_id": (state.get("checkpoint") or state)["checkpoint_id"], **kept}


class OnlyAskedRequests:
    """Refuses what a browser sends for another site without asking the server whether it may.

    Of a request with JSON it asks, and the server's allowed origins decide. A form or plain text is sent unasked, and a
    server that reads it as JSON would start a run.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer 403."""
        if scope["type"] == "http" and scope["method"] == "POST" and _is_unasked(Headers(scope=scope)):
            refusal = PlainTextResponse("Another site may send only JSON, and only from an origin that this server allows.", 403)
            return await refusal(scope, receive, send)
        return await self._app(scope, receive, send)


def _is_unasked(headers: Headers) -> bool:
    is_foreign = headers.get("sec-fetch-site") in ("cross-site", "same-site")
    return is_foreign and headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json"


def _application(routes: list[BaseRoute]) -> Starlette:
    """Make the application; Aegra needs one of FastAPI's and extends it."""
    middleware = [Middleware(OnlyAskedRequests)]
    if find_spec("aegra_api") is None:
        return Starlette(routes=routes, middleware=middleware)
    application: Starlette = import_module("fastapi").FastAPI(routes=routes, middleware=middleware)
    return application


app = _application(
    routes=[
        Route(PAGE_PATH, _to_the_page),
        Route(f"{PAGE_PATH}/threads/{{thread}}/steps", _steps),
        Route(f"{PAGE_PATH}/threads/{{thread}}/documents/{{message}}", _document),
        Mount(PAGE_PATH, PageFiles(directory=FILES, html=True)),
    ]
)
"""The application for ``langgraph.json``."""
