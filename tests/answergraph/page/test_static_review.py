"""A review of doubtful fields: by keyboard alone, nothing chosen beforehand, one send; what does not fit comes back."""

from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.answergraph.page.conftest import LONGEST_RUN, faults, opened, past, take_picture
from tests.answergraph.page.document_graphs import INVOICE

pytestmark = pytest.mark.browser

FIELDS = ["number", "supplier.phone", "total", "purchase_order"]


def waiting(page: Page, server: httpx.Client) -> str:
    """Open a run that waits for a review; returns its thread."""
    thread = past(server, "reviewed_invoice", {"input": {"document": INVOICE}})
    opened(page, "reviewed_invoice", thread)
    expect(page.locator(".queue b")).to_have_count(4)
    return thread


def test_a_review_shows_the_doubtful_fields_alone_and_chooses_none(page: Page, server: httpx.Client, pictures: Path) -> None:
    waiting(page, server)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Waiting for you")
    expect(page.locator(".head .why")).to_contain_text("4 fields could not be settled.")
    assert sorted(page.locator(".queue b").all_inner_texts()) == sorted(FIELDS)
    send = page.get_by_role("button", name="Send 4 decisions")
    expect(send).to_be_disabled()
    expect(page.locator(".reading[data-on]")).to_have_count(0)
    assert faults(page) == []

    take_picture(page, pictures / "page-review.png")


def test_a_person_decides_the_doubtful_fields_by_keyboard_alone(page: Page, server: httpx.Client) -> None:
    thread = waiting(page, server)
    send = page.get_by_role("button", name="Send 4 decisions")
    heading = page.locator(".decide h2")
    heading.focus()
    expect(heading).to_have_text("Field 1 of 4: number")
    page.keyboard.press("t")
    page.keyboard.type("RE-2026-01847")
    page.get_by_role("button", name="Take it").press("Enter")
    expect(heading).to_have_text("Field 2 of 4: supplier.phone")
    expect(heading).to_be_focused()
    page.keyboard.press("x")
    expect(page.locator("#interrupts [role=status]")).to_contain_text("supplier.phone: left out. Field 3 of 4, total.")
    page.keyboard.press("s")
    expect(heading).to_have_text("Field 4 of 4: purchase_order")
    page.keyboard.press("t")
    page.keyboard.type("77")
    page.get_by_role("button", name="Take it").press("Enter")
    expect(heading).to_have_text("Field 3 of 4: total")
    page.keyboard.press("k")
    page.keyboard.press("u")
    expect(page.locator("#interrupts")).to_contain_text("2 of 4 fields decided")
    # What was decided outlives a reload.
    page.reload()
    expect(heading).to_have_text("Field 2 of 4: supplier.phone")
    heading.focus()
    page.keyboard.press("x")
    page.keyboard.press("t")
    page.keyboard.type("1230")
    page.get_by_role("button", name="Take it").press("Enter")
    expect(send).to_be_enabled()
    page.keyboard.press("Control+Enter")
    # What does not fit comes back at its field, and the others stand.
    expect(heading).to_have_text("Field 1 of 1: purchase_order", timeout=LONGEST_RUN)
    expect(page.locator(".decide > .problem")).to_contain_text("pattern")
    heading.focus()
    page.keyboard.press("a")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Answered", timeout=LONGEST_RUN)
    outcome = server.get(f"/threads/{thread}/state").json()["values"]["outcome"]
    assert outcome["status"] == "answered"
    assert {path: outcome["fields"][path]["accepted_by"] for path in ("number", "purchase_order")} == {
        "number": "person",
        "purchase_order": "person",
    }
    expect(page.locator(".fieldlist")).to_contain_text("given")


def test_a_person_decides_between_the_readings_of_an_ensemble(page: Page, server: httpx.Client) -> None:
    thread = past(server, "second_opinion", {"input": {"document": INVOICE}})
    opened(page, "second_opinion", thread)
    expect(page.locator(".queue b")).to_have_text(["number"])
    expect(page.locator(".reading[data-on]")).to_have_count(0)
    readings = page.locator(".reading .value")
    expect(readings.filter(has_text="RE-2026-01847")).to_have_count(1)
    heading = page.locator(".decide h2")
    heading.focus()
    chosen = "ab"[readings.all_inner_texts().index("RE-2026-01847")]
    page.keyboard.press(chosen)
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Answered", timeout=LONGEST_RUN)
    values = server.get(f"/threads/{thread}/state").json()["values"]
    assert values["structured_response"]["number"] == "RE-2026-01847"
    assert values["outcome"]["fields"]["number"]["accepted_by"] == "person"


def test_when_somebody_else_was_faster_nothing_is_sent(page: Page, server: httpx.Client) -> None:
    thread = waiting(page, server)
    page.get_by_role("button", name="Choose a").click()
    decisions = {"decisions": {"number": {"type": "edit", "value": "RE-2026-01847"}}}
    server.post(
        f"/threads/{thread}/runs/wait", json={"assistant_id": "reviewed_invoice", "command": {"resume": decisions}}
    ).raise_for_status()
    for _ in range(3):
        page.get_by_role("button", name="Choose a").click()
    page.get_by_role("button", name="Send 4 decisions").click()
    expect(page.get_by_role("alert").filter(has_text="Somebody else")).to_have_text(
        "Somebody else has decided meanwhile. Nothing of yours was sent."
    )
    page.get_by_role("button", name="Show the run as it is").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Answered")
