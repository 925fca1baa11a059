"""Document and record: what of a record stands in its document, by keyboard, on a phone, and from a saved file."""

import base64
import json
import re
from pathlib import Path
from typing import Annotated, Any

import httpx
import pytest
from langchain_core.messages import AIMessage
from playwright.sync_api import Browser, Page, expect
from pydantic import BaseModel

from answergraph import Grounded
from answergraph.evidence import BUNDLE_KEYS, answer_bundle
from answergraph.graphs import create_extractor
from answergraph.testing import ScriptedChatModel
from tests.answergraph.page.conftest import faults, is_cut_off, opened, past, take_picture_in_all_sizes, until, watched_page
from tests.answergraph.page.document_graphs import INVOICE, LONG, MANY
from tests.suite.page_of_file import page_of_file
from tests.suite.pdf_files import pdf

pytestmark = pytest.mark.browser


def asked(text: Any) -> dict[str, Any]:
    return {"input": {"messages": [{"role": "user", "content": text}]}}


def until_focused(page: Page, name: str) -> None:
    """Wait until the field of this path, or the place with these words, has the focus."""
    focused = "document.activeElement.querySelector('th')?.textContent ?? document.activeElement.textContent"
    until(page, lambda: page.evaluate(focused) == name, f"{name} has the focus")


def test_a_record_and_its_document_are_read_by_keyboard_and_saved_with_the_proofs(
    page: Page, browser: Browser, server: httpx.Client, tmp_path: Path, pictures: Path
) -> None:
    opened(page, "refused_invoice", past(server, "refused_invoice", {"input": {"document": INVOICE}}))
    record = page.get_by_role("tabpanel", name="Document and record")
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "No answer: invalid after 4 attempts: 2 fields stand nowhere in its sources"
    )
    expect(record.locator(".why")).to_have_text(
        "Nowhere: supplier.phone and purchase_order. Of 11 fields 9 hold: 8 stand in the document, 1 is computed from it."
    )
    expect(record.locator(".why")).to_be_in_viewport(ratio=1)
    rows = record.get_by_role("grid", name="Record").locator("> tbody > tr > th")
    expect(rows).to_have_text(["number", "supplier.name", "supplier.phone", "items", "total", "purchase_order"])
    # The gap is the sign: what stands nowhere has no number.
    expect(record.locator(".fieldlist > tbody > tr > .n")).to_have_text(["1", "2", "", "4", "5", ""])
    expect(record.locator(".mark sup")).to_have_text(["2", "1", *["4", "4", "5"] * 3])
    assert faults(page) == []

    record.locator("[data-key][tabindex='0']").focus()
    page.keyboard.press("d")
    until_focused(page, "supplier.phone")
    page.keyboard.press("d")
    until_focused(page, "purchase_order")
    page.keyboard.press("ArrowUp")
    until_focused(page, "total")
    expect(record.locator(".mark.on")).to_have_text(["756.0045", "294.0045", "180.0045"])
    take_picture_in_all_sizes(page, pictures / "page-record.png")
    page.keyboard.press("Enter")
    until_focused(page, "756.0045")
    page.keyboard.press("Escape")
    expect(record.locator("[data-key].on")).to_have_text("756supported")
    page.get_by_role("button", name="To look at 2").press("Enter")
    expect(rows).to_have_text(["supplier.phone", "purchase_order"])
    # The text is shown as text.
    expect(record.locator(".lines")).to_contain_text("<b>Payable</b>")
    expect(record.locator(".mark").first).to_have_text("Brenner & Sohn GmbH2")

    with page.expect_download() as saving:
        page.get_by_role("button", name="Save with proofs").press("Enter")
    file = tmp_path / "proofs.json"
    saving.value.save_as(file)
    assert json.loads(file.read_text())["documents"][0]["text"] == INVOICE
    page.get_by_role("tab", name=re.compile("^Timeline")).press("Enter")
    expect(page.get_by_role("treegrid")).to_be_visible()
    with page_of_file(file) as url:
        for saved in watched_page(browser, url, path="/"):
            expect(saved.get_by_role("heading", level=1)).to_contain_text("2 fields stand nowhere in its sources")
            expect(saved.locator(".mark sup")).to_have_text(["2", "1", *["4", "4", "5"] * 3])
            assert faults(saved) == []


