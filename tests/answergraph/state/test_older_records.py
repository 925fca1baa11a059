"""Outcomes, attempts, reports and threads that earlier versions stored are read with the keys of today."""

from typing import Any

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import StateGraph
from pydantic import BaseModel
from typing_extensions import TypedDict

from answergraph import create_agent
from answergraph.state.field_record import record_of, spans_of
from answergraph.state.ledger import empty_ledger
from answergraph.state.older_records import outcome_of_today
from answergraph.state.turn import Turn
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run
from tests.suite.fields import places

ATTEMPT: dict[str, Any] = {
    "strategy": "tool",
    "schema": "Finding",
    "status": "invalid",
    "error": "no",
    "message_id": None,
    "repairs": [],
}
PROBLEMS = [
    {"path": "quote", "sentence": "it is in no result", "check": "GroundedAnswer", "nearest": ["1", 0, 4]},
    {"path": "", "sentence": "all of it", "check": "GroundedAnswer", "nearest": None},
]
STORED: dict[str, Any] = {
    "status": "answered",
    "reason": "The model answered with 'Finding'.",
    "attempts": [{**ATTEMPT, "note": None, "problems": PROBLEMS}],
    "evidence": {
        "quotes[0]": ["1", 6, 22],
        "by['a'].quote": ["1", 0, 3, 8, 12],
        "web": ["2", 4, 9, {"url": "https://example.org", "title": "Disks", "file_id": "f"}],
        "seen": ["3", 0, 9, "shown"],
    },
    "coverage": {"quotes[]": "partly", "by.a.quote": "unchecked", "steps[].name": "unchecked", "size": "unchecked"},
}


def test_the_maps_of_an_outcome_become_records() -> None:
    outcome = outcome_of_today(STORED)
    assert places(outcome["fields"]) == {
        "quotes[0]": ["1", 6, 22],
        "by['a'].quote": ["1", 0, 3, 8, 12],
        "web": ["2", 4, 9],
        "seen": ["3"],
    }
    assert outcome["fields"]["size"] == record_of()
    assert outcome["fields"]["web"]["evidence"][0]["source"] == {
        "kind": "tool",
        "id": "2",
        "name": "",
        "url": "https://example.org",
        "title": "Disks",
    }
    assert spans_of(outcome["fields"]["seen"]["evidence"][0]) == []
    assert {"evidence", "coverage"}.isdisjoint(outcome)
    assert 0 < outcome["support"] < 1
    assert outcome["attempts"] == [
        {**ATTEMPT, "note": None, "patch": False, "fields": {"quote": "it is in no result"}, "check": "GroundedAnswer"}
    ]


def test_what_was_not_counted_and_limits_that_did_not_exist_have_keys() -> None:
    outcome = outcome_of_today({**STORED, "usage": {"model_calls": 2}, "limits": {"model_calls": 50}})
    assert (outcome["limit"], outcome["limits"]["seconds"], outcome["usage"]["cost"]) == (None, None, None)
    assert (outcome["usage"]["model_calls"], outcome["usage"]["answer_attempts"]) == (2, 1)


def test_an_outcome_of_today_and_none_stay_as_they_are() -> None:
    today = {"status": "answered", "fields": {"evidence": record_of()}}
    assert outcome_of_today(today) is today
    assert outcome_of_today(None) is None


def test_the_attempts_of_a_run_in_progress_have_fields_too() -> None:
    stored: Any = {"messages": [], "answergraph_ledger": {**empty_ledger(), "attempts": [{**ATTEMPT, "problems": []}]}}
    ledger = Turn(stored).ledger
    assert ledger is not None
    assert [(attempt["fields"], attempt["check"]) for attempt in ledger["attempts"]] == [({}, None)]


class Finding(BaseModel):
    """A finding."""

    quote: str


class Before(TypedDict, total=False):
    """The state of a thread as an earlier version wrote it."""

    messages: list[Any]
    outcome: Any


def test_a_thread_stored_before_is_read_with_the_keys_of_today(run: Run) -> None:
    saver = InMemorySaver()
    config: RunnableConfig = {"configurable": {"thread_id": "1"}}
    before = StateGraph(Before).add_node("model", lambda _: {"outcome": STORED, "messages": [HumanMessage("q", id="1")]})
    before.add_edge("__start__", "model").compile(checkpointer=saver).invoke({"messages": []}, config)
    replies = ['{"quote": "the disk is full"}']
    agent = create_agent(ScriptedChatModel(replies=replies), response_format=Finding, checkpointer=saver)
    outcome = run.state(agent, config).values["outcome"]
    assert (outcome["support"], list(outcome["attempts"][0]["fields"])) == (outcome_of_today(STORED)["support"], ["quote"])
    again = run(agent, {"messages": "q"}, config)["outcome"]
    assert (again["status"], again["fields"], again["support"]) == ("answered", {}, None)
