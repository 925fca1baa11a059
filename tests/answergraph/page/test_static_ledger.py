"""A ledger on the page: why a map stopped, what went wrong how often, and the run of one row, by keyboard."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from answergraph.many import map_answers
from tests.answergraph.cli.opened.test_ledger_reader import with_copies
from tests.answergraph.many.invoices import agent_of
from tests.answergraph.page.conftest import take_picture, watched_page
from tests.suite.page_of_file import page_of_file

pytestmark = pytest.mark.browser

MANY = 100_000
MOST_BYTES = 30_000_000
BODIES = ["Invoice 7", "Invoice 8", "Invoice 9", *[f"page {'x' * number}" for number in range(6)]]


def rows() -> Iterator[dict[str, Any]]:
    yield from ({"id": f"inv-{number:03}", "body": body} for number, body in enumerate(BODIES))


def test_a_hundred_thousand_rows_stay_below_thirty_megabytes_in_the_browser(browser: Browser, tmp_path: Path) -> None:
    place = tmp_path / "invoices.db"
    list(map_answers(agent_of(), rows(), key="id", input="body", ledger=place, concurrency=1, stop_after=None))
    with_copies(place, MANY)
    with page_of_file(place) as url:
        for page in watched_page(browser, url, path="/"):
            headline = page.get_by_role("region", name="All rows").get_by_role("heading", level=1)
            expect(headline).to_have_text("Nobody is at work: 100 009 rows have ended")
            page.locator("#ledger-groups button", has_text="answered").first.click()
            expect(page.locator("#ledger-rows [data-row]")).to_have_count(50)
            memory = page.context.new_cdp_session(page)
            memory.send("HeapProfiler.collectGarbage")
            assert memory.send("Runtime.getHeapUsage")["usedSize"] < MOST_BYTES


def test_a_ledger_says_why_it_stopped_and_opens_a_row_that_did(browser: Browser, tmp_path: Path, pictures: Path) -> None:
    place = tmp_path / "invoices.db"
    list(map_answers(agent_of(), rows(), key="id", input="body", ledger=place, concurrency=1, stop_after=4))
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    with page_of_file(place) as url:
        for page in watched_page(browser, url, path="/"):
            headline = page.get_by_role("region", name="All rows").get_by_role("heading", level=1)
            expect(headline).to_have_text("Stopped: 7 rows have ended")
            expect(page.locator("#map .why")).to_contain_text("4 rows in a row ended without an answer.")
            # An example is open.
            expect(page.locator("#row")).to_contain_text("inv-003")
            expect(page.locator("#row")).to_contain_text("row 1 of 4")
            expect(page.locator("#answers")).to_contain_text("number")
            expect(page.locator("#status")).to_have_text("Stopped: 7 rows have ended.")
            assert [fault["id"] for fault in axe.run(page).response["violations"]] == []
            take_picture(page, pictures / "page-ledger.png")

            page.locator("#ledger-groups [aria-pressed=true]").focus()
            page.keyboard.press("ArrowUp")
            page.keyboard.press("ArrowRight")
            expect(page.locator("#ledger-rows [data-row]").first).to_be_focused()
            expect(page.locator("#ledger-rows [data-row]")).to_have_count(3)
            page.keyboard.press("n")
            expect(page.locator("#row")).to_contain_text("inv-000")
            page.keyboard.press("n")
            expect(page.locator("#row")).to_contain_text("inv-001")
            expect(page.locator("#head")).to_contain_text("Answered")
            page.keyboard.press("/")
            page.keyboard.type("inv-004")
            page.keyboard.press("Enter")
            expect(page.locator("#row")).to_contain_text("inv-004")
            # Another pass writes into the ledger meanwhile.
            list(map_answers(agent_of(), rows(), key="id", input="body", ledger=place, concurrency=1, stop_after=None))
            expect(headline).to_have_text("Nobody is at work: 9 rows have ended", timeout=60_000)
            expect(page.locator(".meters")).to_contain_text("rows a second")
            page.set_viewport_size({"width": 390, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
