"""Records of the graph's own are stored without what is as it begins, and read back whole."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from pydantic import BaseModel

from answergraph import ToolStrategy, UsageLimits, create_agent
from answergraph.nodes.outcome import NEW_LEDGER, Ledger, empty_ledger
from answergraph.nodes.record_channel import RecordChannel, compacted, completed
from answergraph.nodes.state import LEDGER
from answergraph.testing import ScriptedChatModel
from tests.suite.colors import Run


class Weather(BaseModel):
    degrees: int


@tool
def look_up() -> str:
    """Look up the weather."""
    return "21 degrees"


BEGINNING: dict[str, Any] = {"a": 0, "b": None, "c": [], "d": {"x": 0, "y": {}}}

leaf = st.one_of(st.none(), st.booleans(), st.integers(min_value=0, max_value=2), st.lists(st.integers(0, 1), max_size=2))
nested = st.fixed_dictionaries({"x": leaf, "y": st.dictionaries(st.sampled_from("pq"), leaf)}, optional={"z": leaf})
top = st.one_of(leaf, nested)
record = st.fixed_dictionaries({"a": leaf, "b": top, "c": leaf, "d": top}, optional={"e": leaf})


@given(record)
def test_a_record_is_read_back_as_it_was(written: dict[str, Any]) -> None:
    assert completed(compacted(written, BEGINNING), BEGINNING) == written
    assert completed(written, BEGINNING) == written


@given(record)
def test_what_a_checkpoint_keeps_brings_the_same_record_in_another_process(written: dict[str, Any]) -> None:
    channel = RecordChannel(dict, BEGINNING)
    channel.update([compacted(written, BEGINNING)])
    assert channel.get() == written
    serializer = JsonPlusSerializer()
    stored = serializer.loads_typed(serializer.dumps_typed(channel.checkpoint()))
    assert RecordChannel(dict, BEGINNING).from_checkpoint(stored).get() == written


def test_a_ledger_has_every_field_from_the_start() -> None:
    assert empty_ledger().keys() == Ledger.__annotations__.keys() == {*NEW_LEDGER, "run"}


def test_a_run_that_was_written_whole_goes_on(run: Run) -> None:
    answer = AIMessage("", tool_calls=[{"name": "Weather", "args": {"degrees": 21}, "id": "2"}])
    model = ScriptedChatModel(replies=[answer])
    agent = create_agent(model, [look_up], response_format=ToolStrategy(Weather), checkpointer=InMemorySaver())
    thread: RunnableConfig = {"configurable": {"thread_id": "1"}}
    turn = {"model_calls": 1, "tool_calls": 1, "total_tokens": 7}
    usage = {**turn, "input_tokens": 5, "output_tokens": 2, "by_cause": {"turn": turn}}
    asked = AIMessage("", tool_calls=[{"name": "look_up", "args": {}, "id": "1"}], id="asked")
    messages = ["Hello", asked, ToolMessage("21 degrees", tool_call_id="1")]
    ledger = {**empty_ledger(), "usage": usage, "seen": 1, "last_id": "asked"}
    agent.update_state(thread, {"messages": messages, LEDGER: ledger}, as_node="tools")
    result = run(agent, None, thread)
    assert result["structured_response"] == Weather(degrees=21)
    assert result["outcome"]["usage"]["model_calls"] == 2
    shares = result["outcome"]["usage"]["by_cause"]["turn"]
    assert (shares["model_calls"], shares["tool_calls"]) == (2, 1)


def spoilt(value: Any) -> None:
    """Put something into every container of a result."""
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        spoilt(part)
    if isinstance(value, dict):
        value["spoilt"] = "spoilt"
    elif isinstance(value, list):
        value.append("spoilt")


@pytest.mark.parametrize("response_format", [ToolStrategy(Weather), None], ids=["answer", "text"])
def test_what_a_caller_does_to_a_result_is_not_how_the_next_run_begins(run: Run, response_format: Any) -> None:
    def outcome() -> Any:
        ask = AIMessage("", tool_calls=[{"name": "look_up", "args": {}, "id": "1"}])
        answer = AIMessage("", tool_calls=[{"name": "Weather", "args": {"degrees": 21}, "id": "2"}])
        model = ScriptedChatModel(replies=[ask, answer])
        limits = UsageLimits(model_calls=2, reserve_final_answer=False)
        agent = create_agent(model, [look_up], response_format=response_format, limits=limits)
        return run(agent, {"messages": ["Hello"]})["outcome"]

    first = outcome()
    as_it_was = deepcopy(first)
    spoilt(first)
    assert outcome() == as_it_was
    assert "spoilt" not in repr((NEW_LEDGER, empty_ledger()))
