"""A model's family is recognised, and whether it thinks; `test_create_families.py` has a server for each family."""

from typing import Any

import pytest
from langchain_core.tools import tool

from answergraph.asking.providers.model_capabilities import (
    refuses_forced_tools,
    supports_json_mode,
    supports_native_format,
)

BUDGET = {"thinking": {"type": "enabled", "budget_tokens": 1024}}


@tool
def look_up(key: str) -> str:
    """Look a value up."""
    return key


class Told:
    """A client with the given attributes only."""

    profile = None

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)


@pytest.mark.parametrize(
    ("address", "name", "native", "forced", "json_mode"),
    [
        ("https://api.openai.com/v1", "gpt-5.2", True, True, True),
        ("https://ours.openai.azure.com/", "gpt-4o", True, True, True),
        ("https://api.deepseek.com/v1", "an-alias", False, True, True),
        ("https://api.mistral.ai/v1", "an-alias", False, True, False),
        ("https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "an-alias", False, True, True),
        ("https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1", "openai.gpt-oss-120b", False, True, False),
        ("https://openrouter.ai/api/v1", "anthropic/claude-sonnet-4.5", True, True, False),
        ("https://api.groq.com/openai/v1", "openai/gpt-oss-120b", False, True, False),
        ("http://ollama:11434/v1", "gpt-oss:20b", False, False, False),
        ("http://vllm:8000/v1", "Qwen/Qwen3-8B", False, True, False),
        ("http://lm-studio:1234/v1", "phi-4", False, False, False),
        ("http://llama-cpp:8080/v1", "qwen2.5-coder", False, False, False),
        ("http://sglang:30000/v1", "llama-3", False, True, False),
        ("http://localhost:9999/v1", "phi-4", False, True, True),
    ],
)
def test_a_server_is_recognised_by_its_address(address: str, name: str, native: bool, forced: bool, json_mode: bool) -> None:
    model: Any = Told(openai_api_base=address, model_name=name)
    tools = [look_up]
    known = supports_native_format(model, tools), not refuses_forced_tools(model), supports_json_mode(model, tools)
    assert known == (native, forced, json_mode)


@pytest.mark.parametrize(
    ("address", "name", "native"),
    [
        ("http://proxy:8000/v1", "gpt-4.1", True),
        ("http://proxy:8000/v1", "anthropic/claude-sonnet-4-5", True),
        ("http://proxy:11434/v1", "gpt-4.1", True),
        ("http://proxy:8000/v1", "openai/gpt-oss-120b", False),
        ("http://vllm:8000/v1", "gpt-4.1", False),
    ],
)
def test_a_port_says_nothing_of_the_server(address: str, name: str, native: bool) -> None:
    model: Any = Told(openai_api_base=address, model_name=name)
    assert supports_native_format(model, [look_up]) is native


@pytest.mark.parametrize(
    ("attributes", "refuses"),
    [
        ({"thinking": {"type": "enabled", "budget_tokens": 1024}}, True),
        ({"thinking": {"type": "adaptive"}}, False),
        ({"thinking": {"type": "disabled"}}, False),
        ({"additional_model_request_fields": BUDGET}, True),
        ({"model_kwargs": BUDGET}, True),
        ({"extra_body": BUDGET}, True),
        ({"reasoning": {"effort": "high"}}, True),
        ({"reasoning": {"effort": "none"}}, False),
        ({"extra_body": {"reasoning": {"enabled": False}}}, False),
        ({"enable_thinking": True}, True),
        ({"extra_body": {"enable_thinking": False}}, False),
        ({"extra_body": "of no use"}, False),
        ({"supports_tool_choice_values": ("auto",)}, True),
        ({"supports_tool_choice_values": ("auto", "any", "tool")}, False),
        ({}, False),
    ],
    ids=str,
)
def test_thinking_is_read_from_the_settings_of_the_client(attributes: dict[str, Any], refuses: bool) -> None:
    assert refuses_forced_tools(Told(model_name="claude-sonnet-4-5", **attributes)) is refuses


@pytest.mark.parametrize(
    ("name", "refuses"),
    [
        ("deepseek-reasoner", True),
        ("deepseek/deepseek-v4-pro", True),
        ("deepseek-chat", False),
        ("qwq-32b", True),
        ("qwen3.7-plus", True),
        ("qwen3-235b-a22b-thinking-2507", True),
        ("qwen-max", False),
    ],
)
def test_some_models_think_unless_told_not_to(name: str, refuses: bool) -> None:
    told_not_to = {"thinking": {"type": "disabled"}}
    assert refuses_forced_tools(Told(model_name=name)) is refuses
    assert not refuses_forced_tools(Told(model_name=name, extra_body=told_not_to))


@pytest.mark.parametrize(
    ("attributes", "without_tools", "with_tools"),
    [
        ({"model_name": "deepseek-chat"}, True, True),
        ({"model_name": "gpt-oss", "openai_api_base": "http://vllm:8000/v1"}, True, False),
    ],
    ids=["never", "without tools"],
)
def test_a_profile_says_that_there_is_a_mode_and_the_table_whether_it_goes_with_tools(
    attributes: dict[str, Any], without_tools: bool, with_tools: bool
) -> None:
    model: Any = Told(profile={"structured_output": True}, **attributes)
    assert (supports_native_format(model, []), supports_native_format(model, [look_up])) == (without_tools, with_tools)
