"""A person decides what the readers of an ensemble leave in doubt."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import BaseModel

from answergraph import AgentSpecError, ToolStrategy, create_agent
from answergraph.graphs import create_ensemble
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run

THREAD: RunnableConfig = {"configurable": {"thread_id": "1"}}
ASKED: dict[str, Any] = {"messages": ["Read it."]}


class Invoice(BaseModel):
    number: str
    total: float
    note: str | None = None


def reader(**value: Any) -> Any:
    call = {"name": "Invoice", "args": {"number": "A 1", "total": 12, **value}, "id": "1", "type": "tool_call"}
    return create_agent(ScriptedChatModel(replies=[AIMessage("", tool_calls=[call])]), response_format=ToolStrategy(Invoice))


def reviewed() -> Any:
    readers = [reader(total=12, note="paid"), reader(total=13)]
    return create_ensemble(readers, on_doubt="review", checkpointer=InMemorySaver())


def test_a_person_sees_what_each_reader_read_and_decides(run: Run) -> None:
    ensemble = reviewed()
    (interrupt,) = run(ensemble, ASKED, THREAD)["__interrupt__"]
    request = interrupt.value
    assert json.loads(json.dumps(request)) == request
    assert {path: (record["status"], record["readings"]) for path, record in request["fields"].items()} == {
        "total": ("disputed", [{"reader": "reader_1", "value": 12.0}, {"reader": "reader_2", "value": 13.0}]),
        "note": ("disputed", [{"reader": "reader_1", "value": "paid"}, {"reader": "reader_2", "value": None}]),
    }
    assert request["choices"]["note"]["leave_out"] is None
    decisions = {"total": {"type": "edit", "value": 13}, "note": {"type": "approve"}}
    result = run(ensemble, Command(resume={"decisions": decisions}), THREAD)
    assert result["structured_response"] == Invoice(number="A 1", total=13, note="paid")
    fields = result["outcome"]["fields"]
    assert {path: (record["status"], record["accepted_by"]) for path, record in fields.items()} == {
        "number": ("unchecked", "agreement"),
        "total": ("given", "person"),
        "note": ("given", "person"),
    }
    assert len(fields["total"]["readings"]) == 2


def test_a_value_that_does_not_fit_comes_back(run: Run) -> None:
    ensemble = reviewed()
    run(ensemble, ASKED, THREAD)
    (again,) = run(ensemble, Command(resume={"decisions": {"total": {"type": "edit", "value": "much"}}}), THREAD)["__interrupt__"]
    assert list(again.value["fields"]) == ["total"]
    assert "valid number" in again.value["fields"]["total"]["problem"]
    result = run(ensemble, Command(resume={"decisions": {}}), THREAD)
    assert result["structured_response"] == Invoice(number="A 1", total=12, note="paid")


def test_what_a_person_turns_down_has_no_reader_left(run: Run) -> None:
    ensemble = reviewed()
    run(ensemble, ASKED, THREAD)
    result = run(ensemble, Command(resume={"decisions": {"total": {"type": "reject", "message": "Neither."}}}), THREAD)
    assert (result["structured_response"], result["outcome"]["reason"]) == (None, "A person turned down total: Neither.")


def test_an_ensemble_that_could_not_wait_or_leave_out_is_refused() -> None:
    class Bare(BaseModel):
        number: str

    agents = [create_agent(ScriptedChatModel(replies=[]), response_format=Bare)] * 2
    with pytest.raises(AgentSpecError, match="checkpointer=InMemorySaver"):
        create_ensemble(agents, on_doubt="review")
    with pytest.raises(AgentSpecError, match="every field is required"):
        create_ensemble(agents, on_doubt="omit")
