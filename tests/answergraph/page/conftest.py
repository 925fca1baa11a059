"""A LangGraph server with the page and graphs to watch, and a headless Chromium that shows it."""

import base64
import itertools
import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Route, expect

from tests.suite.chromium import PATIENCE, chromium
from tests.suite.faulty_proxy import FaultyProxy, faulty_proxy
from tests.suite.langgraph_dev import langgraph_dev, lay_out, shipped

SUM = {"messages": [{"role": "user", "content": "12 + 30"}]}
LONGER_SUM = {"messages": [{"role": "user", "content": "1 + 2 + 3"}]}
GO = {"messages": [{"role": "user", "content": "Go."}]}
LONGEST_RUN = 120_000
"""In milliseconds; two thousand messages on a busy machine."""
SMALLEST_PICTURE = 40_000
"""In bytes; an empty page is far below."""
PICTURED_SIZES = ((360, 720), (820, 1100), (1280, 800), (1920, 1080))
SOME_STEPS = re.compile(r"^([3-9]|\d\d)$")
"""The text of the step counter in the middle of a run."""
FOREIGN = (
    "langchain_agent",
    "langchain_answer",
    "reporting",
    "plain",
    "supervisor",
    "office",
    "thousand",
    "broken",
    "ordering",
    "odd_names",
)
WATCHED = ("grounded", "rejected", "approval", "question", "long", "hostile", "form", "pause", "relay", "steady", "many", "noted")
ASKING = ("booking", "booking_each", "poll", "inbox")
SPREAD = ("towns", "batch", "lengths")
DOCUMENTS = ("invoice", "refused_invoice", "parts", "reviewed_invoice", "second_opinion")
NESTED = ("guides", "langchain_guides", "priced")


def watched() -> dict[str, Any]:
    """Return the ``langgraph.json`` of a server with the shipped graphs and those of the modules beside this one."""
    settings = shipped()
    modules = {"watched": WATCHED + ASKING, "foreign": FOREIGN, "spread": SPREAD, "nested": NESTED, "document": DOCUMENTS}
    for module, names in modules.items():
        settings["graphs"] |= {name: f"./tests/answergraph/page/{module}_graphs.py:{name}" for name in names}
    settings["graphs"]["elsewhere"] = "./tests/served/graphs.py:elsewhere"
    return settings


@pytest.fixture(scope="package")
def server_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the graphs to watch; gives the server's address."""
    folder = tmp_path_factory.mktemp("watched")
    lay_out(folder, watched())
    with langgraph_dev(folder, {}) as url:
        yield url


@pytest.fixture(scope="package")
def server(server_url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server_url, timeout=LONGEST_RUN / 1000) as client:
        yield client


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def proxy(server_url: str) -> Iterator[FaultyProxy]:
    """Put a proxy before the server, which disturbs what it says."""
    with faulty_proxy(server_url) as proxy:
        yield proxy


@pytest.fixture
def page(browser: Browser, server_url: str) -> Iterator[Page]:
    yield from watched_page(browser, server_url)


STOPPED_TWICE = re.compile(r"404 .*/cancel\?action=interrupt", re.DOTALL)
"""What a browser writes to its console where a server finds nothing to stop in a run that it is stopping already."""


