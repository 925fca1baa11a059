"""On paper: the document with its record, a review and a ledger in full length, with no button and in light colours."""

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from answergraph.kit.texts import opened_pdf
from answergraph.many import map_answers
from tests.answergraph.many.invoices import agent_of
from tests.answergraph.page.conftest import opened, past, watched_page
from tests.answergraph.page.document_graphs import INVOICE, MANY
from tests.answergraph.page.test_static_record import asked
from tests.suite.page_of_file import page_of_file

pytestmark = pytest.mark.browser

ROWS = 200


def printed(page: Page, file: Path) -> str:
    """Print the page, which is dark on the screen; gives the words on all sheets, with one space between any two."""
    page.get_by_label("Colours").select_option("dark")
    file.write_bytes(page.pdf(format="A4", margin={"top": "1cm", "right": "1cm", "bottom": "1cm", "left": "1cm"}))
    with opened_pdf(file.read_bytes()) as pages:
        return " ".join(" ".join(page.get_textpage().get_text_range() for page in pages).split())


def test_a_record_is_printed_behind_its_whole_document(page: Page, server: httpx.Client, tmp_path: Path) -> None:
    long = "\n".join([*INVOICE.splitlines(), *(f"clause {number}" for number in range(MANY))])
    opened(page, "refused_invoice", past(server, "refused_invoice", asked(long)))
    expect(page.locator(".mark sup").first).to_be_attached()
    words = printed(page, tmp_path / "record.pdf")
    assert "2 fields stand nowhere in its sources" in words
    assert f"clause {MANY - 1}" in words
    assert re.search(r"Record 1 number RE-2026-01847 supported 2 supplier\.name .*purchase_order PO-77120", words)
    for left_out in ("Save with proofs", "To look at", "Write a message", "Find a thread", "as the system", "Copy link"):
        assert left_out not in words


def test_a_review_is_printed_with_its_readings(page: Page, server: httpx.Client, tmp_path: Path) -> None:
    opened(page, "reviewed_invoice", past(server, "reviewed_invoice", {"input": {"document": INVOICE}}))
    expect(page.locator(".queue b")).to_have_count(5)
    words = printed(page, tmp_path / "review.pdf")
    assert "Field 1 of 5: number" in words
    assert "'RE-1': it stands in no source." in words
    assert "purchase_order" in words
    assert "Send 5 decisions" not in words


def test_a_ledger_is_printed_with_all_rows_that_are_shown(browser: Browser, tmp_path: Path) -> None:
    place = tmp_path / "invoices.db"
    rows = ({"id": f"inv-{number:03}", "body": f"Invoice {number}"} for number in range(ROWS))
    list(map_answers(agent_of(), rows, key="id", input="body", ledger=place, concurrency=1, stop_after=None))
    with page_of_file(place) as url:
        for page in watched_page(browser, url, path="/"):
            page.locator("#ledger-groups button").first.click()
            expect(page.locator("#ledger-rows [data-row]")).to_have_count(50)
            words = printed(page, tmp_path / "ledger.pdf")
            assert f"Nobody is at work: {ROWS} rows have ended" in words
            assert "inv-000" in words
            assert "inv-049" in words
            assert "More rows" not in words
