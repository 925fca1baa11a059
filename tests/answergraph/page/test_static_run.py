"""Runs, watched in a browser: the calculator, an answer with evidence, a stop."""

import pytest
from playwright.sync_api import Page, expect

from tests.answergraph.page.conftest import choose, ended
from tests.answergraph.page.test_static_views import run
from tests.answergraph.page.watched_graphs import LOG, QUOTE

pytestmark = pytest.mark.browser


def test_a_graph_is_drawn_with_its_reasons_on_the_edges(page: Page) -> None:
    choose(page, "calculator")
    drawing = page.locator("#drawing")
    for word in ("model", "tools", "structured_response", "call_tools", "read_answer", "ask_again", "finish"):
        expect(drawing.locator("text", has_text=word).first).to_be_visible()
    page.get_by_text("The edges in words").click()
    expect(page.locator("#edges").get_by_text("model → tools: call_tools", exact=True)).to_be_visible()


def test_the_calculator_runs_and_its_answer_is_shown_with_its_outcome(page: Page) -> None:
    choose(page, "calculator")
    page.get_by_label("Message", exact=True).fill("(17 × 23) + (89 ÷ 4) - 156")
    page.get_by_role("button", name="Run", exact=True).click()
    assert ended(page) == "The run has ended: answered."
    answer = page.locator(".answer")
    expect(answer.get_by_role("row", name="final_answer")).to_contain_text("257.25")
    expect(answer.get_by_role("columnheader", name="Attempt 1")).to_have_text("Attempt 1 accepted")
    expect(page.locator(".message[data-type=human]")).to_contain_text("(17 × 23)")
    labels = page.locator(".message[data-type=tool]").evaluate_all("all => all.map(each => each.ariaLabel)")
    tools = [label.removesuffix(", result") for label in labels]
    assert tools == ["multiply", "divide", "add", "subtract", "validate_calculation", "Calculation"]
    expect(page.locator("[data-node=model]")).to_have_text("model × 6")
    expect(page.locator("#drawing g.node.done")).to_have_count(3)


def test_nodes_light_up_and_the_answer_grows_while_the_model_writes(page: Page) -> None:
    choose(page, "grounded")
    page.evaluate(
        """() => {
            window.seen = [];
            const look = () => window.seen.push([
                document.querySelectorAll("#drawing g.node.running").length,
                [...document.querySelectorAll(".answer.growing th")].find(({textContent}) => textContent === "why")
                    ?.nextSibling.textContent ?? "",
                document.querySelector(".message .badge[data-status=growing]") !== null,
            ]);
            new MutationObserver(look).observe(document.body, {subtree: true, childList: true, attributes: true});
        }"""
    )
    page.get_by_label("Message", exact=True).fill("Is it real?")
    page.keyboard.press("Control+Enter")
    assert ended(page) == "The run has ended: answered."
    expect(page.locator(".badge[data-status=growing]")).to_have_count(0)
    seen = page.evaluate("window.seen")
    assert any(lit == 1 for lit, _, _ in seen)
    assert any(writing for _, _, writing in seen)
    whys = {why for _, why, _ in seen if why}
    assert len(whys) > 3, "the answer is seen in several lengths"
    assert len({max(whys, key=len).startswith(why) for why in whys}) == 1


def test_a_click_on_evidence_shows_it_in_the_tool_result(page: Page) -> None:
    choose(page, "grounded")
    page.get_by_label("Message", exact=True).fill("Is it real?")
    page.keyboard.press("Control+Enter")
    ended(page)
    expect(page.locator(".answer thead th")).to_have_text(["Field", "Attempt 1 sent back", "Attempt 2 accepted"])
    expect(page.locator(".answer tr", has_text="why").locator(".unmarked")).to_have_text("not checked")
    piece = page.get_by_role("button", name="Evidence for quotes[0]: read_log, line 2")
    piece.click()
    expect(piece).to_have_attribute("aria-expanded", "true")
    source = page.get_by_role("region", name="Evidence for quotes[0]")
    expect(source).to_be_focused()
    assert source.locator("mark").inner_text() == QUOTE
    assert source.locator("li").all_text_contents() == LOG.split("\n")
    source.get_by_role("button", name="Go to the message").click()
    expect(page.locator(".message:focus")).to_contain_text("12:03 INFO the build began")


def test_a_run_can_be_stopped(page: Page) -> None:
    choose(page, "pause")
    page.get_by_label("Message", exact=True).fill("Wait.")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#drawing g.node.running")).to_have_count(1)
    page.get_by_role("button", name="Stop", exact=True).click()
    assert ended(page) == "The run was stopped."
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_enabled()
    expect(page.locator("#drawing g.node.running")).to_have_count(0)
    expect(page.locator(".step")).to_contain_text("stopped here")
    page.reload()
    expect(page.locator(".step")).to_contain_text("stopped here")


def test_beside_the_graph_steps_and_attempts_are_as_readable_as_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 820, "height": 1180})
    run(page, "grounded")
    expect(page.get_by_role("columnheader", name="Attempt 2 accepted")).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="Attempt 1").click()
    expect(page.locator(".answer td[data-tone=no]")).to_be_in_viewport(ratio=1)
    what = page.locator(".step .what").first.bounding_box()
    assert what
    assert what["width"] > 200
