"""A mistake that a run would pass over ends it, with the place and what to write."""

from typing import Any

import pytest
from langchain.agents.middleware import ToolCallLimitMiddleware, ToolRetryMiddleware

from answergraph import AgentSpecError, ToolStrategy, create_agent
from tests.mistakes.prelude import MODEL, V, search
from tests.mistakes.test_run_time_mistakes import QUESTION, Changes, agent_of
from tests.suite.colors import Run

CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "a text as messages": ({"messages": "Hi."}, "Changes: messages='Hi.' is not a list; write messages=['Hi.']."),
    "a text as the system message": (
        {"system_message": "Be brief."},
        "Changes: system_message='Be brief.'; write system_prompt='Be brief.'.",
    ),
    "one tool": ({"tools": search}, "Changes: tools=search is not a list; write tools=[search]."),
    "a number in the messages": (
        {"messages": [5]},
        "Changes: 5 in messages is no message; write HumanMessage(…), or a text.",
    ),
    "a number as the state": ({"state": 5}, "Changes: state=5; write state={**request.state, 'key': …}."),
    "a number as settings": ({"model_settings": 5}, "Changes: model_settings=5; write model_settings={'temperature': 0}."),
    "a choice of no tool": (
        {"tool_choice": "serch"},
        "tool_choice='serch' names no tool. Did you mean 'search'? The tools are ['V', 'search']. "
        "The tool_choice was set by the middleware 'Changes'.",
    ),
}


@pytest.mark.parametrize(("fields", "message"), CHANGES.values(), ids=CHANGES)
def test_a_request_that_cannot_be_sent_is_refused_with_the_middleware(run: Run, fields: dict[str, Any], message: str) -> None:
    agent = agent_of(Changes(lambda request: request.override(**fields)))
    with pytest.raises(AgentSpecError) as told:
        run(agent, QUESTION)
    assert str(told.value) == message


@pytest.mark.parametrize("choice", ["search", "V", "auto", "any", "required", {"type": "any"}, True])
def test_a_choice_of_a_tool_or_a_word_of_the_client_is_sent_as_it_is(choice: Any) -> None:
    agent = agent_of(Changes(lambda request: request.override(tool_choice=choice)))
    assert agent.invoke(QUESTION)["structured_response"] == V(ok=True)


def test_a_strategys_choice_of_no_tool_is_refused() -> None:
    with pytest.raises(AgentSpecError, match=r"tool_choice='serch' names no tool. Did you mean 'search'\?"):
        agent_of(response_format=ToolStrategy(V, tool_choice="serch")).invoke(QUESTION)


def test_a_limit_of_a_tool_that_is_like_none_is_told() -> None:
    with pytest.warns(UserWarning, match=r"Limit.*\[read\] does nothing: there is no tool 'read', only \['search'\]"):
        create_agent(MODEL, [search], middleware=[ToolCallLimitMiddleware(tool_name="read", run_limit=1)])


def test_a_misspelt_name_that_langchain_keeps_to_itself_goes_unnoticed() -> None:
    assert create_agent(MODEL, [search], middleware=[ToolRetryMiddleware(tools=["serch"])])


OPEN = [
    {"additionalProperties": True},
    {"patternProperties": {"^b": {}}},
    {"anyOf": [{"required": ["a"]}, {"properties": {"b": {}}}]},
]


@pytest.mark.parametrize("more", OPEN, ids=str)
def test_a_required_property_may_be_described_elsewhere(more: dict[str, Any]) -> None:
    schema = {"title": "Row", "type": "object", "properties": {"a": {}}, "required": ["b"], **more}
    assert create_agent(MODEL, response_format=schema)


def test_null_may_stand_beside_another_type() -> None:
    assert create_agent(MODEL, response_format=V | None)
