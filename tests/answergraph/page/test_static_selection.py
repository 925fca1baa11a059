"""What is selected is what is sent and shown, however late the server answers."""

import json
import re

import httpx
import pytest
from playwright.sync_api import Page, Route, expect

from tests.answergraph.page.conftest import (
    SOME_STEPS,
    SUM,
    choose,
    ended,
    held_back,
    next_picture,
    opened,
    past,
    thread_of,
    until_held,
)

pytestmark = pytest.mark.browser

SECOND = 1000
GRAPHS = ("calculator", "rejected", "grounded")
"""Graphs that end differently."""


def slow_down(page: Page) -> None:
    """Let each answer of the server come a second later."""
    watcher = page.context.new_cdp_session(page)
    watcher.send("Network.enable")
    slow = {"offline": False, "latency": SECOND, "downloadThroughput": -1, "uploadThroughput": -1}
    watcher.send("Network.emulateNetworkConditions", slow)


def write_down_what_is_told(page: Page) -> None:
    """Keep each heading and each sentence of the status from now on, also over a reload."""
    page.add_init_script(
        """window.told = [];
        addEventListener("DOMContentLoaded", () => {
            const look = () => {
                for (const place of ["#head h1", "#status"]) {
                    const text = document.querySelector(place)?.textContent;
                    if (text && !told.includes(text)) told.push(text);
                }
            };
            new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
        });"""
    )


def test_the_graph_that_is_chosen_gets_the_message_however_slow_the_server_is(page: Page, server: httpx.Client) -> None:
    slow_down(page)
    names = {each["assistant_id"]: each["graph_id"] for each in server.post("/assistants/search", json={"limit": 100}).json()}
    for graph in GRAPHS:
        page.get_by_role("button", name="New thread").click()
        page.select_option("#assistant", label=graph)
        page.get_by_label("Message", exact=True).fill("12 + 30")
        with page.expect_request(lambda request: request.method == "POST" and request.url.endswith("/runs")) as sent:
            page.keyboard.press("Enter")
        assert names[json.loads(sent.value.post_data or "")["assistant_id"]] == graph
        ended(page)
        expect(page.locator("#assistant option:checked")).to_have_text(graph)
        expect(page.locator("#threads button").first).to_have_attribute("aria-current", "true")
        expect(page.get_by_label("Message", exact=True)).to_have_value("")


def test_a_message_is_not_sent_to_a_graph_that_was_left_while_it_loaded(page: Page) -> None:
    slow_down(page)
    page.select_option("#assistant", label="calculator")
    page.get_by_label("Message", exact=True).fill("12 + 30")
    page.keyboard.press("Enter")
    page.select_option("#assistant", label="grounded")
    page.wait_for_selector('#drawing svg[aria-label="The graph grounded"]', state="attached")
    expect(page.get_by_label("Message", exact=True)).to_have_value("12 + 30")
    expect(page.locator(".message")).to_have_count(0)


def test_a_message_for_a_graph_that_was_left_is_not_sent_to_the_one_that_was_chosen_before_it(page: Page) -> None:
    slow_down(page)
    made: list[str] = []
    page.on("request", lambda request: made.append(request.url) if request.url.endswith("/threads") else None)
    for graph, text in (("calculator", "12 + 30"), ("grounded", "Why?")):
        page.select_option("#assistant", label=graph)
        page.get_by_label("Message", exact=True).fill(text)
        page.keyboard.press("Enter")
    page.select_option("#assistant", label="calculator")
    page.wait_for_selector('#drawing svg[aria-label="The graph calculator"]', state="attached")
    expect(page.get_by_label("Message", exact=True)).to_have_value("Why?")
    assert made == []


def test_a_thread_that_is_read_late_does_not_replace_the_one_chosen_after_it(page: Page, server: httpx.Client) -> None:
    first, second = past(server, "calculator", {"input": SUM}), past(server, "rejected", {"input": SUM})
    late = held_back(page, f"**/threads/{first}/state")
    page.reload()
    page.locator(f"#threads [data-id='{first}']").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Opening")
    until_held(page, late, 1)
    page.locator(f"#threads [data-id='{second}']").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("invalid")
    with page.expect_event("requestfinished", lambda request: request.url.endswith(f"{first}/state")):
        late[0].continue_()
    next_picture(page)
    expect(page.get_by_role("heading", level=1)).to_contain_text("invalid")
    expect(page.locator("#threads [aria-current=true]")).to_have_attribute("data-id", second)


