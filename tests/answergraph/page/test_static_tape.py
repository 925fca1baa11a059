"""A recorded run on the page: how it ended, and what was sent and came back at each step."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from answergraph.testing import use_tape
from tests.answergraph.page.conftest import watched_page
from tests.answergraph.page.document_graphs import INVOICE, refused_invoice
from tests.suite.page_of_file import page_of_file

pytestmark = pytest.mark.browser


def test_a_tape_shows_the_record_and_what_each_model_call_sent_and_got(browser: Browser, tmp_path: Path) -> None:
    tape = tmp_path / "run.jsonl"
    with use_tape(tape):
        refused_invoice().invoke({"document": INVOICE})
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    with page_of_file(tape) as url:
        for page in watched_page(browser, url, path="/"):
            expect(page.get_by_role("heading", level=1)).to_contain_text("2 fields stand nowhere in its sources")
            expect(page.locator(".mark").first).to_have_text("Brenner & Sohn GmbH2")
            steps = page.locator("#tape details")
            expect(steps).to_have_count(5)
            expect(steps.nth(1)).to_contain_text("calls Invoice")
            steps.nth(2).locator("summary").press("Enter")
            expect(steps.nth(2)).to_contain_text("messages as in the request before")
            expect(steps.nth(2)).to_contain_text("it stands in no source")
            assert [fault["id"] for fault in axe.run(page).response["violations"]] == []
