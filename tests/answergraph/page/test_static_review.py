"""A review of doubtful fields: by keyboard alone, nothing chosen beforehand, one send; what does not fit comes back."""

import base64
import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.answergraph.page.conftest import LONGEST_RUN, faults, opened, past, take_picture_in_all_sizes
from tests.answergraph.page.document_graphs import INVOICE
from tests.answergraph.page.test_static_record import asked
from tests.suite.pdf_files import pdf

pytestmark = pytest.mark.browser

SECONDS_A_KEY, SECONDS_A_THOUGHT = 0.28, 6
"""What the keystroke-level model gives a person who types little; a thought is four of its own, for there is a field to read."""
CUT_AND_MARK = "(cut) => [cut, cut.querySelector('mark')].map((each) => each.getBoundingClientRect().toJSON())"
FIELDS = ["number", "supplier.phone", "total", "purchase_order", "note"]


def waiting(page: Page, server: httpx.Client) -> str:
    """Open a run that waits for a review; returns its thread."""
    thread = past(server, "reviewed_invoice", {"input": {"document": INVOICE}})
    opened(page, "reviewed_invoice", thread)
    expect(page.locator(".queue b")).to_have_count(5)
    return thread


def test_a_review_shows_the_doubtful_fields_alone_and_chooses_none(page: Page, server: httpx.Client) -> None:
    waiting(page, server)
    expect(page.get_by_role("heading", level=1)).to_have_text("Waiting for you: 0 of 5 fields decided")
    expect(page.locator(".head .why")).to_contain_text("5 fields could not be settled.")
    assert sorted(page.locator(".queue b").all_inner_texts()) == sorted(FIELDS)
    send = page.get_by_role("button", name="Send 5 decisions")
    expect(send).to_be_disabled()
    expect(page.locator(".reading[data-on]")).to_have_count(0)
    assert faults(page) == []
    # What follows from a reading is shown before it is chosen.
    page.locator(".queue button", has_text="total").press("Enter")
    expect(page.locator(".reading li")).to_have_text("sum(756.0, 294.0, 180.0) = 1230.0, but total is 1231.0")
    # It has the whole pane; the run is one step away, and the review is one tab.
    timeline, decide = page.get_by_role("treegrid"), page.locator(".decide")
    expect(timeline).to_be_hidden()
    expect(page.get_by_role("complementary", name="Graph and details")).to_be_hidden()
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.locator("#interrupts").evaluate("pane => pane.offsetHeight") > 500
        expect(send).to_be_in_viewport()
        page.get_by_role("button", name="See the run").press("Enter")
        expect(timeline).to_be_visible()
        expect(decide).to_be_hidden()
        page.get_by_role("tab", name="To decide 5").press("Enter")
        expect(decide).to_be_visible()


def test_a_person_decides_the_doubtful_fields_by_keyboard_alone(page: Page, server: httpx.Client) -> None:
    thread = waiting(page, server)
    send = page.get_by_role("button", name="Send 5 decisions")
    heading = page.locator(".decide h2")
    heading.focus()
    expect(heading).to_have_text("Field 1 of 5: number")
    page.keyboard.press("t")
    page.keyboard.type("RE-2026-01847")
    page.get_by_role("button", name="Take it").press("Enter")
    expect(heading).to_have_text("Field 2 of 5: supplier.phone")
    expect(heading).to_be_focused()
    page.keyboard.press("x")
    expect(page.locator("#interrupts > [role=status]")).to_contain_text("supplier.phone: left out. Field 3 of 5, total.")
    page.keyboard.press("s")
    expect(heading).to_have_text("Field 4 of 5: purchase_order")
    expect(page.get_by_role("heading", level=1)).to_have_text("Waiting for you: 2 of 5 fields decided")
    expect(page.locator(".boxes [data-on]")).to_have_count(2)
    page.keyboard.press("t")
    page.keyboard.type("77")
    page.get_by_role("button", name="Take it").press("Enter")
    expect(heading).to_have_text("Field 5 of 5: note")
    page.keyboard.press("x")
    expect(heading).to_have_text("Field 3 of 5: total")
    page.keyboard.press("k")
    page.keyboard.press("u")
    expect(page.locator("#interrupts")).to_contain_text("3 of 5 fields decided")
    # What was decided outlives a reload.
    page.reload()
    expect(heading).to_have_text("Field 2 of 5: supplier.phone")
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


