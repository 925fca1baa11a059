"""Threads and checkpoints on the page: listed, opened again, branched."""

import re

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.answergraph.page.conftest import SOME_STEPS, choose, ended, past, thread_of

pytestmark = pytest.mark.browser


def calculate(page: Page, expression: str) -> None:
    page.get_by_label("Message", exact=True).fill(expression)
    page.get_by_role("button", name="Run", exact=True).click()
    ended(page)


def test_a_thread_is_opened_again_with_all_it_held(page: Page) -> None:
    choose(page, "calculator")
    calculate(page, "12 + 30")
    thread = thread_of(page)
    page.get_by_role("button", name="New thread").click()
    expect(page.locator(".message")).to_have_count(0)
    choose(page, "form")
    page.locator(f"#threads [data-id='{thread}']").click()
    expect(page.locator(".message[data-type=human]")).to_contain_text("12 + 30")
    expect(page.locator(".answer tr", has_text="final_answer")).to_contain_text("42")
    expect(page.locator("#assistant option:checked")).to_have_text("calculator")
    expect(page.locator("#threads button").first).to_have_attribute("data-id", thread)
    expect(page.locator("#threads button").first).to_have_attribute("aria-current", "true")


def test_the_address_remembers_the_thread(page: Page) -> None:
    choose(page, "calculator")
    calculate(page, "12 + 30")
    page.reload()
    page.wait_for_selector("body[data-ready]")
    expect(page.locator(".answer tr", has_text="final_answer")).to_contain_text("42")


def test_a_thread_goes_on_with_the_next_message(page: Page) -> None:
    choose(page, "calculator")
    calculate(page, "12 + 30")
    calculate(page, "2 * 3")
    expect(page.locator(".message[data-type=human]")).to_have_count(2)
    expect(page.locator(".answer")).to_have_count(1)
    expect(page.locator(".answer tr", has_text="final_answer")).to_contain_text("6")


def test_a_checkpoint_is_opened_and_the_run_goes_on_from_it(page: Page) -> None:
    choose(page, "calculator")
    calculate(page, "12 + 30")
    page.get_by_text("Checkpoints of this thread").click()
    expect(page.locator("#checkpoints button").first).to_contain_text("the end")
    page.locator("#checkpoints button", has_text="before tools").last.click()
    expect(page.locator(".message")).to_have_count(2)
    expect(page.locator("#checkpoint")).to_contain_text("begins a branch")
    expect(page.locator(".answer")).to_have_count(0)
    page.get_by_role("button", name="Run on from here").click()
    assert ended(page) == "The run has ended: answered."
    expect(page.locator(".answer tr", has_text="final_answer")).to_contain_text("42")
    expect(page.locator("#checkpoint")).to_be_hidden()


def test_older_checkpoints_are_asked_for(page: Page) -> None:
    choose(page, "calculator")
    calculate(page, "1 + 2 + 3 + 4 + 5 + 6")
    page.get_by_text("Checkpoints of this thread").click()
    expect(page.locator("#checkpoints button")).to_have_count(11)
    page.get_by_role("button", name="Older checkpoints").click()
    expect(page.locator("#checkpoints button", has_text="before __start__")).to_have_count(1)


def test_a_reload_in_the_middle_of_a_run_shows_all_of_it(page: Page) -> None:
    choose(page, "steady")
    page.get_by_label("Message", exact=True).fill("Go.")
    page.get_by_text("More input, all of it optional").click()
    page.get_by_label("Rounds").fill("12")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator("#step-count")).to_have_text(SOME_STEPS)
    page.reload()
    expect(page.locator("#status")).to_have_text("The run goes on.")
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_enabled()
    assert ended(page) == "The run has ended."
    expect(page.locator("#step-count")).to_have_text("12")
    expect(page.locator("#count")).to_have_text("13")


def test_threads_are_found_by_outcome_graph_and_words_and_the_list_says_what_it_covers(page: Page, server: httpx.Client) -> None:
    wanted = past(server, "rejected", {"input": {"messages": [{"role": "user", "content": "Find me by my outcome."}]}})
    page.reload()
    page.get_by_role("combobox", name="Outcome").select_option("invalid")
    page.get_by_role("combobox", name="Graph of the thread").select_option("rejected")
    page.get_by_label("Find a thread").fill("by my outcome")
    expect(page.locator("#threads button.thread:visible")).to_have_count(1)
    expect(page.locator("#threads button.thread:visible")).to_have_attribute("data-id", wanted)
    expect(page.locator("#rail")).to_contain_text(re.compile(r"1 of (the last )?\d+"))
    page.get_by_role("combobox", name="Outcome").select_option("")
    page.get_by_role("combobox", name="Graph of the thread").select_option("")
    page.get_by_label("Find a thread").fill("")
    expect(page.locator("#threads button.thread:visible").nth(1)).to_be_visible()
