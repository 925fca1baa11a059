"""Past runs without a stored stream, rebuilt from their checkpoints: long ones, several of a thread, subgraphs."""

import json
import re
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.answergraph.page.conftest import (
    GO,
    LONGER_SUM,
    LONGEST_RUN,
    SUM,
    all_steps_read,
    choose,
    held_back,
    opened,
    past,
    until_held,
)
from tests.answergraph.page.test_static_views import run, steps

pytestmark = pytest.mark.browser


def told(page: Page) -> list[list[str]]:
    """Wait for all rows; return the number, the step, the event and the reason of each."""
    expect(page.locator(".step").first).to_be_visible()
    all_steps_read(page)
    expect(page.locator(".older")).to_be_hidden()
    return [[*row.split(" | ")[:3], row.split(" | ")[-1]] for row in steps(page)]


@pytest.fixture(scope="module")
def thousand(server: httpx.Client) -> str:
    return past(server, "thousand", {"input": {"rounds": 0}})


def test_a_past_run_of_a_thousand_steps_is_whole_once_its_older_steps_are_asked_for(page: Page, thousand: str) -> None:
    opened(page, "thousand", thousand)
    expect(page.locator("#step-count")).to_have_text("999+", timeout=LONGEST_RUN)
    expect(page.locator(".step .number").first).to_have_text("")
    page.get_by_role("button", name="Load the older steps").click()
    expect(page.locator("#step-count")).to_have_text("1 000")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ended: 1 000 steps, no error")
    expect(page.locator(".step .number").first).to_have_text("1")
    expect(page.get_by_role("button", name="Load the older steps")).to_be_hidden()


def test_the_timeline_says_that_its_steps_may_still_change_after_the_end_of_a_run(page: Page) -> None:
    # A live run is asked for with the pieces of its messages; the replay that its steps are compared with is not.
    held = held_back(page, "**/stream?stream_mode=*")
    choose(page, "plain")
    page.get_by_label("Message", exact=True).fill("What memory?")
    page.get_by_role("button", name="Run", exact=True).click()
    rows = page.get_by_role("treegrid")
    expect(page.locator("#status")).to_have_text("The run has ended.")
    expect(rows).to_have_attribute("aria-busy", "true")
    until_held(page, held, 1)
    held[0].continue_()
    expect(rows).to_have_attribute("aria-busy", "false")


def test_a_thread_that_is_opened_again_makes_the_server_read_a_tenth(server: httpx.Client, thousand: str) -> None:
    def read() -> tuple[list[Any], int]:
        steps: list[Any] = []
        size = 0
        while True:
            before = {"before": steps[-1]["checkpoint_id"]} if steps else {}
            response = server.get(f"/page/threads/{thousand}/steps", params={"limit": 100, **before}).raise_for_status()
            steps += response.json()
            size += int(response.headers["x-bytes-read"])
            if len(response.json()) < 100:
                return steps, size

    whole, _ = read()
    stored = server.post(f"/threads/{thousand}/history", json={"limit": 1000}).json()
    assert [step["checkpoint_id"] for step in whole[:1000]] == [state["checkpoint"]["checkpoint_id"] for state in stored]
    assert [step["tasks"] for step in whole[:1000]] == [state["tasks"] for state in stored]
    again, size = read()
    assert again == whole
    assert size < len(json.dumps(stored)) / 10


def test_a_link_to_an_old_step_leads_there(page: Page, thousand: str) -> None:
    opened(page, "thousand", thousand, step="|tick#20")
    expect(page.get_by_role("region", name="Step 39, tick")).to_be_visible(timeout=LONGEST_RUN)
    expect(page.locator(".step[aria-selected=true]")).to_be_in_viewport()


def test_steps_that_could_not_be_read_are_asked_for_again(browser: Browser, server_url: str, server: httpx.Client) -> None:
    thread = past(server, "many", {"input": {**GO, "rounds": 120}})
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(LONGEST_RUN)
    page.route("**/steps?*before=*", lambda route: route.abort(), times=1)
    page.goto(f"{server_url}/page/#assistant=many&thread={thread}")
    page.get_by_role("button", name="Load the older steps").click()
    expect(page.locator("#step-count")).to_have_text("120")
    context.close()


