"""Graphs inside a step: those that a tool runs, the ends of inner graphs, nodes where edges join; live and past."""

import re

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.answergraph.page.conftest import GO, opened, past
from tests.answergraph.page.test_static_cases import TOWNS, spread
from tests.answergraph.page.test_static_past import told
from tests.answergraph.page.test_static_views import run

pytestmark = pytest.mark.browser

INNER = ["model", "read_log", "model", "structured_response"]


def opens_to(page: Page, town: str, names: list[str]) -> None:
    """Unfold the tool call about a town, find these steps inside it, and fold it again."""
    row = page.locator(".step[data-depth='0']", has_text=re.compile(f"ask_guide.*{town}"))
    expect(row).to_have_attribute("aria-expanded", "false")
    row.press("ArrowRight")
    expect(row).to_have_attribute("aria-expanded", "true")
    expect(page.locator(".step[data-depth='1'] .named")).to_have_text(names)
    row.press("ArrowLeft")
    expect(row).to_have_attribute("aria-expanded", "false")


@pytest.mark.parametrize("graph", ["guides", "langchain_guides"])
def test_a_tool_that_runs_a_graph_shows_its_call_and_opens_to_the_steps_inside(page: Page, graph: str) -> None:
    run(page, graph)
    expect(page.locator(".step", has_text="calls ask_guide ×2")).to_have_count(1)
    for town in ("Rome", "Oslo"):
        opens_to(page, town, INNER)
    page.get_by_role("tab", name="Cases").click()
    expect(page.locator(".case .title", has_text="Rome")).to_have_count(1)


def test_a_past_run_has_the_steps_of_a_graph_that_a_tool_ran(page: Page, server: httpx.Client) -> None:
    opened(page, "guides", past(server, "guides", {"input": GO}))
    for town in ("Rome", "Oslo"):
        opens_to(page, town, INNER)
    page.locator(".step[data-depth='0']", has_text="Oslo").press("ArrowRight")
    page.locator(".step[data-depth='1'][data-kind=tool]").click()
    expect(page.get_by_role("region", name="Step 2, read_log")).to_be_visible()
    page.reload()
    expect(page.get_by_role("region", name="Step 2, read_log")).to_be_visible()


def test_a_run_goes_on_from_before_the_subgraph_that_a_step_is_in(page: Page) -> None:
    run(page, "office", "What memory do our runners have?")
    page.locator(".step[data-depth='0']", has_text="team").click()
    page.locator(".step[data-depth='1']", has_text="reader").click()
    expect(page.locator("#details")).to_contain_text("from before team, which then runs again from its first step")
    page.get_by_role("button", name="Fork before team").click()
    expect(page.locator("#checkpoint")).to_contain_text("This is an older state of the thread.")
    page.get_by_role("button", name="Run on from here").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ended: 1 step, no error")


def test_what_inner_runs_used_stands_beside_the_limits_of_the_run(page: Page) -> None:
    run(page, "guides")
    used = page.get_by_role("region", name="Outcome").locator(".usage")
    expect(used).to_have_text(re.compile(r"6 of 20 model calls.*\d of 100 000 tokens.*1 of 2 attempts"))


def test_each_step_says_what_its_calls_have_cost(page: Page) -> None:
    run(page, "priced")
    costs = page.locator(".step .cost")
    expect(costs.first).to_have_text(re.compile(r"^0\.\d+$"))
    whole = sum(float(text) for text in costs.all_inner_texts() if text)
    used = page.get_by_role("region", name="Outcome").locator(".usage span", has_text="of 1 cost")
    assert whole == pytest.approx(float(used.inner_text().split()[0]), rel=0.02), "each is shown in three digits"
    page.locator(".step").first.click()
    expect(page.locator("#details dt", has_text="cost")).to_be_visible()


@pytest.mark.parametrize("is_past", [False, True], ids=["live", "past"])
def test_the_edge_to_the_end_of_an_inner_graph_is_lit(page: Page, server: httpx.Client, is_past: bool) -> None:
    if is_past:
        opened(page, "towns", past(server, "towns", {"input": {"towns": TOWNS}}))
        told(page)
        expect(page.locator(".step[data-depth='0'][aria-expanded=false]")).to_have_count(len(TOWNS))
        for number in range(len(TOWNS)):
            page.locator(".step[data-depth='0']").nth(number).press("ArrowRight")
    else:
        expect(spread(page, "towns")).to_have_count(len(TOWNS))
    if page.locator("#drawing .node[aria-expanded=false]").count():
        page.locator("#drawing .node[aria-expanded=false]").press("Enter")
    edge = page.locator("#drawing .edge[aria-label^='structured_response to __end__, finish']")
    expect(edge).to_have_attribute("aria-label", re.compile("taken 4 times"))


def test_a_past_step_where_edges_join_is_there_and_a_run_goes_on_from_it(page: Page, server: httpx.Client) -> None:
    thread = past(server, "plain", {"input": GO})
    opened(page, "plain", thread)
    stored = sorted(row[:2] for row in told(page))
    page.get_by_role("button", name="New thread").click()
    run(page, "plain", "What memory?")
    assert sorted(row[:2] for row in told(page)) == stored
    opened(page, "plain", thread)
    page.locator(".step", has_text=re.compile("^3")).click()
    page.get_by_role("button", name="Fork here").click()
    page.get_by_role("tab", name="State").click()
    expect(page.get_by_role("tabpanel", name="State")).not_to_contain_text("score")
    page.get_by_role("button", name="Run on from here").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Ended: ")
    expect(page.locator("#left")).to_contain_text("256 MB")
