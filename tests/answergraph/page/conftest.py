"""A LangGraph server with the page and graphs to watch, and a headless Chromium that looks at it."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page

from tests.suite.chromium import chromium
from tests.suite.langgraph_dev import langgraph_dev, lay_out, shipped

LONGEST_RUN = 120_000
"""In milliseconds; two thousand messages on a busy machine."""
SOME_STEPS = re.compile(r"^([3-9]|\d\d)$")
"""How the count of steps reads in the middle of a run."""
FOREIGN = ("langchain_agent", "plain", "supervisor", "office", "thousand")
WATCHED = ("grounded", "rejected", "approval", "question", "long", "hostile", "form", "pause", "relay", "steady", "many", "noted")
ASKING = ("booking", "booking_each", "poll", "inbox")
SPREAD = ("towns", "batch", "lengths")


@pytest.fixture(scope="package")
def server_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the shipped graphs and those of ``watched_graphs.py``; gives the server's address."""
    folder = tmp_path_factory.mktemp("watched")
    settings = shipped()
    settings["graphs"] |= {name: f"./tests/answergraph/page/watched_graphs.py:{name}" for name in WATCHED + ASKING}
    settings["graphs"] |= {name: f"./tests/answergraph/page/foreign_graphs.py:{name}" for name in FOREIGN}
    settings["graphs"] |= {name: f"./tests/answergraph/page/spread_graphs.py:{name}" for name in SPREAD}
    lay_out(folder, settings)
    with langgraph_dev(folder, {}) as url:
        yield url


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def page(browser: Browser, server_url: str) -> Iterator[Page]:
    """Open the page; after the test nothing may have gone wrong in it, nor been asked of any other server."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-GB", reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(20_000)
    errors: list[str] = []
    requested: set[str] = set()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.extend(_serious(message)))
    page.on("request", lambda request: requested.add(urlsplit(request.url).netloc))
    page.goto(f"{server_url}/page/")
    page.wait_for_selector("body[data-ready]")
    yield page
    context.close()
    assert errors == []
    assert requested == {urlsplit(server_url).netloc}


def choose(page: Page, graph: str) -> None:
    """Choose a graph, and wait until it is drawn and its forms are made."""
    page.select_option("#assistant", label=graph)
    page.wait_for_selector("#input:not([aria-busy])")
    page.wait_for_selector(f'#drawing svg[aria-label="The graph {graph}"]', state="attached")


def ended(page: Page) -> str:
    """Wait for the end of a run; returns what the page says of it."""
    closing = ", ".join(f"#status:has-text('{word}')" for word in ("has ended", "waits", "failed", "stopped"))
    page.wait_for_selector(closing, timeout=LONGEST_RUN)
    return page.inner_text("#status")


def _serious(message: ConsoleMessage) -> list[str]:
    return [message.text] if message.type in {"error", "warning"} else []
