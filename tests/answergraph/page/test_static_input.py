"""The input of a run: forms made from JSON Schemas, checked before anything is sent."""

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.answergraph.page.conftest import choose, ended

pytestmark = pytest.mark.browser


def echo(page: Page) -> tuple[str, object]:
    page.get_by_role("button", name="Run", exact=True).click()
    ended(page)
    city, _, context = (page.locator(".message .body").last.text_content() or "").partition(": ")
    return city, json.loads(context)


def test_an_input_without_messages_is_a_form(page: Page) -> None:
    choose(page, "form")
    expect(page.get_by_label("Message", exact=True)).to_be_hidden()
    page.get_by_label("city").fill("Paris")
    assert echo(page) == ("Paris", {"word": "hello", "number": 3, "color": "red", "loud": False, "extra": None})


def test_a_graph_that_declares_no_input_says_that_its_nodes_write_some_of_the_keys(page: Page) -> None:
    choose(page, "reporting")
    expect(page.locator("#bare-input .hint").first).to_have_text(
        "The graph declares no input of its own: these are all keys of its state. "
        "Leave empty what its nodes write, as report, which it gives back."
    )
    choose(page, "plain")
    page.get_by_text("More input, all of it optional").click()
    expect(page.locator("#input-form .hint").first).to_have_text(re.compile("Leave empty what its nodes write.$"))
    expect(page.locator("#bare-input .hint")).to_have_count(0)
    choose(page, "form")
    expect(page.locator("#bare-input")).not_to_contain_text("declares no input")


def test_every_kind_of_field_of_the_context_reaches_the_run(page: Page) -> None:
    choose(page, "form")
    page.get_by_label("city").fill("Paris")
    page.get_by_text("Context", exact=True).click()
    page.get_by_label("Word").fill("bye")
    page.get_by_label("Number").fill("7")
    page.get_by_label("Color").select_option(label="green")
    page.get_by_label("Loud").select_option(label="true")
    page.get_by_label("Extra").fill('{"deep": [1]}')
    assert echo(page) == ("Paris", {"word": "bye", "number": 7, "color": "green", "loud": True, "extra": {"deep": [1]}})


def ordered(page: Page) -> object:
    page.get_by_role("button", name="Run", exact=True).click()
    ended(page)
    return json.loads(page.locator(".message .body").last.text_content() or "")


def test_objects_and_lists_of_an_input_are_asked_for_by_their_fields(page: Page) -> None:
    choose(page, "ordering")
    customer = page.get_by_role("group", name="Customer", exact=True)
    expect(customer).to_have_accessible_description("Who ordered.")
    customer.get_by_label("Name").fill("Ada")
    address = customer.get_by_role("group", name="Address")
    address.get_by_label("Street").fill("Main Street")
    address.get_by_label("Number").fill("7")
    for name in ("bolt", "nut", "ring"):
        page.get_by_role("button", name="Add to articles").click()
        page.keyboard.type(name)
    page.get_by_role("group", name="articles 2").get_by_label("Count").fill("12")
    page.get_by_role("button", name="Remove articles 3").click()
    page.get_by_role("button", name="Add to tags").click()
    page.keyboard.type("urgent")
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    assert [fault["id"] for fault in axe.run(page).response["violations"]] == []
    assert ordered(page) == {
        "customer": {"name": "Ada", "address": {"street": "Main Street", "number": 7}},
        "articles": [{"article": "bolt"}, {"article": "nut", "count": 12}],
        "tags": ["urgent"],
    }


def test_what_a_nested_field_cannot_hold_is_not_sent_and_an_empty_group_is_left_out(page: Page) -> None:
    choose(page, "ordering")
    page.get_by_role("button", name="Add to articles").click()
    page.keyboard.type("bolt")
    page.get_by_label("Count").fill("0")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_label("Count")).to_be_focused()
    expect(page.locator(".message")).to_have_count(0)
    page.get_by_label("Count").fill("2")
    assert ordered(page) == {"articles": [{"article": "bolt", "count": 2}]}


@pytest.mark.parametrize(("field", "filled"), [("Number", "77"), ("Extra", "{")])
def test_what_the_schema_forbids_is_not_sent(page: Page, field: str, filled: str) -> None:
    choose(page, "form")
    page.get_by_label("city").fill("Paris")
    page.get_by_text("Context", exact=True).click()
    page.get_by_label(field).fill(filled)
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_label(field)).to_be_focused()
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_enabled()
    expect(page.locator(".message")).to_have_count(0)


def test_a_field_says_what_it_is_for_and_what_holds_without_it(page: Page) -> None:
    choose(page, "agent")
    page.get_by_text("Context", exact=True).click()
    model = page.get_by_label("Model", exact=True)
    expect(model).to_have_attribute("placeholder", '"offline"')
    expect(model).to_have_accessible_description(
        "The chat model: 'openai:NAME', 'provider:NAME', or 'offline', a set of rules for "
        "arithmetic that needs no key and is not a language model."
    )


def test_the_context_form_gives_the_general_agent_a_schema(page: Page) -> None:
    choose(page, "agent")
    page.get_by_label("Message", exact=True).fill("3 + 4")
    page.get_by_text("Context", exact=True).click()
    schema = {"title": "Sum", "type": "object", "properties": {"final_answer": {"type": "number"}}, "required": ["final_answer"]}
    page.get_by_label("Response Format").fill(json.dumps(schema))
    page.get_by_role("button", name="Run", exact=True).click()
    assert ended(page) == "The run has ended: answered."
    expect(page.locator(".answer tr", has_text="final_answer")).to_contain_text("7")


def test_limits_are_given_for_a_run_and_the_head_says_which_one_ended_it(page: Page) -> None:
    choose(page, "agent")
    page.get_by_label("Message", exact=True).fill("1 + 2 + 3 + 4")
    page.get_by_text("Context", exact=True).click()
    page.get_by_label("Max Model Calls").fill("2")
    page.get_by_label("Max Seconds").fill("600")
    page.get_by_role("button", name="Run", exact=True).click()
    assert ended(page) == "The run has ended: out_of_budget."
    head = page.get_by_role("region", name="Outcome")
    expect(head.get_by_role("heading", level=1)).to_contain_text("out of budget")
    expect(head.locator(".why")).to_contain_text("2 of 2 model calls")
    expect(head.locator(".usage [data-limit]")).to_have_text("2 of 2 model calls: the limit")
    expect(head.locator(".usage")).to_contain_text("of 10 min 0 s")


def test_an_error_of_the_run_is_shown(page: Page) -> None:
    choose(page, "agent")
    page.get_by_label("Message", exact=True).fill("3 + 4")
    page.get_by_text("Context", exact=True).click()
    page.get_by_label("Model", exact=True).fill("nope")
    page.get_by_role("button", name="Run", exact=True).click()
    assert ended(page) == "The run failed."
    expect(page.get_by_role("region", name="Outcome")).to_contain_text("Model 'nope' cannot be used")
