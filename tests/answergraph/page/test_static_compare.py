"""Two runs side by side: the choice of the other run, the link, and what stays when a thread continues."""

import re

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.answergraph.page.conftest import LONGER_SUM, SUM, opened, past
from tests.answergraph.page.test_static_views import run

pytestmark = pytest.mark.browser


def result(page: Page) -> Locator:
    return page.get_by_role("region", name="Comparison").get_by_role("row", name=re.compile("^final_answer"))


def test_two_runs_stand_side_by_side(page: Page) -> None:
    run(page, "rejected", "The one that fails")
    page.get_by_role("button", name="New thread").click()
    run(page, "grounded", "The one that ends well")
    page.get_by_role("button", name="Compare").click()
    other = page.get_by_label("The run to compare with")
    other.select_option(index=1)
    comparison = page.get_by_role("region", name="Comparison")
    expect(comparison.get_by_role("row", name=re.compile("^outcome"))).to_contain_text("No answer: invalid")
    expect(comparison.get_by_role("row", name=re.compile("^outcome"))).to_contain_text("Answered on the second attempt")
    expect(comparison).to_contain_text(re.compile("They diverge at step [346]"))
    page.reload()
    expect(comparison.get_by_role("row", name=re.compile("^attempts"))).to_contain_text("differs")


def test_a_run_is_compared_with_an_earlier_one_of_its_thread_and_the_link_names_both(page: Page, server: httpx.Client) -> None:
    thread = past(server, "calculator", {"input": SUM}, {"input": LONGER_SUM})
    opened(page, "calculator", thread)
    page.get_by_role("button", name="Compare").click()
    page.get_by_label("The run to compare with").select_option(index=1)
    expect(result(page)).to_contain_text("6")
    expect(result(page)).to_contain_text("42")
    server.post(f"/threads/{thread}/runs/wait", json={"assistant_id": "calculator", "input": SUM}).raise_for_status()
    page.reload()
    expect(page.get_by_label("The run of this thread").locator("option:checked")).to_contain_text("Run 2 of 3")
    expect(result(page)).to_contain_text("6")
    expect(result(page)).to_contain_text("42")


def test_what_is_compared_with_stays_when_its_thread_goes_on(page: Page, server: httpx.Client) -> None:
    thread = past(server, "calculator", {"input": SUM}, {"input": LONGER_SUM})
    runs = server.get(f"/threads/{thread}/runs").json()
    newest, first = (run["run_id"] for run in runs)
    opened(page, "calculator", thread, run=first, compare=f"{thread}.{newest}")
    expect(result(page)).to_contain_text("6")
    page.get_by_label("Message", exact=True).fill("2 * 4")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(".answer tr", has_text="final_answer")).to_contain_text("8")
    expect(result(page)).to_have_text(re.compile("8.*6.*differs", re.DOTALL))


def test_another_run_of_the_thread_that_is_compared_with_is_chosen(page: Page, server: httpx.Client) -> None:
    other = past(server, "calculator", {"input": SUM}, {"input": LONGER_SUM})
    opened(page, "calculator", past(server, "calculator", {"input": SUM}), compare=other)
    expect(result(page)).to_contain_text("6")
    page.get_by_label("The other run").select_option(index=1)
    expect(result(page)).to_have_text(re.compile("42.*42.*the same", re.DOTALL))
    page.go_back()
    expect(result(page)).to_contain_text("differs")
