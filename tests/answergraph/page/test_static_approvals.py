"""A person answers the questions of a run in a browser: approvals, edits by form, reasons, several at once."""

import json
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.answergraph.page.conftest import choose, drawn_texts, ended, is_cut_off

pytestmark = pytest.mark.browser


def asked(page: Page, graph: str, text: str = "Hello.") -> Locator:
    """Run until the run waits for a person; return the open decisions."""
    choose(page, graph)
    page.get_by_label("Message", exact=True).fill(text)
    page.keyboard.press("Control+Enter")
    assert ended(page) == "The run waits for you."
    return page.locator(".interrupt")


def decide(card: Locator, decision: str) -> None:
    card.get_by_role("radio", name=decision, exact=True).check()


def send(page: Page) -> None:
    page.locator("#interrupts").get_by_role("button", name="Send").click()
    page.wait_for_selector("#interrupts", state="hidden")


def results(page: Page) -> list[str]:
    """Return the texts that the model reads instead of the tools' results, at the end of the run."""
    assert ended(page).startswith("The run has ended")
    page.get_by_role("tab", name="Messages").click()
    return drawn_texts(page.locator(".message[data-type=tool] .body"))


def test_an_approval_is_sent_only_when_it_is_decided(page: Page) -> None:
    card = asked(page, "approval", "3 + 4 * 2")
    expect(page.get_by_role("heading", name="1 call waits for your decision")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(r"^Waiting for you since \d\d:\d\d$"))
    expect(page.get_by_label("Message", exact=True)).to_be_hidden()
    page.get_by_role("button", name="Send", exact=True).click()
    expect(card.get_by_role("radio", name="Approve")).to_be_focused()
    decide(card, "Approve")
    send(page)
    ended(page)
    expect(page.locator(".answer").get_by_role("row", name="final_answer")).to_contain_text("11")
    expect(page.get_by_label("Message", exact=True)).to_be_visible()


@pytest.mark.parametrize("graph", ["booking", "booking_each"])
def test_arguments_are_edited_in_a_form_and_what_nobody_touches_stays(page: Page, graph: str) -> None:
    rome, oslo = asked(page, graph).all()
    decide(rome, "Edit")
    rome.get_by_label("nights").fill("4")
    expect(rome.get_by_text("was 3")).to_be_visible()
    rome.get_by_role("textbox", name="extras 1").fill("bath tub")
    rome.get_by_role("button", name="Add to extras").click()
    expect(rome.get_by_role("textbox", name="extras 2")).to_be_focused()
    page.keyboard.type("view")
    decide(oslo, "Edit")
    oslo.get_by_label("city").fill("Bergen")
    oslo.get_by_label("quiet").select_option("false")
    send(page)
    told = results(page)
    assert "Booked: Rome, 4 nights, quiet False, extras ['bath tub', 'view']." in told[0]
    assert "Booked: Bergen, 2 nights, quiet False, extras None." in told[1]


@pytest.mark.parametrize("graph", ["booking", "booking_each"])
def test_one_is_rejected_with_a_reason_and_one_answered_in_the_tools_place(page: Page, graph: str) -> None:
    rome, oslo = asked(page, graph).all()
    decide(rome, "Reject")
    rome.get_by_label("Why (the model reads it)").fill("Too hot.")
    decide(rome, "Approve")
    decide(rome, "Reject")
    expect(rome.get_by_label("Why (the model reads it)")).to_have_value("Too hot.")
    expect(page.get_by_text("1 of 2 not decided yet.")).to_be_visible()
    decide(oslo, "Respond")
    page.get_by_role("button", name="Send 2 decisions").click()
    expect(oslo.get_by_label("Answer in the tool's place")).to_be_focused()
    oslo.get_by_label("Answer in the tool's place").fill("Your aunt has a bed.")
    send(page)
    told = results(page)
    assert "Too hot." in told[0]
    assert "Booked" not in "".join(told)
    assert told[1] == "Your aunt has a bed."


def test_all_are_approved_by_one_click_and_sent_by_another(page: Page) -> None:
    asked(page, "booking")
    page.get_by_role("button", name="Approve all").click()
    send(page)
    assert ["Booked: Rome, 3" in results(page)[0], "Booked: Oslo, 2" in results(page)[1]] == [True, True]