def test_five_fields_are_decided_in_less_than_a_minute_at_a_persons_pace(page: Page, server: httpx.Client) -> None:
    thread = waiting(page, server)
    page.evaluate("() => { window.pressed = 0; addEventListener('keydown', () => (window.pressed += 1)); }")
    page.locator(".decide h2").focus()
    page.keyboard.press("t")
    page.keyboard.type("RE-2026-01847\n")
    page.keyboard.press("x")
    page.keyboard.press("t")
    page.keyboard.type("1230\n")
    page.keyboard.press("x")
    page.keyboard.press("x")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Answered", timeout=LONGEST_RUN)
    answer = server.get(f"/threads/{thread}/state").json()["values"]["structured_response"]
    assert [answer["number"], answer["total"], answer["purchase_order"], answer["note"]] == ["RE-2026-01847", 1230, None, None]
    assert page.evaluate("window.pressed") * SECONDS_A_KEY + (len(FIELDS) + 1) * SECONDS_A_THOUGHT < 60


def test_what_may_be_left_out_goes_at_once_and_single_keys_can_be_turned_off(page: Page, server: httpx.Client) -> None:
    thread = waiting(page, server)
    page.get_by_role("button", name="Turn single keys off").press("Enter")
    page.locator(".decide h2").press("s")
    expect(page.locator(".decide h2")).to_have_text("Field 1 of 5: number")
    expect(page.get_by_text("number is required.")).to_be_visible()
    leave = page.get_by_role("button", name=re.compile("out and send"))
    expect(leave).to_have_count(0)
    page.get_by_role("button", name="Turn single keys on").press("Enter")
    for field, value in (("number", "RE-2026-01847"), ("total", "1230")):
        page.locator(".queue button", has_text=field).first.press("Enter")
        page.locator(".typing :is(input, textarea)").fill(value)
        page.keyboard.press("Enter")
    expect(leave).to_have_text("Leave all 3 out and send")
    leave.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Answered", timeout=LONGEST_RUN)
    answer = server.get(f"/threads/{thread}/state").json()["values"]["structured_response"]
    assert [answer["supplier"]["phone"], answer["purchase_order"], answer["note"]] == [None, None, None]


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


def test_two_readings_stand_in_their_pages_and_what_is_typed_is_looked_up(
    page: Page, server: httpx.Client, pictures: Path
) -> None:
    file = base64.b64encode(pdf([["Tools since 1961"], INVOICE.splitlines()])).decode()
    block = {"type": "file", "mime_type": "application/pdf", "base64": file}
    opened(page, "second_opinion", past(server, "second_opinion", asked([block])))
    for value, where in (("RE-2026-01847", "Page 2"), ("1961", "Page 1")):
        reading = page.locator(".reading").filter(has=page.get_by_text(value, exact=True))
        expect(reading.locator(".cut img")).to_have_attribute("src", re.compile("^data:image/png"))
        expect(reading).to_contain_text(where)
        expect(reading.locator("mark").last).to_have_text(value)
        # The marked place lies in the middle of what is cut out of the page.
        cut, mark = reading.locator(".cut").evaluate(CUT_AND_MARK)
        assert cut["left"] <= mark["left"] < mark["right"] <= cut["right"]
        assert cut["top"] <= mark["top"] < mark["bottom"] <= cut["bottom"]
    assert faults(page) == []
    take_picture_in_all_sizes(page, pictures / "page-review.png")
    heading = page.locator(".decide h2")
    heading.focus()
    page.keyboard.press("o")
    expect(page.get_by_role("region", name="Document").locator(".sheet .mark.on")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(page.get_by_role("region", name="Document")).to_be_hidden()
    expect(heading).to_be_focused()
    page.keyboard.press("t")
    page.keyboard.type("Hex key SET")
    page.keyboard.press("Tab")
    expect(page.locator(".typing [role=status]")).to_have_text("It stands in the document: Page 2.")
    page.keyboard.press("Shift+Tab")
    page.keyboard.type("RE-77")
    page.keyboard.press("Tab")
    expect(page.locator(".typing [role=status]")).to_have_text("As typed it stands nowhere; it is kept as given by you.")


def test_when_somebody_else_was_faster_nothing_is_sent(page: Page, server: httpx.Client) -> None:
    thread = waiting(page, server)
    page.get_by_role("button", name="Choose a").click()
    decisions = {"decisions": {"number": {"type": "edit", "value": "RE-2026-01847"}}}
    server.post(
        f"/threads/{thread}/runs/wait", json={"assistant_id": "reviewed_invoice", "command": {"resume": decisions}}
    ).raise_for_status()
    for _ in range(4):
        page.get_by_role("button", name="Choose a").click()
    page.get_by_role("button", name="Send 5 decisions").click()
    expect(page.get_by_role("alert").filter(has_text="another person")).to_have_text(
        re.compile(r"^Decided by another person at \d\d:\d\d\. Nothing of yours was sent\.$")
    )
    page.get_by_role("button", name="Show the run as it is").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Answered")
