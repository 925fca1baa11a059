"""The results of runs without an answer: a judgment, a workflow's transitions, a triage of a wrong folder, a waiting run."""

import json
import re

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.answergraph.page.conftest import GO, choose, ended, opened, past

pytestmark = pytest.mark.browser


def run(page: Page, graph: str, field: str, value: str) -> None:
    choose(page, graph)
    more = page.get_by_text("More input, all of it optional")
    if more.is_visible():
        more.click()
    page.get_by_label(field, exact=True).fill(value)
    page.get_by_role("button", name="Run", exact=True).click()
    assert ended(page) == "The run has ended."


def test_a_judge_shows_the_rule_that_holds_and_what_each_stage_said(page: Page) -> None:
    run(page, "judge", "Report", "The work is approved.")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ended: approved")
    expect(page.locator("#left tr", has_text="structured_output")).to_contain_text("matched")
    box = page.locator("#left th", has_text="reason").bounding_box()
    assert box
    assert box["width"] > 80, "its words are not broken into letters"


def test_a_workflow_shows_how_it_ended_and_each_transition_as_a_row(page: Page) -> None:
    run(page, "workflow", "Facts", json.dumps({"fault": "misspelt_name", "seed": 4}))
    expect(page.get_by_role("heading", level=1)).to_have_text("Ended: COMPLETE")
    row = page.locator("#left tr", has_text="review").last
    expect(row).to_contain_text("approved")
    judge = page.locator(".step", has_text="review.judge").last
    expect(judge).to_contain_text("approved → COMPLETE")
    judge.press("ArrowRight")
    stage = page.locator(".step[data-depth='1']", has_text="structured_output")
    expect(stage).to_contain_text(re.compile("matched: .*approved"))
    expect(stage.locator(".tokens")).to_have_text(re.compile(r"\d"))


def test_a_triage_of_another_folder_says_why_there_is_nothing(page: Page) -> None:
    run(page, "triage", "Folder", "/etc")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ended: 1 problem")
    expect(page.locator(".why").first).to_have_text("'/etc' is not below the folder this triage may look into.")


def test_a_failed_run_says_what_was_raised_and_says_it_once(page: Page) -> None:
    choose(page, "broken")
    page.get_by_label("Message", exact=True).fill("Go.")
    page.get_by_role("button", name="Run", exact=True).click()
    assert ended(page) == "The run failed."
    expect(page.get_by_role("heading", level=1)).to_have_text("Failed in call, step 1")
    expect(page.locator(".why").first).to_contain_text("no route to the wiki")
    expect(page.locator("#error")).to_be_hidden()


def test_a_run_that_the_server_has_not_begun_is_queued_until_it_begins(page: Page) -> None:
    thread, first, waiting = page.evaluate(
        """async () => {
            const send = (path, body) => fetch(`../${path}`, { method: "POST", headers: { "content-type": "application/json" },
                body: JSON.stringify(body) }).then((found) => found.json());
            const { thread_id: thread } = await send("threads", {});
            const request = { assistant_id: "pause", input: { messages: [] }, multitask_strategy: "enqueue" };
            const runs = [await send(`threads/${thread}/runs`, request), await send(`threads/${thread}/runs`, request)];
            return [thread, ...runs.map((run) => run.run_id)];
        }"""
    )
    page.evaluate("(hash) => { location.hash = hash; }", f"assistant=pause&thread={thread}&run={waiting}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Queued")
    page.evaluate("(path) => fetch(`../${path}`, { method: 'POST' })", f"threads/{thread}/runs/{first}/cancel?action=interrupt")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Running")
    page.get_by_role("button", name="Stop", exact=True).click()
    assert ended(page) == "The run was stopped."


def test_the_answer_of_langchains_agent_is_shown_as_an_answer(page: Page, server: httpx.Client) -> None:
    opened(page, "langchain_answer", past(server, "langchain_answer", {"input": GO}))
    expect(page.get_by_role("heading", level=1)).to_have_text("Answered")
    expect(page.locator(".head .why")).to_contain_text("The graph keeps no record of its attempts")
    expect(page.locator(".answer").get_by_role("row", name="megabytes")).to_contain_text("256")
    expect(page.locator(".step")).to_contain_text("answers with Limit")


def test_what_a_plain_graph_declares_as_its_output_comes_first(page: Page, server: httpx.Client) -> None:
    opened(page, "reporting", past(server, "reporting", {"input": {"topic": "memory"}}))
    expect(page.locator("#left section").first).to_contain_text("256 MB is enough.")
    expect(page.locator("#left h2")).to_have_text(["Output", "The rest of the state"])


def test_a_run_without_messages_says_so_and_offers_no_search(page: Page, server: httpx.Client) -> None:
    opened(page, "reporting", past(server, "reporting", {"input": {"topic": "memory"}}))
    page.get_by_role("tab", name="Messages").click()
    messages = page.get_by_role("tabpanel", name="Messages")
    expect(messages).to_have_text("No messages.", use_inner_text=True)
    expect(messages.get_by_role("searchbox")).to_be_hidden()
    opened(page, "plain", past(server, "plain", {"input": GO}), tab="messages")
    expect(messages.get_by_role("searchbox")).to_be_visible()
    expect(messages.get_by_text("No messages.")).to_be_hidden()


def test_the_sentence_of_the_head_is_whole(page: Page, server: httpx.Client) -> None:
    opened(page, "rejected", past(server, "rejected", {"input": GO}))
    expect(page.locator(".head .why")).to_contain_text("quotes[0]")
    assert "…" not in page.locator(".head .why").inner_text()
