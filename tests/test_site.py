"""The documentation site, as a person sees it: `make docs-check` has built it into `build/site`."""

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.suite.chromium import chromium

pytestmark = pytest.mark.browser

SITE = Path(__file__).parents[1] / "build" / "site"
WIDTHS = (360, 820, 1440)
"""Of a phone, a tablet and a desk, in pixels."""
WHAT_IS_WRONG = """() => {
    const wide = document.scrollingElement.scrollWidth - window.innerWidth;
    const images = [...document.images].filter((image) => image.loading !== "lazy" && !image.naturalWidth);
    const empty = !document.querySelector("h1")?.innerText.trim();
    return [
        ...(wide > 0 ? [`${wide} pixels wider than the window`] : []),
        ...images.map((image) => `no picture: ${image.src}`),
        ...(empty ? ["no title"] : []),
    ];
}"""


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Write nothing between the names of the tests."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    if not (SITE / "index.html").exists():
        pytest.skip("the site is not built: make docs-check")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(SITE))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


def test_each_page_fits_into_windows_of_three_widths_and_shows_its_pictures(browser: Browser, address: str) -> None:
    pages = sorted(str(path.relative_to(SITE)) for path in SITE.rglob("*.html"))
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    wrong = {}
    for name in pages:
        page.goto(f"{address}/{name}")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            if found := [*page.evaluate(WHAT_IS_WRONG), *errors]:
                wrong[name, width] = found
            errors.clear()
    page.close()
    assert len(pages) > 40
    assert wrong == {}


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("response_format", "tutorial/2-tools/"),
        ("None", "tutorial/5-limits/"),
        ("hangs", "how-to/limits/"),
        ("too expensive", "how-to/limits/"),
        ("hallucination", "how-to/"),
    ],
)
def test_the_search_leads_who_is_in_trouble_to_the_page_first(browser: Browser, address: str, words: str, page: str) -> None:
    tab = browser.new_page()
    tab.goto(f"{address}/index.html?q={words}")
    first = tab.wait_for_selector(".md-search-result__item > a", state="attached")
    assert first is not None
    assert str(first.get_attribute("href")).partition("?")[0].endswith(page)
    tab.close()
