"""Parallel work, shown by case: a triage, a fan-out of agents or functions, a batch."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.answergraph.page.conftest import choose, drawn_texts, ended, is_cut_off

pytestmark = pytest.mark.browser

TOWNS = ["Rome", "Oslo", "Bonn", "Nice"]


def spread(page: Page, graph: str) -> Locator:
    """Run over the towns; return the cases."""
    choose(page, graph)
    for town in TOWNS:
        page.get_by_role("button", name="Add to Towns").click()
        page.keyboard.type(town)
    page.get_by_role("button", name="Run", exact=True).click()
    assert ended(page) == "The run has ended."
    page.get_by_role("tab", name="Cases").click()
    return page.locator(".case")


def each_is_a_case(page: Page, names: list[str]) -> None:
    expect(page.locator(".case")).to_have_count(len(names))
    for name in names:
        expect(page.locator(".case .title", has_text=name)).to_have_count(1)


def triage(page: Page, folder: str) -> None:
    choose(page, "triage")
    page.get_by_label("Folder").fill(folder)
    page.get_by_role("button", name="Run", exact=True).click()
    assert ended(page) == "The run has ended."


def test_the_cases_of_a_triage_have_verdict_and_quote_and_lead_to_their_steps(page: Page) -> None:
    triage(page, "seen")
    expect(page.locator(".answer")).to_have_count(0)
    page.get_by_role("button", name=re.compile("^[0-9]+ answers, by case$")).click()
    cases = page.locator(".case")
    everything = cases.count()
    assert everything > 3
    disagreements = page.get_by_role("button", name=re.compile("^disagreement "))
    disagreements.click()
    expect(cases).to_have_count(int(disagreements.inner_text().split()[-1]))
    assert cases.count() < everything
    expect(cases.locator(".badge")).to_have_text(["disagreement"] * cases.count())
    # The stored checkpoints may put the cases into another order after the run has ended.
    title = cases.first.locator(".title").inner_text()
    first = cases.filter(has=page.get_by_text(title, exact=True)).first
    first.locator("summary").click()
    first.get_by_role("button", name=re.compile(r"^Evidence for evidence\[0\]")).click()
    quote = first.locator(".why").inner_text().strip("“”…")
    expect(page.get_by_role("region", name="Evidence for evidence[0]").locator("mark").first).to_contain_text(quote[:20])
    first.get_by_role("button", name=re.compile("^Its [0-9]+ steps in the timeline$")).click()
    row = page.locator(".step[aria-selected=true]")
    expect(row).to_contain_text(title[:20])
    expect(row).to_have_attribute("aria-expanded", "true")
    expect(page.locator(".step[data-depth='1']", has_text="explore")).to_have_count(1)
    page.go_back()
    expect(first.locator(".title")).to_have_text(title)


def test_each_run_of_an_agent_side_by_side_is_a_case_with_its_reason(page: Page) -> None:
    cases = spread(page, "towns")
    expect(cases).to_have_count(4)
    oslo = cases.filter(has_text="Oslo")
    expect(oslo.locator(".badge")).to_have_text("No answer: invalid")
    expect(oslo.locator(".why")).to_contain_text("The check 'GroundedAnswer' rejected quotes[0]")
    expect(cases.filter(has_text="Rome").locator(".badge")).to_have_text("Answered")
    for kind in ("model", "tool", "answer"):
        expect(page.locator(f".case .spans path[data-kind={kind}]")).to_have_count(len(TOWNS))
    oslo.locator("summary").click()
    oslo.get_by_role("button", name="in the timeline").click()
    expect(page.locator(".step[data-depth='1']", has_text="structured_response")).to_have_count(4)
    page.reload()
    page.wait_for_selector("body[data-ready]")
    page.get_by_role("tab", name="Cases").click()
    each_is_a_case(page, TOWNS)


def test_interleaved_messages_are_grouped_by_case(page: Page) -> None:
    # High enough to draw all messages above the form with its four towns.
    page.set_viewport_size({"width": 1440, "height": 2400})
    spread(page, "towns")
    each_is_a_case(page, TOWNS)
    page.get_by_role("tab", name="Messages").click()
    places = drawn_texts(page.locator(".message .inside"))
    names = [place.removeprefix("in ") for place in places]
    assert set(names) == set(TOWNS)
    assert len([name for name, before in zip(names, ["", *names], strict=False) if name != before]) == len(TOWNS)


def test_functions_side_by_side_are_cases_and_what_comes_after_them_is_not(page: Page) -> None:
    spread(page, "lengths")
    each_is_a_case(page, TOWNS)
    page.get_by_role("tab", name="Timeline").click()
    expect(page.locator(".step .number")).to_have_text(["1", "1", "1", "1", "2"])


def test_runs_of_an_agent_within_one_node_are_cases(page: Page) -> None:
    cases = spread(page, "batch")
    expect(cases).to_have_count(4)
    expect(cases.filter(has_text="No answer: invalid")).to_have_count(1)
    expect(cases.filter(has_text="Answered")).to_have_count(3)


def test_a_run_without_cases_has_no_tab_of_cases(page: Page) -> None:
    triage(page, "nowhere")
    expect(page.get_by_role("tab", name="Timeline")).to_be_visible()
    expect(page.get_by_role("tab", name="Cases")).to_be_hidden()


def test_cases_are_accessible_in_both_schemes_and_fit_every_size(page: Page) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    spread(page, "towns").first.locator("summary").click()
    for theme in ("light", "dark"):
        page.get_by_label("Colours").select_option(theme)
        for width, height in ((1440, 900), (1024, 768), (390, 844)):
            page.set_viewport_size({"width": width, "height": height})
            found = axe.run(page, options={"resultTypes": ["violations"]}).response["violations"]
            assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found] == []
            assert not is_cut_off(page)
