"""A website that is open in the same browser can neither drive a development server nor read what it holds."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import httpx
import pytest
from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

RUN = '{"assistant_id": "calculator", "input": {"messages": [{"role": "user", "content": "12 + 30"}]}}'


class EmptyPage(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def website(browser: Browser) -> Iterator[Page]:
    """Open a page of another origin."""
    with ThreadingHTTPServer(("127.0.0.1", 0), EmptyPage) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        yield page
        page.close()
        server.shutdown()


def sent(website: Page, url: str, **how: object) -> str:
    """Send a request from the website; returns the answer as it can read it."""
    script = "([url, how]) => fetch(url, how).then(async (answer) => answer.type + await answer.text(), (error) => String(error))"
    said: str = website.evaluate(script, [url, how])
    return said


@pytest.mark.parametrize("kind", ["application/json", "text/plain"])
def test_a_foreign_website_can_start_no_run(website: Page, server: httpx.Client, server_url: str, kind: str) -> None:
    thread = server.post("/threads", json={}).json()["thread_id"]
    headers = {"content-type": kind}
    for mode in ("cors", "no-cors"):
        sent(website, f"{server_url}/threads/{thread}/runs", method="POST", headers=headers, body=RUN, mode=mode)
    assert server.get(f"/threads/{thread}/runs").json() == []


def test_a_foreign_website_can_read_nothing(website: Page, server: httpx.Client, server_url: str) -> None:
    thread = server.post("/threads", json={}).json()["thread_id"]
    assert "Failed to fetch" in sent(website, f"{server_url}/threads/{thread}")
    assert sent(website, f"{server_url}/threads/{thread}", mode="no-cors") == "opaque"


@pytest.mark.parametrize(
    ("origin", "is_allowed"), [("https://smith.langchain.com", True), ("https://smith.langchain.com.evil.example", False)]
)
def test_studio_may_drive_a_development_server(server: httpx.Client, origin: str, is_allowed: bool) -> None:
    asks = {"origin": origin, "access-control-request-method": "POST", "access-control-request-headers": "content-type"}
    answer = server.options("/threads", headers=asks)
    assert (answer.headers.get("access-control-allow-origin") == origin) is is_allowed
