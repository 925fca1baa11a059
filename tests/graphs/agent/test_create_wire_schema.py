"""A schema is compiled for the provider's own mode; the reply is validated against the full schema."""

from typing import Any

import pytest
from langchain.agents.structured_output import ProviderStrategy as LangChainProviderStrategy
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel, Field, SecretStr

from answergraph import (
    AgentSpecError,
    AutoStrategy,
    DeferredStrategy,
    FallbackStrategy,
    ProviderStrategy,
    ToolStrategy,
    create_agent,
)
from answergraph.middleware import AgentMiddleware, ModelRequest
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import QUESTION, call, calls
from tests.openai_server import OpenAIServer, says


class Report(BaseModel):
    """A report."""

    title: str = Field(min_length=3)
    lines: int = 1
    note: str | None = None


class Open(BaseModel):
    """The seed's requirement: an open map."""

    validation_result: dict[str, Any] | None = None


REPLY = '{"title": "all", "lines": null, "note": null}'


class ChatAnthropic(ScriptedChatModel):
    """Has the class name of LangChain's client."""


def native(*replies: Any, kind: Any = ScriptedChatModel, **fields: Any) -> Any:
    return kind(replies=list(replies), **{"profile": {"structured_output": True}, **fields})


def format_of(model: Any, call_number: int = 0) -> dict[str, Any]:
    sent: dict[str, Any] = model.requests[call_number].kwargs["response_format"]["json_schema"]
    return sent


@tool
def search(query: str, limit: int = 3) -> str:
    """Search."""
    return f"found {query} {limit}"


@pytest.mark.parametrize("response_format", [Report, ProviderStrategy(Report), ProviderStrategy(Report, strict=True)])
def test_a_strict_mode_receives_what_it_accepts_and_its_extra_nulls_are_removed(run: Any, response_format: Any) -> None:
    model = native(REPLY)
    result = run(create_agent(model, response_format=response_format), QUESTION)
    sent = format_of(model)
    assert sent["strict"] is True
    assert sent["schema"]["required"] == ["title", "lines", "note"]
    assert "title" not in sent["schema"]
    assert "title" not in sent["schema"]["properties"]["title"]
    assert sent["schema"]["additionalProperties"] is False
    assert "default" not in sent["schema"]["properties"]["lines"]
    assert result["structured_response"] == Report(title="all", lines=1, note=None)
    assert result["outcome"]["attempts"][0]["note"] is None


def test_constraints_missing_on_the_wire_are_still_checked(run: Any) -> None:
    model = native('{"title": "a", "lines": 1, "note": null}', REPLY)
    result = run(create_agent(model, response_format=ProviderStrategy(Report)), QUESTION)
    assert result["structured_response"] == Report(title="all")
    assert "at least 3 characters" in result["outcome"]["attempts"][0]["error"]


def test_an_explicit_strategy_sends_what_cannot_be_strict_without_and_says_so(run: Any) -> None:
    model = native('{"validation_result": {"is_correct": true}}')
    result = run(create_agent(model, response_format=ProviderStrategy(Open)), QUESTION)
    assert "strict" not in format_of(model)
    assert format_of(model)["schema"] == Open.model_json_schema()
    (attempt,) = result["outcome"]["attempts"]
    assert attempt["note"].startswith("The schema of 'Open' cannot be enforced strictly: #/properties/validation_result")
    assert result["structured_response"] == Open(validation_result={"is_correct": True})


@pytest.mark.parametrize("wrapped", [lambda s: s, DeferredStrategy])
def test_strict_that_cannot_be_is_found_while_building(wrapped: Any) -> None:
    with pytest.raises(AgentSpecError, match=r"'Open' cannot be enforced strictly.*leave out strict=True"):
        create_agent(native(), response_format=wrapped(ProviderStrategy(Open, strict=True)))