def test_the_pages_of_a_pdf_are_pictures_with_a_box_around_every_place(
    page: Page, browser: Browser, server: httpx.Client, tmp_path: Path, pictures: Path
) -> None:
    file = pdf([["Tools since 1961"], [], INVOICE.splitlines()], hidden=[0])
    block = {"type": "file", "mime_type": "application/pdf", "base64": base64.b64encode(file).decode()}
    opened(page, "refused_invoice", past(server, "refused_invoice", asked([block])))
    document = page.get_by_role("region", name="Document")
    expect(document.get_by_alt_text("Page 3 of 3")).to_be_attached()
    hidden = "Page 1 has text that its picture does not show, as behind a scan."
    expect(document.locator(".note")).to_have_text(
        [hidden, "Page 2 of 3 has no text that could be read: nothing on it was checked."]
    )
    expect(document.locator(".lines")).to_be_hidden()
    assert faults(page) == []

    page.get_by_role("row", name="supplier.name").focus()
    page.keyboard.press("Enter")
    box = document.get_by_role("button", name="place of supplier.name, page 3")
    expect(box).to_be_focused()
    expect(box).to_have_attribute("style", re.compile("left: 1"))
    expect(box).to_be_in_viewport()
    expect(box.locator("sup")).to_have_text("2")
    expect(document.locator(".sheet .mark sup").filter(has_text="4 5")).to_have_count(3)
    where = (
        "({ offsetLeft: x, offsetTop: y, offsetParent: { offsetWidth, offsetHeight } }) => [x / offsetWidth, y / offsetHeight]"
    )
    until(
        page, lambda: [round(part, 1) for part in box.evaluate(where)] == [0.1, 0.1], "it is where the page's first line is drawn"
    )
    box.evaluate("place => place.scrollIntoView({ block: 'center' })")
    take_picture_in_all_sizes(page, pictures / "page-pages.png")
    document.get_by_role("button", name="Text").click()
    expect(document.locator(".lines .mark").filter(has_text="Brenner & Sohn GmbH")).to_be_visible()

    with page.expect_download() as saving:
        page.get_by_role("button", name="Save with proofs").click()
    saving.value.save_as(tmp_path / "proofs.json")
    with page_of_file(tmp_path / "proofs.json") as url:
        for saved in watched_page(browser, url, path="/"):
            expect(saved.get_by_alt_text("Page 3 of 3")).to_have_attribute("src", re.compile("^data:image/png"))
            expect(saved.locator(".doc .note", has_text="Page 2 of 3 has no text")).to_be_visible()
            expect(saved.locator(".doc .note", has_text=hidden)).to_be_visible()
            supplier = saved.get_by_role("button", name="place of supplier.name, page 3")
            expect(supplier).to_have_attribute("style", re.compile("left: 1"))


def test_on_a_phone_a_strip_of_the_page_comes_to_the_field_and_the_page_on_request(page: Page, server: httpx.Client) -> None:
    file = base64.b64encode(pdf([["Tools since 1961"], [], INVOICE.splitlines()])).decode()
    block = {"type": "file", "mime_type": "application/pdf", "base64": file}
    page.set_viewport_size({"width": 390, "height": 844})
    opened(page, "refused_invoice", past(server, "refused_invoice", asked([block])))
    document = page.locator(".doc")
    expect(document.get_by_alt_text("Page 3 of 3")).to_be_attached()
    expect(document).to_be_hidden()
    # The first look finds what stands nowhere.
    expect(page.get_by_role("heading", level=1)).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="To look at 2")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="All 11").click()
    page.get_by_role("row", name="supplier.name").press("Enter")
    strip = page.locator(".place")
    expect(strip.locator(".cut img")).to_have_attribute("src", re.compile("^data:image/png"))
    expect(strip).to_contain_text("Page 3")
    assert faults(page) == []
    page.get_by_role("button", name="Whole page").click()
    box = document.get_by_role("button", name="place of supplier.name, page 3")
    expect(box).to_be_in_viewport()
    box.click()
    expect(document).to_be_hidden()


def test_a_long_list_begins_with_its_doubts_and_a_phone_shows_the_lines_at_the_field(page: Page, server: httpx.Client) -> None:
    opened(page, "parts", past(server, "parts", asked(LONG)))
    table = page.get_by_role("table", name="items")
    expect(page.locator(".fieldlist .hint").first).to_have_text(f"{MANY} rows, {2 * MANY} fields: 119 supported, 1 not found")
    expect(table.locator("tbody tr")).to_have_count(1)
    expect(table.locator("tbody tr")).to_contain_text("40.75: it stands in no source.")
    page.get_by_role("button", name=f"Show all {MANY} rows").click()
    expect(table.locator("tbody tr")).to_have_count(MANY)

    page.set_viewport_size({"width": 390, "height": 800})
    expect(page.get_by_role("region", name="Document")).to_be_hidden()
    table.get_by_text("part-002").click()
    expect(table.locator(".place pre")).to_have_text("part-001 1.50\npart-002 2.50\npart-003 3.50")
    # The emoji before it is one character to Python and two to JavaScript.
    expect(table.locator(".place mark")).to_have_text("part-002")
    assert not is_cut_off(page)
    # What is to be looked at comes first where there is little room.
    page.reload()
    expect(page.get_by_role("button", name="To look at 1")).to_have_attribute("aria-pressed", "true")


