"""The answer of a run as a table: what supports each field, and what makes it doubtful."""

import json
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage
from playwright.sync_api import Page, expect
from pydantic import BaseModel

from answergraph import Grounded, create_agent
from answergraph.middleware import GroundedAnswer
from answergraph.testing import ScriptedChatModel

pytestmark = pytest.mark.browser

SHOW = """async ({values, text}) => {
    const { AnswerView } = await import('./answer_view.js');
    const place = document.body.appendChild(document.createElement("section"));
    place.id = "shown";
    const view = new AnswerView(place, () => ({ tool: "read_pages", text }), ({ title, start, end }) => {
        place.dataset.opened = `${title}: ${text.slice(start, end)}`;
    }, () => {});
    view.show({ values, messages: [], growing: [], status: "ended" }, new Map());
}"""


class Statement(BaseModel):
    """What is to be paid."""

    total: Annotated[float, Grounded(label="total")]


PAGES = "Page 1\nTotal: 7.00\nPage 2\nTotal: 5.00"


def read_pages() -> str:
    """Read the pages."""
    return PAGES


def test_a_field_in_doubt_says_so_and_shows_the_other_values_of_its_label(page: Page) -> None:
    calls: list[dict[str, Any]] = [{"name": "read_pages", "args": {}}, {"name": "Statement", "args": {"total": 5}}]
    model = ScriptedChatModel(replies=[AIMessage("", tool_calls=[{**call, "id": call["name"]}]) for call in calls])
    agent = create_agent(model, [read_pages], response_format=Statement, middleware=[GroundedAnswer(sources=["read_pages"])])
    result = agent.invoke({"messages": "What is to be paid?"})
    values = {"structured_response": {"total": 5}, "outcome": json.loads(json.dumps(result["outcome"]))}
    page.evaluate(SHOW, {"values": values, "text": PAGES})
    shown = page.locator("#shown")
    row = shown.get_by_role("row", name="total")
    expect(row.locator(".unmarked")).to_have_text("ambiguous: it may be another one")
    row.get_by_role("button", name="Evidence for total: read_pages, line 4").click()
    expect(shown).to_have_attribute("data-opened", "Evidence for total: 5.00")
    row.get_by_role("button", name="Another value of total: read_pages, line 2").click()
    expect(shown).to_have_attribute("data-opened", "Another value of total: 7.00")
