"""A server that is not heard is told: its run is not said to go on. A model that thinks is no silent connection."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.answergraph.page.conftest import SOME_STEPS, choose, ended, watched_page
from tests.suite.faulty_proxy import FaultyProxy

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser: Browser, proxy: FaultyProxy) -> Iterator[Page]:
    yield from watched_page(browser, proxy.url)


def begin(page: Page, graph: str, rounds: int) -> None:
    choose(page, graph)
    page.get_by_label("Message", exact=True).fill("Go.")
    page.get_by_text("More input, all of it optional").click()
    page.get_by_label("Rounds").fill(str(rounds))
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("#step-count")).to_have_text(SOME_STEPS)


def test_a_server_that_hangs_is_told_and_the_run_is_found_again(page: Page, proxy: FaultyProxy) -> None:
    begin(page, "steady", 900)  # longer than all waits below on a busy machine
    expect(page.locator("#heard")).to_have_text("Connected")
    proxy.hang()
    expect(page.locator("#heard")).to_contain_text("Nothing heard for 1")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Running when last heard")
    expect(page.locator("#status")).to_contain_text("Nothing was heard of the server since")
    expect(page.locator("#notice")).to_contain_text("Connecting again.")
    proxy.go_on()
    expect(page.locator("#status")).to_have_text("The run goes on.")
    expect(page.locator("#heard")).to_contain_text("Connected")
    page.get_by_role("button", name="Stop", exact=True).click()
    assert ended(page) == "The run was stopped."


def test_a_thread_that_cannot_be_opened_now_is_opened_when_the_server_is_heard_again(page: Page, proxy: FaultyProxy) -> None:
    begin(page, "steady", 4)
    ended(page)
    proxy.hang()
    page.get_by_role("button", name="New thread").click()
    page.locator("#threads button").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Opening")
    expect(page.locator(".head .why")).to_contain_text("Nothing was heard of the server since")
    proxy.go_on()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Ended")
    expect(page.locator("#heard")).to_have_text("Connected")


def test_a_model_that_thinks_is_no_silent_connection(page: Page) -> None:
    choose(page, "pause")
    page.get_by_label("Message", exact=True).fill("Wait.")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#heard")).to_have_text("Connected, no news")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Running, step 1")
    expect(page.locator(".head .why")).to_contain_text("it sent no news")
    page.get_by_role("button", name="Stop", exact=True).click()
    assert ended(page) == "The run was stopped."