def test_what_was_left_out_and_what_cannot_be_read_is_said(page: Page, server: httpx.Client) -> None:
    image = {"type": "image", "mime_type": "image/png", "base64": "iVBORw0KGgo="}
    opened(page, "invoice", past(server, "invoice", asked([{"type": "text", "text": INVOICE}, image])))
    expect(page.get_by_role("heading", level=1)).to_have_text("Answered on the second attempt")
    expect(page.locator(".head .why")).to_contain_text("Of 9 fields 9 hold: 8 stand in the document, 1 is computed from it.")
    expect(page.get_by_role("row", name="purchase_order")).to_contain_text("no value")
    expect(page.locator(".doc .note")).to_have_text("Beside the text there is image/png: what is on it cannot be shown here.")
    page.get_by_role("button", name="derived 1").press("Enter")
    expect(page.locator(".fieldlist > tbody > tr > th")).to_have_text(["total"])
    # Of many fields that stand nowhere three are named.
    fields = [{"path": path, "status": "not_found"} for path in "abcde"]
    said = page.evaluate("async (fields) => (await import('./coverage.js')).coverageOf(fields)", fields)
    assert said == "Nowhere: a, b, c and 2 more. Of 5 fields 0 hold."
    many = [{"path": str(number), "status": "supported"} for number in range(1990)]
    said = page.evaluate("async (fields) => (await import('./coverage.js')).coverageOf(fields)", many)
    assert said == "Of 1 990 fields 1 990 hold: 1 990 stand in the document."


@pytest.mark.parametrize(("schema", "reply", "value"), [(int, "20", "20"), (str, '"twenty pens"', "twenty pens")])
def test_an_answer_without_fields_is_one_row(browser: Browser, tmp_path: Path, schema: Any, reply: str, value: str) -> None:
    extractor = create_extractor(ScriptedChatModel(replies=[reply]), schema)
    result = extractor.invoke({"document": "20 or twenty pens"}, output_keys=BUNDLE_KEYS)
    file = tmp_path / "answer.json"
    file.write_text(json.dumps(answer_bundle(result)))
    with page_of_file(file) as url:
        for saved in watched_page(browser, url, path="/"):
            expect(saved.get_by_role("row", name="whole answer")).to_contain_text(f"{value}supported")
            expect(saved.locator(".mark")).to_have_text(f"{value}1")
            assert faults(saved) == []


def test_a_record_without_values_does_not_say_that_nothing_checks_it(page: Page) -> None:
    run = {"status": "ended", "outcome": {"status": "answered", "fields": {}, "attempts": []}}
    head = page.evaluate("async (run) => (await import('./outcome_words.js')).headOf(run)", run)
    assert head["why"] == ["No field was checked: the answer has no values, or the agent has no check of evidence."]


class Statement(BaseModel):
    """What is to be paid."""

    total: Annotated[float, Grounded(label="total")]


def test_a_field_in_doubt_shows_the_other_values_of_its_label(page: Page, browser: Browser, tmp_path: Path) -> None:
    reply = AIMessage("", tool_calls=[{"name": "Statement", "args": {"total": 5}, "id": "1"}])
    extractor = create_extractor(ScriptedChatModel(replies=[reply]), Statement)
    file = tmp_path / "answer.json"
    document = "Page 1\nTotal: 7.00\nPage 2\nTotal: 5.00"
    file.write_text(json.dumps(answer_bundle(extractor.invoke({"document": document}, output_keys=BUNDLE_KEYS))))
    with page_of_file(file) as url:
        for saved in watched_page(browser, url, path="/"):
            row = saved.get_by_role("row", name="total")
            expect(row).to_contain_text("ambiguous")
            expect(row.locator(".note")).to_have_text("In doubt, since its label has another value too: Total: 7.00")
            expect(saved.get_by_role("button", name="7.00, another value of total, line 2")).to_be_visible()
            row.focus()
            saved.keyboard.press("Enter")
            # The place of the value itself, not the first in the document.
            expect(saved.get_by_role("button", name="5.00, place of total, line 4")).to_be_focused()
            assert faults(saved) == []
