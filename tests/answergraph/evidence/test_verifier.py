"""A saved bundle is re-checked from the bundle alone; later changes do not hold."""

import copy
import json
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any

import pytest
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from pydantic import BaseModel

from answergraph import Abstention, ToolStrategy, create_agent
from answergraph.evidence import BUNDLE_KEYS, FromTools, answer_bundle, verify_bundle
from answergraph.middleware import GroundedAnswer
from answergraph.runtime.errors import BundleError
from answergraph.testing import ScriptedChatModel
from tests.suite.replies import calling
from tests.suite.verdicts import Finding

RESULT = {"tool_call_id": "1", "name": "read_log", "args": {}, "texts": ["a text"], "succeeded": True}
LOG = "ERROR the disk is not full after 1.5 s, costs 12.30 EUR"


class Report(BaseModel):
    """A report."""

    findings: list[Finding]
    ms: Annotated[float, FromTools(units={"s": 1000})]
    price: Annotated[Decimal, FromTools(units="EUR")]


@tool
def read_log() -> str:
    """Read the log."""
    return LOG


@pytest.fixture(params=[BUNDLE_KEYS, None], ids=["with what was recorded", "from the conversation"])
def bundle(request: pytest.FixtureRequest) -> dict[str, Any]:
    answer = {"findings": [{"quote": "the disk is not full"}], "ms": 1500, "price": "12.3"}
    replies: list[Any] = [calling("read_log", {}, "1"), calling("Report", answer, "2")]
    model = ScriptedChatModel(replies=replies)
    agent = create_agent(model, [read_log], response_format=ToolStrategy(Report), middleware=[GroundedAnswer()])
    result = agent.invoke({"messages": ["q"]}, output_keys=request.param)
    saved: dict[str, Any] = json.loads(json.dumps(answer_bundle(result)))
    return saved


def holding(bundle: dict[str, Any]) -> dict[str, bool]:
    return {verdict.path: verdict.holds for verdict in verify_bundle(bundle)}


def test_what_was_accepted_holds(bundle: dict[str, Any]) -> None:
    assert holding(bundle) == {"findings[0].quote": True, "ms": True, "price": True}


def _set_quote(bundle: dict[str, Any]) -> None:
    bundle["answer"]["findings"][0]["quote"] = "the disk is full"


def _drop_answer(bundle: dict[str, Any]) -> None:
    bundle["answer"]["findings"] = []


def _drop_evidence(bundle: dict[str, Any]) -> None:
    del bundle["fields"]["findings[0].quote"]


def _shift_span(bundle: dict[str, Any]) -> None:
    bundle["fields"]["findings[0].quote"]["evidence"][0]["place"][0] -= 1


def _name_another_call(bundle: dict[str, Any]) -> None:
    bundle["fields"]["findings[0].quote"]["evidence"][0]["source"]["id"] = "2"


def _change_unit(bundle: dict[str, Any]) -> None:
    evidence = bundle["fields"]["findings[0].quote"]["evidence"][0]
    evidence["unit"] = evidence["unit"].replace("not ", "now ")


def _name_another_source(bundle: dict[str, Any]) -> None:
    bundle["fields"]["findings[0].quote"]["evidence"][0]["source"]["name"] = "laboratory"


def _take_evidence_away(bundle: dict[str, Any]) -> None:
    bundle["fields"]["findings[0].quote"]["evidence"] = []


def _change_result(bundle: dict[str, Any]) -> None:
    bundle["results"][0]["texts"] = [LOG.replace("not ", "now ")]


def _change_message(bundle: dict[str, Any]) -> None:
    bundle["messages"][2]["data"]["content"] = LOG.replace("not ", "now ")


def _fail_call(bundle: dict[str, Any]) -> None:
    bundle["results"][0]["succeeded"] = False


@pytest.mark.parametrize(
    "tamper",
    [
        _set_quote,
        _drop_answer,
        _drop_evidence,
        _shift_span,
        _name_another_call,
        _change_unit,
        _name_another_source,
        _take_evidence_away,
        _change_result,
        _change_message,
        _fail_call,
    ],
)
def test_what_was_changed_since_does_not_hold(bundle: dict[str, Any], tamper: Callable[[dict[str, Any]], None]) -> None:
    tamper(bundle)
    assert holding(bundle)["findings[0].quote"] is False


@pytest.mark.parametrize(("path", "value"), [("ms", 1.5), ("ms", True), ("ms", "fast"), ("price", "12.31"), ("price", None)])
def test_a_changed_number_does_not_hold(bundle: dict[str, Any], path: str, value: Any) -> None:
    bundle["answer"][path] = value
    assert holding(bundle) == {"findings[0].quote": True, "ms": path != "ms", "price": path != "price", "bundle": False}


def test_a_bundle_needs_no_more_than_answer_fields_and_messages(bundle: dict[str, Any]) -> None:
    least = {key: copy.deepcopy(bundle[key]) for key in ("answer", "fields", "messages")}
    del least["fields"]["ms"], least["fields"]["price"]
    assert holding(least) == {"findings[0].quote": True}
    least["answer"]["findings"][0]["quote"] = "the disk is full"
    assert holding(least) == {"findings[0].quote": False}


def test_the_receipt_of_an_answer_is_not_a_tool_result() -> None:
    receipt = "Returning structured response: quote='the disk is broken'"
    messages = [
        HumanMessage("q"),
        calling("Finding", {"quote": "the disk is broken"}, "1"),
        ToolMessage(receipt, tool_call_id="1"),
    ]
    outcome = {"status": "answered", "schema": "Finding", "evidence": {"quote": ["1", 38, 56]}}
    answer = Finding(quote="the disk is broken")
    bundle = answer_bundle({"messages": messages, "structured_response": answer, "outcome": outcome})
    assert holding(bundle) == {"quote": False}


def test_an_abstention_claims_nothing_and_nothing_holds() -> None:
    outcome = {"status": "abstained", "schema": "Abstention", "fields": {}}
    result = {"messages": [], "structured_response": Abstention(missing=["x"]), "outcome": outcome}
    assert holding(answer_bundle(result)) == {"bundle": False}


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"answer": 1, "fields": {}, "messages": [1]},
        {"answer": 1, "fields": {}, "messages": [], "marks": {"a": {}}},
        {"answer": 1, "fields": {}, "messages": [], "results": [RESULT | {"texts": [5]}]},
        {"answer": 1, "fields": {}, "messages": [], "results": [RESULT | {"args": None}]},
    ],
)
def test_anything_but_a_bundle_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(BundleError, match="not an answer bundle"):
        verify_bundle(data)


def test_a_bundle_takes_the_answer_from_the_agents_own_key() -> None:
    answer = {"quote": "the disk is not full"}
    model = ScriptedChatModel(replies=[calling("read_log", {}, "1"), calling("Finding", answer, "2")])
    options: dict[str, Any] = {"middleware": [GroundedAnswer()], "output_key": "finding"}
    result = create_agent(model, [read_log], response_format=ToolStrategy(Finding), **options).invoke({"messages": ["q"]})
    bundle = answer_bundle(result, output_key="finding")
    assert (bundle["status"], bundle["answer"], holding(bundle)) == ("answered", answer, {"quote": True})
