"""The page without a mouse, and without eyes: all is reached by keys, and what happens is told in the live regions."""

import itertools
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.answergraph.page.conftest import LONGEST_RUN, choose, ended, watched_page
from tests.suite.faulty_proxy import FaultyProxy

pytestmark = pytest.mark.browser

MOST_STOPS = 300
"""Each thread in the list is a stop."""
REFUSED = re.compile("409")
"""What a browser itself writes to its console of an answer that is no success."""
HEAR = """() => {
    window.heard = [];
    for (const region of document.querySelectorAll("[role=status], [role=alert]"))
        new MutationObserver(() => {
            const text = region.textContent.trim();
            if (text && !region.hidden) heard.push([region.id, text]);
        }).observe(region, { childList: true, characterData: true, subtree: true });
}"""
ACCEPTED = "The server has accepted the run."
"""Said only where a run waits for its turn."""


@pytest.fixture
def page(browser: Browser, proxy: FaultyProxy) -> Iterator[Page]:
    yield from watched_page(browser, proxy.url, REFUSED)


def go_to(page: Page, selector: str, key: str = "Tab", text: str = "") -> None:
    """Press a key until the focus is at something, which may be about to be drawn."""
    expect(page.locator(f"{selector}:visible", has_text=text).first).to_be_attached()
    is_there = (
        "([selector, text]) => document.activeElement.matches(selector) && document.activeElement.textContent.includes(text)"
    )
    for _ in range(MOST_STOPS):
        if page.evaluate(is_there, [selector, text]):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{selector} is not reached by {key}")


def choose_by_keys(page: Page, graph: str) -> None:
    go_to(page, "#assistant", "Shift+Tab")
    page.keyboard.type(graph)
    expect(page.locator("#assistant option:checked")).to_have_text(graph)
    page.wait_for_selector(f'#drawing svg[aria-label="The graph {graph}"]', state="attached")


def test_a_run_is_begun_followed_stopped_forked_and_found_again_by_keys_alone(page: Page) -> None:
    choose_by_keys(page, "calculator")
    go_to(page, "#message")
    page.keyboard.type("12 + 30")
    page.keyboard.press("Enter")
    assert ended(page) == "The run has ended: answered."

    go_to(page, "#tab-timeline", "Shift+Tab")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Messages")).to_be_focused()
    expect(page.locator(".message").first).to_be_visible()
    page.keyboard.press("ArrowLeft")
    go_to(page, ".step")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Home")
    expect(page.get_by_role("region", name="Step 1, model")).to_be_visible()
    go_to(page, "#details button", text="Fork here")
    page.keyboard.press("Enter")
    go_to(page, "#run-on", "Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_label("The run of this thread").locator("option")).to_have_count(2)
    assert ended(page) == "The run has ended: answered."

    go_to(page, "#new-thread", "Shift+Tab")
    page.keyboard.press("Enter")
    choose_by_keys(page, "pause")
    go_to(page, "#message")
    page.keyboard.type("Wait.")
    page.keyboard.press("Enter")
    expect(page.locator("#stop")).to_be_enabled()
    go_to(page, "#stop")
    page.keyboard.press("Space")
    assert ended(page) == "The run was stopped."

    go_to(page, "#find-thread", "Shift+Tab")
    page.keyboard.type("12 + 30")
    go_to(page, "button.thread")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Answered")


def heard(page: Page, region: str) -> list[str]:
    """Take what a region has said since it was last asked, each sentence in a row once."""
    told = [re.sub(r"\d\d:\d\d:\d\d", "TIME", text) for name, text in page.evaluate("heard") if name == region]
    return [text for text, _ in itertools.groupby(told) if text != ACCEPTED]


def test_a_screen_reader_is_told_each_status_of_a_run_and_that_the_server_is_silent(page: Page, proxy: FaultyProxy) -> None:
    choose(page, "pause")
    page.get_by_label("Message", exact=True).fill("Wait.")
    page.evaluate(HEAR)
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_have_text("The run goes on.")
    proxy.hang()
    expect(page.locator("#status")).to_contain_text("Nothing was heard", timeout=LONGEST_RUN)
    proxy.go_on()
    expect(page.locator("#status")).to_have_text("The run goes on.", timeout=LONGEST_RUN)
    page.get_by_role("button", name="Stop", exact=True).click()
    ended(page)
    assert heard(page, "status") == [
        "The run is sent.",
        "The run goes on.",
        "Nothing was heard of the server since TIME.",
        "The run goes on.",
        "Stopping.",
        "The run was stopped.",
    ]


def test_a_screen_reader_is_told_that_a_message_was_not_sent_and_how_the_run_of_the_next_one_ended(page: Page) -> None:
    choose(page, "calculator")
    page.route("**/runs", lambda route: route.fulfill(status=409, json={"detail": "This thread is busy."}), times=1)
    page.get_by_label("Message", exact=True).fill("12 + 30")
    page.evaluate(HEAR)
    page.keyboard.press("Enter")
    expect(page.locator("#notice")).to_contain_text("Your message was not sent.")
    page.keyboard.press("Enter")
    ended(page)
    assert heard(page, "notice")[0] == "Your message was not sent. 409: This thread is busy. It is still in the box."
    assert heard(page, "status") == ["The run is sent.", "The run goes on.", "The run has ended: answered."]


def test_a_graph_that_cannot_be_drawn_says_so_in_place_of_the_one_before_it(page: Page) -> None:
    def spoil(route: Route) -> None:
        drawn = route.fetch().json()
        route.fulfill(json={**drawn, "edges": [{"source": None}]})

    choose(page, "calculator")
    page.route("**/graph*", spoil)
    page.select_option("#assistant", label="grounded")
    expect(page.locator("#drawing")).to_contain_text("The graph cannot be drawn")
    expect(page.locator("#drawing svg")).to_have_count(0)