def test_strict_that_cannot_be_with_a_model_chosen_at_run_time_is_found_before_it_is_called(run: Any) -> None:
    class Recursive(BaseModel):
        inner: list["Recursive"]

    other = native(kind=ChatAnthropic, model_name="claude-sonnet-4-5")

    class Switch(AgentMiddleware[Any, Any, Any]):
        def modify_model_request(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
            return request.override(model=other)

    agent = create_agent(native(), response_format=ProviderStrategy(Recursive, strict=True), middleware=[Switch()])
    with pytest.raises(AgentSpecError, match="cannot be enforced"):
        run(agent, QUESTION)
    assert other.requests == []


@pytest.mark.parametrize("response_format", [Open, AutoStrategy(Open)], ids=["bare", "auto"])
def test_the_automatic_strategy_passes_over_a_mode_that_cannot_be_held_to_the_schema(run: Any, response_format: Any) -> None:
    model = native(calls(call("Open", {"validation_result": None})))
    result = run(create_agent(model, response_format=response_format), QUESTION)
    assert result["outcome"]["strategy"] == "tool"
    assert len(model.requests) == 1


def test_a_fallback_asks_with_every_member_and_notes_what_could_not_be_enforced(run: Any) -> None:
    model = native('{"validation_result": null}')
    strategies = FallbackStrategy([ProviderStrategy(Open), ToolStrategy(Open)])
    outcome = run(create_agent(model, response_format=strategies), QUESTION)["outcome"]
    assert (outcome["status"], outcome["strategy"]) == ("answered", "provider")
    assert "sent without" in outcome["attempts"][0]["note"]


def test_a_deferred_answer_is_asked_for_though_it_cannot_be_strict(run: Any) -> None:
    model = native("I looked.", '{"validation_result": null}')
    result = run(create_agent(model, response_format=DeferredStrategy(ProviderStrategy(Open))), QUESTION)
    assert (result["structured_response"], len(model.requests)) == (Open(), 2)


def test_not_strict_means_the_schema_as_it_is(run: Any) -> None:
    model = native('{"title": "all"}')
    run(create_agent(model, response_format=ProviderStrategy(Report, strict=False)), QUESTION)
    assert format_of(model) == {"name": "Report", "schema": Report.model_json_schema()}


def test_langchains_own_strategy_sends_the_schema_as_langchain_does(run: Any) -> None:
    model = native('{"title": "all"}')
    run(create_agent(model, response_format=LangChainProviderStrategy(Report)), QUESTION)
    assert format_of(model) == {"name": "Report", "schema": Report.model_json_schema()}


def test_each_family_is_sent_its_own_part_of_json_schema(run: Any) -> None:
    anthropic = native('{"title": "all"}', kind=ChatAnthropic, model_name="claude-sonnet-4-5")
    run(create_agent(anthropic, response_format=ProviderStrategy(Report)), QUESTION)
    sent = format_of(anthropic)
    assert sent["schema"]["required"] == ["title"]
    assert "minLength" not in sent["schema"]["properties"]["title"]
    assert "strict" not in sent


def test_a_null_is_taken_out_after_a_checkpoint_in_another_process_too(run: Any) -> None:
    saver, config = InMemorySaver(), {"configurable": {"thread_id": "1"}}
    options: dict[str, Any] = {"response_format": ProviderStrategy(Report), "checkpointer": saver}
    run(create_agent(native(REPLY), interrupt_before=["structured_response"], **options), QUESTION, config)
    assert run(create_agent(native(), **options), None, config)["structured_response"] == Report(title="all")


def test_on_the_wire_the_format_is_strict_and_the_users_tools_are_untouched(run: Any) -> None:
    with OpenAIServer([says(REPLY)]) as server:
        model = ChatOpenAI(model="gpt-4o", base_url=server.base_url, api_key=SecretStr("key"), max_retries=0)
        result = run(create_agent(model, [search], response_format=Report), QUESTION)
        body = server.requests[0].body
    assert result["structured_response"] == Report(title="all")
    assert body["response_format"]["json_schema"]["strict"] is True
    assert "strict" not in body["tools"][0]["function"]
    assert body["tools"][0]["function"]["parameters"]["required"] == ["query"]
