"""Which providers enforce a schema for a model, and the choices of the automatic strategy."""

from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from pydantic import BaseModel

from answergraph import AutoStrategy, create_agent
from answergraph.asking.model_request import ModelRequest
from answergraph.asking.providers.model_capabilities import supports_native_format
from answergraph.middleware import AgentMiddleware
from answergraph.testing import ScriptedChatModel
from tests.suite.verdicts import Answer


class Other(BaseModel):
    """Another answer."""

    number: int


@tool
def search(query: str) -> str:
    """Search."""
    return query


class Named(GenericFakeChatModel):
    """A model with its name in one of three attributes."""

    model_name: str = ""
    model: str = ""
    model_id: str = ""


def named(name: str, attribute: str = "model_name", **fields: Any) -> Named:
    arguments: dict[str, Any] = {attribute: name, **fields}
    return Named(messages=iter(()), **arguments)


@pytest.mark.parametrize(
    "name",
    [
        "gpt-4o",
        "gpt-4o-mini",
        "gpt-4.1",
        "gpt-5",
        "gpt-5.2",
        "openai/gpt-4o-2024-08-06",
        "o3-mini",
        "claude-sonnet-4-5-20250929",
        "claude-sonnet-5",
        "us.anthropic.claude-haiku-4-5-20251001-v1:0",
        "grok-4",
        "x-ai/grok-4-fast",
    ],
)
def test_models_of_the_table_have_the_mode(name: str) -> None:
    assert supports_native_format(named(name), [search])


@pytest.mark.parametrize(
    "name", ["gpt-4", "gpt-3.5-turbo", "gpt-4-turbo", "my-gpt-4o-like", "claude-3-5-sonnet", "grok-2", "llama3", ""]
)
def test_other_models_do_not(name: str) -> None:
    assert not supports_native_format(named(name), [])


@pytest.mark.parametrize("attribute", ["model_name", "model", "model_id"])
def test_the_name_is_read_from_each_of_three_attributes(attribute: str) -> None:
    assert supports_native_format(named("gpt-4o", attribute), [])


@pytest.mark.parametrize("claims", [True, False])
def test_the_profile_is_asked_before_the_table(claims: bool) -> None:
    model = named("llama3" if claims else "gpt-4o").model_copy(update={"profile": {"structured_output": claims}})
    assert supports_native_format(model, []) is claims


@pytest.mark.parametrize(
    ("name", "tools", "native"),
    [
        ("gemini-2.5-flash", [], True),
        ("gemini-2.5-flash", [search], False),
        ("models/gemini-1.5-pro", [search], False),
        ("gemini-3-pro", [search], True),
    ],
)
def test_gemini_before_three_is_not_held_to_a_schema_beside_tools(name: str, tools: list[Any], native: bool) -> None:
    model = named(name, profile={"structured_output": True})
    assert supports_native_format(model, tools) is native


def resolved(model: Any, tools: list[Any], declared: Any = Answer) -> str:
    request: ModelRequest[Any] = ModelRequest(model=model, messages=[], tools=tools)
    return AutoStrategy(declared).strategies_for(request)[0].strategy.name


def test_auto_takes_the_provider_where_it_can_and_the_tool_elsewhere() -> None:
    assert resolved(named("gpt-4o"), [search]) == "provider"
    assert resolved(named("llama3"), [search]) == "tool"
    assert resolved(named("gpt-4o"), [search], Answer | Other) == "provider"


def test_auto_decides_again_when_a_middleware_changes_the_model(run: Any) -> None:
    native = ScriptedChatModel(replies=[AIMessage('{"text": "b"}')], profile={"structured_output": True})

    class Switch(AgentMiddleware[Any, Any, Any]):
        def modify_model_request(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
            return request.override(model=native)

    agent = create_agent(ScriptedChatModel(replies=[]), [search], response_format=Answer, middleware=[Switch()])
    result = run(agent, {"messages": ["q"]})
    assert result["structured_response"] == Answer(text="b")
    assert result["outcome"]["strategy"] == "provider"
    assert native.requests[0].kwargs["response_format"]["json_schema"]["name"] == "Answer"
    assert [t["function"]["name"] for t in native.requests[0].tools] == ["search"]
