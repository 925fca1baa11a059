"""The growing answer has the declared shape: unions, lists, and formats made at run time."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from answergraph import FromContext, PromptedStrategy, ProviderStrategy, ToolStrategy, create_agent
from answergraph.testing import ScriptedChatModel
from tests.answergraph.streaming.reasoned_verdict import Verdict
from tests.suite.colors import Run
from tests.suite.verdicts import NotYet

MISSING = ["the log of the second machine", "a third run"]
QUESTION: dict[str, Any] = {"messages": [HumanMessage("Did it pass?")]}


def values_of(run: Run, reply: Any, response_format: Any, **kwargs: Any) -> list[Any]:
    agent: Any = create_agent(ScriptedChatModel(replies=[reply]), response_format=response_format, context_schema=dict)
    events = run.stream(agent, QUESTION, stream_mode="custom", **kwargs)
    assert [event["status"] for event in events] == ["growing"] * (len(events) - 1) + ["accepted"]
    assert len(events) > 4
    return [event["value"] for event in events]


@pytest.mark.parametrize("strategy", [ProviderStrategy, PromptedStrategy])
def test_the_alternative_of_a_union_is_shown_without_its_envelope(run: Run, strategy: Any) -> None:
    text = json.dumps({"schema": "NotYet", "value": {"missing": MISSING}})
    values = values_of(run, text, strategy(Verdict | NotYet))
    assert all(value.keys() <= {"missing"} for value in values)
    assert values[-1] == {"missing": MISSING}


@pytest.mark.parametrize("strategy", [ProviderStrategy, PromptedStrategy])
def test_a_list_in_a_text_is_shown_as_a_list(run: Run, strategy: Any) -> None:
    values = values_of(run, json.dumps({"value": MISSING}), strategy(list[str]))
    assert [value for value in values if value is not None][-1] == MISSING
    assert all(isinstance(value, list | None) for value in values)


def test_a_list_in_a_call_is_shown_as_a_list(run: Run) -> None:
    strategy = ToolStrategy(list[str])
    call = {"name": strategy.schema_names[0], "args": {"value": MISSING}, "id": "1"}
    values = values_of(run, AIMessage("", tool_calls=[call]), strategy)
    assert values[-1] == MISSING
    assert all(isinstance(value, list | None) for value in values)


def test_the_schema_of_the_caller_is_shown(run: Run) -> None:
    schema = {"title": "Missing", "type": "object", "properties": {"missing": {"type": "array"}}}
    text = json.dumps({"missing": MISSING})
    values = values_of(run, text, FromContext(), context={"response_format": schema})
    assert values[-1] == {"missing": MISSING}


def test_a_run_whose_format_is_a_text_streams_no_events(run: Run) -> None:
    agent = create_agent(ScriptedChatModel(replies=["It did."]), response_format=FromContext(), context_schema=dict)
    assert run.stream(agent, QUESTION, stream_mode="custom", context={}) == []
