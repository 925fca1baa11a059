"""A report of an evaluation on the page: the least right field first, and each case with what is wrong in it, by keyboard."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from answergraph.testing import Case, evaluate
from tests.answergraph.evaluation.scored_agent import INVOICE, agent_of
from tests.answergraph.page.conftest import faults, is_cut_off, watched_page
from tests.suite.page_of_file import page_of_file

pytestmark = pytest.mark.browser

WRONG: dict[str, Any] = {**INVOICE, "sum total": 4, "items": [{"sku": "a", "price": 1.5}]}


def test_a_report_shows_the_fields_and_the_cases_with_something_wrong_first(browser: Browser, tmp_path: Path) -> None:
    agent = agent_of(INVOICE, WRONG, *["no"] * 9)
    cases = [Case("Invoice A-17", INVOICE, "first"), Case("Again", INVOICE, "second"), Case("Nothing", INVOICE, "<b>third</b>")]
    report = tmp_path / "report.json"
    evaluate(agent, cases, concurrency=1).save(report)
    with page_of_file(report) as url:
        for page in watched_page(browser, url, path="/"):
            expect(page.get_by_role("heading", level=1)).to_have_text(
                "50 % of the fields are right; 2 of 3 runs have something wrong"
            )
            fields = page.locator(".scores tbody tr")
            expect(fields).to_have_count(4)
            expect(fields.first).to_contain_text("total")
            titles = page.locator(".evaluation .case .title")
            expect(titles).to_have_text(["<b>third</b>", "second", "first"])
            second = page.locator(".evaluation .case").nth(1)
            second.locator("summary").press("Enter")
            expect(second).to_contain_text("total wrong: expected 3.5, got 4")
            expect(second).to_contain_text("items[1].sku missing")
            page.locator(".evaluation .case").first.locator("summary").press("Enter")
            expect(page.locator(".evaluation .case").first).to_contain_text("number missing: 'A-17' is missing")
            assert faults(page) == []
            page.set_viewport_size({"width": 360, "height": 800})
            assert not is_cut_off(page)
            page.screenshot(path=str(tmp_path / "narrow.png"), full_page=True)
            page.set_viewport_size({"width": 1280, "height": 800})
            page.screenshot(path=str(tmp_path / "wide.png"), full_page=True)
