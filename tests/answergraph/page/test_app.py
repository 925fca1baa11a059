"""The page's routes: its files, and the headers that keep it to its own server."""

import gzip
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Mount
from starlette.testclient import TestClient

from answergraph.page import PAGE_PATH, app
from answergraph.page.app import FILES, HEADERS

MAX_LIBRARY_BYTES = 25_000

client = TestClient(app)


def test_the_page_lies_below_its_own_path() -> None:
    response = client.get(f"{PAGE_PATH}/")
    assert response.status_code == 200
    assert "<title>answergraph: watch a run</title>" in response.text


def test_without_its_slash_the_page_is_found_too() -> None:
    response = client.get(PAGE_PATH, follow_redirects=False)
    assert (response.status_code, response.headers["location"]) == (307, f"{PAGE_PATH}/")


@pytest.mark.parametrize("path", ["", "main.js", "vendor/dagre.js", "missing.js"])
def test_each_response_says_that_nothing_comes_from_elsewhere(path: str) -> None:
    headers = client.get(f"{PAGE_PATH}/{path}").headers
    assert {name: headers[name] for name in HEADERS} == HEADERS
    assert "http" not in headers["content-security-policy"]


def test_scripts_have_the_type_a_browser_runs() -> None:
    assert client.get(f"{PAGE_PATH}/main.js").headers["content-type"].startswith("text/javascript")


@pytest.mark.parametrize("library", ["dagre", "marked"])
def test_a_vendored_library_is_sent_as_it_is_stored(library: str) -> None:
    response = client.get(f"{PAGE_PATH}/vendor/{library}.js")
    assert response.headers["content-encoding"] == "gzip"
    assert response.headers["content-type"].startswith("text/javascript")
    assert response.content == gzip.decompress((FILES / "vendor" / f"{library}.js.gz").read_bytes())
    assert "content-encoding" not in client.get(f"{PAGE_PATH}/main.js").headers


@pytest.mark.parametrize("path", ["../app.py", "%2e%2e/app.py", "vendor/../../app.py"])
def test_only_the_page_itself_is_handed_out(path: str) -> None:
    assert client.get(f"{PAGE_PATH}/{path}").status_code == 404


@pytest.mark.parametrize("thread", ["search%3F", "1%23"])
def test_a_thread_of_the_page_is_asked_for_by_its_whole_name(thread: str) -> None:
    asked: list[str] = []

    async def server(scope: Any, receive: Any, send: Any) -> None:
        asked.append(scope["path"])
        await JSONResponse([])(scope, receive, send)

    watched = Starlette(routes=[*app.routes, Mount("/threads", server)])
    TestClient(watched).get(f"{PAGE_PATH}/threads/{thread}/steps")
    assert asked == [f"/threads/{unquote(thread)}/history"]


@pytest.mark.parametrize("library", ["dagre", "marked"])
def test_a_vendored_library_comes_with_its_licence_and_is_small(library: str) -> None:
    assert "Permission is hereby granted" in (FILES / "vendor" / f"{library}-LICENSE").read_text()
    assert (FILES / "vendor" / f"{library}.js.gz").stat().st_size < MAX_LIBRARY_BYTES


@pytest.mark.parametrize(
    "file", [file for file in sorted([*FILES.iterdir(), *FILES.glob("css/*")]) if file.is_file()], ids=lambda file: file.name
)
def test_no_file_of_the_page_is_longer_than_a_module_may_be(file: Path) -> None:
    assert len(file.read_text().splitlines()) <= 300


@pytest.mark.parametrize(
    ("site", "content_type", "status"),
    [
        ("cross-site", "text/plain", 403),
        ("same-site", "application/x-www-form-urlencoded", 403),
        ("cross-site", "application/json; charset=utf-8", 405),
        ("same-origin", "text/plain", 405),
        ("", "text/plain", 405),
    ],
)
def test_only_what_a_browser_asked_for_is_taken_from_another_site(site: str, content_type: str, status: int) -> None:
    headers = {"content-type": content_type, **({"sec-fetch-site": site} if site else {})}
    assert client.post(PAGE_PATH, content="{}", headers=headers).status_code == status