def test_what_was_decided_stays_when_it_cannot_be_sent(page: Page) -> None:
    rome, oslo = asked(page, "booking").all()
    decide(rome, "Approve")
    decide(oslo, "Reject")
    oslo.get_by_label("Why (the model reads it)").fill("Too cold.")
    page.route("**/runs", lambda route: route.fulfill(body=""))
    page.get_by_role("button", name="Send 2 decisions").click()
    expect(page.locator("#notice")).to_contain_text("Your decision was not sent. The server does not answer.")
    page.unroute_all()
    expect(oslo.get_by_label("Why (the model reads it)")).to_have_value("Too cold.")
    send(page)
    assert "Too cold." in "".join(results(page))


def test_the_words_of_the_agent_inbox_are_read_and_answered(page: Page) -> None:
    rome, oslo, bonn, nice = asked(page, "inbox").all()
    decide(rome, "Approve")
    decide(oslo, "Edit")
    oslo.get_by_label("nights").fill("5")
    decide(bonn, "Respond")
    bonn.get_by_label("Answer in the tool's place").fill("Full.")
    decide(nice, "Ignore")
    send(page)
    ended(page)
    page.get_by_role("tab", name="Messages").click()
    assert json.loads(*drawn_texts(page.locator(".message[data-type=ai] .body"))) == [
        {"type": "accept", "args": None},
        {"type": "edit", "args": {"action": "book", "args": {"city": "Oslo", "nights": 5}}},
        {"type": "response", "args": "Full."},
        {"type": "ignore", "args": None},
    ]


@pytest.mark.parametrize("graph", ["booking", "inbox"])
def test_the_button_that_sends_is_in_sight_however_much_is_to_be_decided(page: Page, graph: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    cards = asked(page, graph)
    send = page.locator("#interrupts").get_by_role("button", name="Send")
    expect(send).to_be_in_viewport(ratio=1)
    cards.last.scroll_into_view_if_needed()
    expect(cards.last.get_by_role("radio").last).to_be_in_viewport(ratio=1)
    expect(send).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_form_and_the_dialog_are_accessible_at_every_size(page: Page, theme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page.get_by_label("Colours").select_option(theme)
    cards = asked(page, "booking_each").all()
    for card, decision in zip(cards, ("Edit", "Respond"), strict=True):
        decide(card, decision)
    for is_dialog in (False, True):
        if is_dialog:
            page.evaluate("document.querySelector('#token').showModal()")
            expect(page.get_by_role("dialog", name="This server asks for a token")).to_be_visible()
        for width, height in ((1440, 900), (1024, 768), (390, 844)):
            page.set_viewport_size({"width": width, "height": height})
            found = axe.run(page, options={"resultTypes": ["violations"]}).response["violations"]
            assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found] == []
            assert not is_cut_off(page)


@pytest.mark.parametrize(("answer", "said"), [("Yes", "True"), ("No", "False")])
def test_a_question_is_answered_with_yes_or_no(page: Page, answer: str, said: str) -> None:
    card = asked(page, "question")
    expect(card).to_contain_text("Shall I?")
    decide(card, answer)
    send(page)
    expect(page.locator(".message[data-type=ai]")).to_contain_text(f"You said {said}.")


def test_two_questions_are_answered_at_once_by_form_and_in_words_after_a_reload(page: Page) -> None:
    asked(page, "poll")
    page.reload()
    page.wait_for_selector("body[data-ready]")
    cards = page.locator(".interrupt")
    when = cards.filter(has_text="When?")
    when.get_by_label("day").select_option("Friday")
    when.get_by_label("guests").fill("7")
    free = cards.filter(has_text="And else?")
    decide(free, "Answer in words or JSON")
    free.get_by_label("Your answer").fill("perhaps")
    send(page)
    ended(page)
    page.get_by_role("tab", name="Messages").click()
    told = drawn_texts(page.locator(".message[data-type=ai] .body"))
    assert sorted(map(json.loads, told), key=str) == ["perhaps", {"day": "Friday", "guests": 7}]


def test_the_result_of_a_call_that_is_carried_out_elsewhere_is_given_in_a_form(page: Page) -> None:
    choose(page, "elsewhere")
    page.get_by_label("Message", exact=True).fill("(2 + 3) × 4")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="The run waits for results from elsewhere")).to_be_visible()
    expect(page.locator(".step", has_text="waits for the result of multiply")).to_be_visible()
    expect(page.get_by_label("Message", exact=True)).to_be_visible()
    page.get_by_label("Result of multiply").fill("20")
    send(page)
    assert ended(page) == "The run has ended: answered."
    expect(page.locator(".answer").get_by_role("row", name="final_answer")).to_contain_text("20")