def test_each_run_of_a_thread_shows_its_own_steps_and_what_it_left(page: Page, server: httpx.Client) -> None:
    thread = past(server, "calculator", {"input": SUM}, {"input": LONGER_SUM})
    opened(page, "calculator", thread)
    result = page.locator(".answer tr", has_text="final_answer")
    expect(result).to_contain_text("6")
    newest = told(page)
    assert newest[0][0] == "1"
    runs = page.get_by_label("The run of this thread")
    expect(runs.locator("option")).to_have_text([re.compile("^Run 2 of 2"), re.compile("^Run 1 of 2")])
    runs.select_option(index=1)
    expect(result).to_contain_text("42")
    earlier = told(page)
    assert (earlier[0][0], len(earlier) < len(newest)) == ("1", True)
    expect(page.locator(".message[data-type=human]")).to_have_count(1)
    page.reload()
    expect(result).to_contain_text("42")
    expect(page.locator(".step")).to_have_count(len(earlier))
    page.go_back()
    expect(result).to_contain_text("6")
    expect(page.locator(".step")).to_have_count(len(newest))


def test_a_message_beside_an_earlier_run_goes_on_from_the_newest(page: Page, server: httpx.Client) -> None:
    thread = past(server, "calculator", {"input": SUM}, {"input": LONGER_SUM})
    opened(page, "calculator", thread)
    page.get_by_label("The run of this thread").select_option(index=1)
    expect(page.locator(".message[data-type=human]")).to_have_count(1)
    page.get_by_label("Message", exact=True).fill("2 * 4")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(".message[data-type=human]")).to_have_count(3)
    expect(page.locator(".answer tr", has_text="final_answer")).to_contain_text("8")
    expect(page.get_by_label("The run of this thread").locator("option:checked")).to_contain_text("Run 3 of 3")


def test_a_run_that_was_resumed_and_the_one_that_resumed_it_are_told_apart(page: Page, server: httpx.Client) -> None:
    resume = {"command": {"resume": {"decisions": [{"type": "approve"}]}}}
    product = {"messages": [{"role": "user", "content": "3 + 4 * 2"}]}
    thread = past(server, "approval", {"input": product}, resume)
    opened(page, "approval", thread)
    expect(page.locator(".answer tr", has_text="final_answer")).to_contain_text("11")
    assert [row for row in told(page) if "waits" in row[2]] == []
    page.get_by_label("The run of this thread").select_option(index=1)
    expect(page.get_by_role("heading", level=1)).to_have_text("Waited for you")
    assert told(page)[-1][2] == "waits for you"
    expect(page.locator("#interrupts")).to_be_hidden()


def test_subgraphs_of_a_past_run_open_to_their_steps(page: Page, server: httpx.Client) -> None:
    run(page, "office", "What memory do our runners have?")
    for name in ("team", "reader", "writer"):
        page.locator(".step[aria-expanded=false]", has_text=name).click()
    live = told(page)
    opened(page, "office", past(server, "office", {"input": GO}))
    expect(page.locator(".step")).to_have_count(1)
    for name in ("team", "reader", "writer"):
        page.locator(".step[aria-expanded=false]", has_text=name).click()
        expect(page.locator(".step[aria-expanded=true]", has_text=name)).to_contain_text("step")
    assert told(page) == live


def test_a_link_leads_into_a_subgraph_of_a_past_run(page: Page, server: httpx.Client) -> None:
    opened(page, "office", past(server, "office", {"input": GO}))
    for name in ("team", "reader", "limits · 40 lines"):
        page.locator(".step", has_text=name).click()
    expect(page.get_by_role("region", name=re.compile("^Step 2, read_wiki"))).to_be_visible()
    page.reload()
    expect(page.get_by_role("region", name=re.compile("^Step 2, read_wiki"))).to_be_visible()
    expect(page.locator(".step[aria-selected=true]")).to_contain_text("read_wiki")


def test_errors_and_tools_are_found_inside_subgraphs_too(page: Page, server: httpx.Client) -> None:
    opened(page, "office", past(server, "office", {"input": GO}))
    page.get_by_label("Which steps").select_option("Tools")
    expect(page.locator(".step")).to_have_count(1)
    expect(page.locator(".step")).to_contain_text("read_wiki")


NOTES = [
    ["narrowed", "offers Missing only (NarrowResponseFormat)"],
    ["asked again", "after ConnectionError, waited a moment, 1 reply not used"],
    ["budget", "the last model call; tools are off, the answer is asked for"],
    ["repaired", "JSON syntax mended"],
]


def notes(page: Page) -> list[list[str]]:
    rows = [row[1:3] for row in told(page) if row[1] in {name for name, _ in NOTES}]
    return [[name, re.sub(r"waited [\d.]+ m?s", "waited a moment", what)] for name, what in rows]


def test_a_step_says_how_its_model_was_asked_where_that_was_unusual(page: Page, server: httpx.Client) -> None:
    run(page, "noted", "Why?")
    assert notes(page) == NOTES
    opened(page, "noted", past(server, "noted", {"input": GO}))
    assert notes(page) == NOTES