def test_a_thread_that_is_opened_while_its_run_ends_shows_what_the_run_left(page: Page, server: httpx.Client) -> None:
    thread = server.post("/threads", json={}).json()["thread_id"]
    request = {"assistant_id": "steady", "input": {"messages": [{"role": "user", "content": "Go."}], "rounds": 8}}
    run = server.post(f"/threads/{thread}/runs", json=request).json()["run_id"]

    def answer_after_the_end(route: Route) -> None:
        server.get(f"/threads/{thread}/runs/{run}/join").raise_for_status()
        route.continue_()

    page.route(f"**/threads/{thread}/runs?*", answer_after_the_end)
    opened(page, "steady", thread)
    expect(page.locator("#count")).to_have_text("9")
    page.locator("#tab-messages").click()
    expect(page.locator(".message").last).to_contain_text("8 steady")


def test_a_message_whose_arrival_the_server_could_not_confirm_is_not_sent_twice(page: Page, server: httpx.Client) -> None:
    def lose_the_answer(route: Route) -> None:
        route.fetch()
        route.fulfill(body="")

    choose(page, "calculator")
    page.route("**/runs", lose_the_answer, times=1)
    page.get_by_label("Message", exact=True).fill("12 + 30")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("#notice")).to_contain_text("The server has not said whether your message arrived.")
    assert ended(page) == "The run has ended: answered."
    expect(page.get_by_label("Message", exact=True)).to_have_value("")
    thread = thread_of(page)
    assert len(server.get(f"/threads/{thread}/runs").json()) == 1


def test_a_message_that_the_browser_sends_again_by_itself_runs_once(page: Page, server: httpx.Client) -> None:
    # As Chromium does where a connection that it used before ends without an answer.
    def twice(route: Route) -> None:
        if route.request.method == "POST":
            route.fetch()
        route.continue_()

    page.route(re.compile(r"/threads/[^/]+/runs$"), twice)
    choose(page, "calculator")
    page.get_by_label("Message", exact=True).fill("12 + 30")
    page.keyboard.press("Enter")
    assert ended(page) == "The run has ended: answered."
    thread = thread_of(page)
    assert [run["status"] for run in server.get(f"/threads/{thread}/runs").json()] == ["success"]


def test_the_reload_of_a_finished_run_tells_no_other_end(page: Page, server: httpx.Client) -> None:
    write_down_what_is_told(page)
    choose(page, "calculator")
    page.get_by_label("Message", exact=True).fill("12 + 30")
    page.keyboard.press("Enter")
    ended(page)
    page.reload()
    expect(page.locator(".step").last).to_contain_text("accepted")
    told = page.evaluate("told")
    ends = [text for text in told if text.startswith(("Answered", "Ended", "No answer", "The run has ended"))]
    assert sorted(ends) == ["Answered on the first attempt", "The run has ended: answered."]


def test_the_run_that_was_forked_stays_in_the_list(page: Page, server: httpx.Client) -> None:
    opened(page, "calculator", past(server, "calculator", {"input": SUM}))
    expect(page.locator(".step").last).to_contain_text("accepted")
    page.locator(".step", has_text="model").first.click()
    page.get_by_role("button", name="Fork here").click()
    page.get_by_role("button", name="Run on from here").click()
    ended(page)
    expect(page.get_by_label("The run of this thread").locator("option")).to_have_count(2)


def test_a_stopped_run_is_not_listed_as_one_that_waits(page: Page) -> None:
    choose(page, "steady")
    page.get_by_label("Message", exact=True).fill("Go.")
    page.get_by_text("More input, all of it optional").click()
    page.get_by_label("Rounds").fill("200")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("#step-count")).to_have_text(SOME_STEPS)
    page.get_by_role("button", name="Stop", exact=True).click()
    assert ended(page) == "The run was stopped."
    expect(page.locator("#threads button").first).to_contain_text("stopped")
