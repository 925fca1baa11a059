"""A triage with evidence on the page, and screenshots of it for the documentation.

``ANSWERGRAPH_PICTURES=docs/images`` keeps the pictures there.
"""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.answergraph.page.conftest import choose, ended, take_picture_in_all_sizes

pytestmark = pytest.mark.browser


def test_a_triage_shows_each_quote_where_it_stands(page: Page, pictures: Path) -> None:
    page.get_by_label("Colours").select_option("dark")
    choose(page, "triage")
    page.get_by_label("Folder").fill("seen/run-01")
    page.get_by_role("button", name="Run", exact=True).click()
    assert ended(page) == "The run has ended."
    expect(page.locator("[data-node='triage_case:conclude_failed:structured_response']")).to_be_attached()
    expect(page.locator("#drawing g.node.done")).not_to_have_count(0)
    expect(page.get_by_role("region", name="Outcome").locator(".why")).to_have_text("1 not-real.")
    for _ in range(4):
        page.get_by_role("separator", name="Width of the graph").press("ArrowLeft")
    answer = page.locator(".answer").first
    expect(answer).to_contain_text("answered")
    piece = answer.get_by_role("button", name=re.compile(r"^Evidence for evidence\[0\]"))
    piece.click()
    source = page.get_by_role("region", name="Evidence for evidence[0]")
    expect(source).to_be_focused()
    marked = " ".join(source.locator("mark").all_inner_texts())
    claimed = answer.locator("tr", has_text="evidence[0]").locator(".value").inner_text()
    assert marked.split() == claimed.split()
    expect(source.locator("mark").first).to_be_in_viewport()
    take_picture_in_all_sizes(page, pictures / "page-triage.png")


def test_what_is_written_inside_a_subgraph_says_so(page: Page) -> None:
    choose(page, "triage")
    page.get_by_label("Folder").fill("seen/run-01")
    page.keyboard.press("Control+Enter")
    ended(page)
    inside = page.locator(".message .inside").all_text_contents()
    page.get_by_role("tab", name="Cases").click()
    titles = page.locator(".case .title").all_text_contents()
    assert {text.removeprefix("in ").split(" › ")[0] for text in inside} == set(titles)


def test_a_calculation_on_the_page_is_worth_a_picture(page: Page, pictures: Path) -> None:
    page.get_by_label("Colours").select_option("light")
    choose(page, "calculator")
    page.get_by_label("Message", exact=True).fill("(17 × 23) + (89 ÷ 4) - 156")
    page.keyboard.press("Control+Enter")
    ended(page)
    expect(page.get_by_role("heading", level=1)).to_be_in_viewport()
    page.locator(".chip").first.click()
    expect(page.locator("mark").first).to_have_text("257.25")
    take_picture_in_all_sizes(page, pictures / "page-calculator.png")