def watched_page(browser: Browser, server_url: str, known: re.Pattern[str] | None = None, path: str = "/page/") -> Iterator[Page]:
    """Open the page; the test must cause no error in it except known ones, and no request to another server."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-GB", reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    errors: list[str] = []
    requested: set[str] = set()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.extend(_serious(message)))
    page.on("request", lambda request: requested.add(urlsplit(request.url).netloc))
    page.goto(f"{server_url}{path}")
    page.wait_for_selector("body[data-ready]")
    yield page
    context.close()
    assert [error for error in errors if not (STOPPED_TWICE.search(error) or (known and known.search(error)))] == []
    assert requested == {urlsplit(server_url).netloc}


def choose(page: Page, graph: str) -> None:
    """Choose a graph, and wait until it is drawn and its forms are made."""
    page.select_option("#assistant", label=graph)
    page.wait_for_selector("#input:not([aria-busy])")
    page.wait_for_selector(f'#drawing svg[aria-label="The graph {graph}"]', state="attached")


def thread_of(page: Page) -> str:
    """Return the thread that the address names."""
    thread: str = page.evaluate("new URLSearchParams(location.hash.slice(1)).get('thread')")
    return thread


def past(server: httpx.Client, graph: str, *requests: dict[str, Any]) -> str:
    """Carry out runs of a new thread, none of which has a stored stream; returns the thread."""
    thread: str = server.post("/threads", json={}).json()["thread_id"]
    for request in requests:
        server.post(f"/threads/{thread}/runs/wait", json={"assistant_id": graph, **request}).raise_for_status()
    return thread


def opened(page: Page, graph: str, thread: str, **more: str) -> None:
    """Open an address, like a link on another page."""
    names = {"assistant": graph, "thread": thread, **more}
    page.goto(f"{page.url.partition('#')[0].partition('?')[0]}?{thread}#{urlencode(names)}")
    page.wait_for_selector("body[data-ready]")


def ended(page: Page) -> str:
    """Wait for the end of a run and for all of its steps; returns what the page says of it."""
    closing = ", ".join(f"#status:has-text('{word}')" for word in ("has ended", "waits", "failed", "stopped"))
    page.wait_for_selector(closing, timeout=LONGEST_RUN)
    all_steps_read(page)
    return page.inner_text("#status")


def all_steps_read(page: Page) -> None:
    """Wait until the timeline changes no more.

    A server may lose an event of a live run; the page then reads the step from what is stored, after it has said that the run
    is over.
    """
    page.wait_for_selector("#timeline .rows[aria-busy=false]", state="attached", timeout=LONGEST_RUN)


def until(page: Page, holds: Callable[[], bool], what: str) -> None:
    """Wait for something that no locator tells of.

    Asked again and again from here: `wait_for_function` asks inside the page, where the page's own content security policy
    forbids any second look.
    """
    begun = time.monotonic()
    while not holds():
        assert time.monotonic() - begun < PATIENCE / 1000, f"it never came to this: {what}"
        page.wait_for_timeout(20)


def every_row_drawn(page: Page) -> None:
    """Wait until the timeline has drawn each row that it counts."""
    all_drawn = "Number(document.querySelector('.rows').ariaRowCount) === document.querySelectorAll('.step').length"
    until(page, lambda: page.evaluate(all_drawn), "the timeline has drawn all of its rows")


def next_picture(page: Page) -> None:
    """Wait until the browser has drawn what it knows: a size that has just changed, an answer that has just come."""
    page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")


def is_cut_off(page: Page) -> bool:
    """Whether something reaches beyond the right side of the window, in whose size it has just been drawn."""
    next_picture(page)
    is_wide: bool = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    return is_wide


def usual_work(page: Page, turn: str) -> float:
    """Return the milliseconds of CPU time that the page's thread spends on a turn and its pictures: the mean of forty.

    Time on the clock would count what the browser and all other programs on the machine do besides.
    """
    meter = page.context.new_cdp_session(page)
    meter.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        metrics = meter.send("Performance.getMetrics")["metrics"]
        return next(float(metric["value"]) for metric in metrics if metric["name"] == "TaskDuration")

    before = spent()
    for _ in range(40):
        page.locator("#scroll").evaluate(turn)
        next_picture(page)
    return (spent() - before) / 40 * 1000


def held_back(page: Page, address: str) -> list[Route]:
    """Hold requests back; gives them as they come."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(address, hold)
    return held


def until_held(page: Page, held: list[Route], count: int) -> None:
    until(page, lambda: len(held) >= count, f"{count} requests are held back")


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Return the folder for the pictures of the documentation."""
    return Path(os.environ.get("ANSWERGRAPH_PICTURES") or tmp_path)


def take_picture(page: Page, path: Path) -> None:
    page.screenshot(path=path, animations="disabled")
    assert path.stat().st_size > SMALLEST_PICTURE


def take_picture_in_all_sizes(page: Page, path: Path) -> None:
    """Take one as it is, and small ones of a phone to a wide screen, in light and in dark, none of them cut off at the right."""
    take_picture(page, path)
    sizes = path.parent / "sizes"
    sizes.mkdir(exist_ok=True)
    colours = page.get_by_label("Colours")
    before, theme = page.viewport_size, colours.input_value()
    camera = page.context.new_cdp_session(page)
    for (width, height), scheme in itertools.product(PICTURED_SIZES, ("light", "dark")):
        page.set_viewport_size({"width": width, "height": height})
        colours.select_option(scheme)
        assert not is_cut_off(page), f"cut off at {width} pixels"
        taken = camera.send("Page.captureScreenshot", {"format": "webp", "quality": 40})
        (sizes / f"{path.stem}-{width}-{scheme}.webp").write_bytes(base64.b64decode(taken["data"]))
    colours.select_option(theme)
    if before:
        page.set_viewport_size(before)


def faults(page: Page) -> list[str]:
    """Return what axe finds wrong, and what is cut off at the right: on a wide screen and on a phone, in light and in dark."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = []
    size = page.viewport_size
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        if is_cut_off(page):
            found.append(f"cut off at {width} pixels")
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme)
            violations = axe.run(page, options={"resultTypes": ["violations"]}).response["violations"]
            found += [f"{each['id']}, {width} pixels, {scheme}: {node['html']}" for each in violations for node in each["nodes"]]
    if size:
        page.set_viewport_size(size)
    return found


def drawn_texts(places: Locator) -> list[str]:
    """Return the texts of places of which none is empty; what has just come into view is drawn a moment later."""
    expect(places).not_to_have_count(0)
    for place in places.all():
        expect(place).not_to_have_text("", use_inner_text=True)
    return places.all_inner_texts()


def _serious(message: ConsoleMessage) -> list[str]:
    return [f"{message.text} {message.location['url']}"] if message.type in {"error", "warning"} else []
