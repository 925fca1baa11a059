"""A native call whose arguments are JSON, but no object, is a malformed call, with a response format and without one."""

import json
from typing import Any

import pytest
from langchain_core.messages import ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from answergraph import create_agent
from tests.openai_server import OpenAIServer, ToolCall, calls, says
from tests.suite.colors import Run

NO_OBJECTS = ['["Oslo"]', '"Oslo"', "3", json.dumps('{"city": "Oslo"}')]


@tool
def get_weather(city: str) -> str:
    """Look the weather up."""
    return f"Rain in {city}."


@tool
def get_wind(city: str) -> str:
    """Look the wind up."""
    return f"No wind in {city}."


def asked(run: Run, tools: list[Any], *script: Any) -> tuple[Any, list[Any]]:
    with OpenAIServer(list(script)) as server:
        model = ChatOpenAI(model="gpt-4.1", base_url=server.base_url, api_key=SecretStr("test"), max_retries=0)
        result: Any = run(create_agent(model, tools), {"messages": ["How is the weather?"]})
        return result, [request.body for request in server.requests]


def wrong(arguments: str) -> Any:
    return calls(ToolCall("get_weather", arguments))


RIGHT = calls(ToolCall("get_weather", {"city": "Oslo"}))


@pytest.mark.parametrize("arguments", NO_OBJECTS)
def test_the_model_is_told_that_its_arguments_are_malformed(run: Run, arguments: str) -> None:
    result, bodies = asked(run, [get_weather], wrong(arguments), RIGHT, says("It rains."))
    texts = [message.text for message in result["messages"] if isinstance(message, ToolMessage)]
    assert "Tool call get_weather" in texts[0]
    assert "malformed" in texts[0]
    assert texts[1:] == ["Rain in Oslo."]
    assert result["messages"][1].invalid_tool_calls[0]["args"] == arguments
    assert bodies[1]["messages"][1]["tool_calls"][0]["function"] == {"name": "get_weather", "arguments": "{}"}
    assert bodies[1]["messages"][2]["role"] == "tool"


def test_with_several_tools_the_call_has_no_name_that_is_guessed(run: Run) -> None:
    result, bodies = asked(run, [get_weather, get_wind], wrong('["Oslo"]'), RIGHT, says("It rains."))
    assert bodies[1]["messages"][1]["tool_calls"][0]["function"]["name"] == "unknown"
    assert result["messages"][-1].text == "It rains."
