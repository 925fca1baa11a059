"""A server may answer "not found" of a run that it has, as while it stops it. The page takes no such word for an end."""

import re
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, Page, Request, Route, expect

from tests.answergraph.page.conftest import SOME_STEPS, choose, ended, opened, watched_page
from tests.suite.faulty_proxy import FaultyProxy

pytestmark = pytest.mark.browser

ROUNDS = 12
"""Three seconds or more: the run goes on while its connection breaks and is made anew."""
LONG = 400
CUT = re.compile("Failed to load resource|ERR_")
OF_A_RUN = r"/threads/[^/]+/runs/[^/?]+"
REQUESTS = {
    "the run": OF_A_RUN + "$",
    "its stream": OF_A_RUN + r"/stream",
    "the runs of its thread": r"/threads/[^/]+/runs\?",
    "the state it left": r"/threads/[^/]+/state$",
    "its steps": r"/page/threads/[^/]+/steps",
}


@pytest.fixture
def page(browser: Browser, proxy: FaultyProxy) -> Iterator[Page]:
    yield from watched_page(browser, proxy.url, CUT)


def begin(page: Page, rounds: int) -> None:
    choose(page, "steady")
    page.get_by_label("Message", exact=True).fill("Go.")
    page.get_by_text("More input, all of it optional").click()
    page.get_by_label("Rounds").fill(str(rounds))
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("#step-count")).to_have_text(SOME_STEPS)


def answer_not_found(route: Route) -> None:
    route.fulfill(status=404, json={"detail": "not found"})


def lose(route: Route) -> None:
    route.abort()


def as_the_server_says(page: Page, server: httpx.Client, status: str, heading: str) -> None:
    """Check that the page, its list and the server agree on the newest run."""
    expect(page.get_by_role("heading", level=1)).to_contain_text(heading)
    expect(page.locator("#threads [aria-current=true]")).to_contain_text(re.compile(heading, re.IGNORECASE))
    thread = page.locator("#threads [aria-current=true]").get_attribute("data-id")
    assert [run["status"] for run in server.get(f"/threads/{thread}/runs").json()] == [status]


@pytest.mark.parametrize("asked", REQUESTS.values(), ids=REQUESTS)
def test_what_is_not_found_once_while_a_run_goes_on_does_not_end_it(
    page: Page, proxy: FaultyProxy, server: httpx.Client, asked: str
) -> None:
    begin(page, ROUNDS)
    page.route(re.compile(asked), answer_not_found, times=1)
    proxy.cut(cleanly=True)
    assert ended(page) == "The run has ended."
    expect(page.locator("#step-count")).to_have_text(str(ROUNDS))
    as_the_server_says(page, server, "success", "Ended")


@pytest.mark.parametrize("asked", REQUESTS.values(), ids=REQUESTS)
def test_what_is_not_found_once_when_a_thread_is_opened_is_asked_again(
    page: Page, proxy: FaultyProxy, server: httpx.Client, asked: str
) -> None:
    thread = server.post("/threads", json={}).json()["thread_id"]
    request = {"assistant_id": "steady", "input": {"messages": [{"role": "user", "content": "Go."}], "rounds": 2}}
    server.post(f"/threads/{thread}/runs/wait", json=request).raise_for_status()
    page.route(re.compile(asked), answer_not_found, times=1)
    opened(page, "steady", thread)
    as_the_server_says(page, server, "success", "Ended")
    expect(page.locator("#step-count")).to_have_text("2")


def test_a_run_that_is_stopped_while_the_page_asks_for_it_is_stopped(
    page: Page, proxy: FaultyProxy, server: httpx.Client
) -> None:
    """The page hears that the run goes on, and asks to stop it when there is nothing to stop any more."""
    begin(page, LONG)

    def stop_it_before_the_answer_comes(route: Route) -> None:
        running = route.fetch()
        server.post(f"{urlsplit(route.request.url).path}/cancel").raise_for_status()
        route.fulfill(response=running)

    page.route(re.compile(OF_A_RUN + "$"), stop_it_before_the_answer_comes, times=1)
    page.route(re.compile(OF_A_RUN + "/cancel"), lose, times=1)
    page.get_by_role("button", name="Stop", exact=True).click()
    proxy.cut(cleanly=False)
    assert ended(page) == "The run was stopped."
    as_the_server_says(page, server, "interrupted", "Stopped")


@pytest.mark.parametrize("disturb", [answer_not_found, lose], ids=["not found", "lost"])
def test_a_run_is_stopped_although_the_first_request_to_stop_it_had_no_answer(
    page: Page, server: httpx.Client, disturb: Callable[[Route], None]
) -> None:
    begin(page, LONG)
    page.route(re.compile(OF_A_RUN + "/cancel"), disturb, times=1)
    page.get_by_role("button", name="Stop", exact=True).click()
    assert ended(page) == "The run was stopped."
    as_the_server_says(page, server, "interrupted", "Stopped")


def test_a_run_that_cannot_be_stopped_is_said_to_go_on(page: Page) -> None:
    begin(page, LONG)
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request) if "/cancel" in request.url else None)
    page.route(re.compile(OF_A_RUN + "/cancel"), answer_not_found)
    stop = page.get_by_role("button", name="Stop", exact=True)
    stop.click()
    expect(page.locator("#notice")).to_contain_text("not found")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Running")
    assert len(asked) > 1
    page.unroute(re.compile(OF_A_RUN + "/cancel"))
    stop.click()
    assert ended(page) == "The run was stopped."
