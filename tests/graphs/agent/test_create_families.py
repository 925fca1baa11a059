"""Every provider family is asked in a way that it supports, from the first request on."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel, SecretStr

from answergraph import PromptedStrategy, ToolStrategy, create_agent
from answergraph.asking.providers.provider_table import families
from answergraph.models import known_refusals
from tests.openai_server import OpenAIServer
from tests.openai_server import families as servers
from tests.openai_server.families import NUMBER, Script

QUESTION: dict[str, Any] = {"messages": ["Find the number."]}


class Found(BaseModel):
    """What was found."""

    number: int


@tool
def look_up(key: str) -> str:
    """Look a value up."""
    return f"{key} is {NUMBER}"


@dataclass(frozen=True)
class Case:
    """A model of a family, and the rungs of its answers without and with tools."""

    family: str
    model: str
    rung: str
    rung_with_tools: str
    client: str = "ChatOpenAI"
    extra_body: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.family}, {self.model}{', told' if self.extra_body else ''}"

    def chat_model(self, server: OpenAIServer) -> ChatOpenAI:
        return chat_model(server, self.client, model=self.model, extra_body=self.extra_body or None)


def chat_model(server: OpenAIServer, client: str, **fields: Any) -> ChatOpenAI:
    """Return a client with the name of another, because the name identifies the family."""
    kind = type(client, (ChatOpenAI,), {}) if client != "ChatOpenAI" else ChatOpenAI
    model = kind(base_url=server.base_url, api_key=SecretStr("test"), max_retries=0, use_responses_api=False, **fields)
    assert isinstance(model, ChatOpenAI)
    return model


BUDGET = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
UNTHINKING = {"thinking": {"type": "disabled"}}
ENABLED = {"enable_thinking": True}
REASONING = {"reasoning": {"effort": "high"}}

CASES = [
    Case("OpenAI", "gpt-5", "provider", "provider"),
    Case("OpenAI", "gpt-4o", "provider", "provider"),
    Case("OpenAI before GPT-4o", "gpt-4-turbo", "tool", "tool"),
    Case("Azure OpenAI", "gpt-4o", "provider", "provider", "AzureChatOpenAI"),
    Case("Azure OpenAI", "our-deployment", "tool", "tool", "AzureChatOpenAI"),
    Case("Anthropic", "claude-sonnet-4-5", "provider", "provider", "ChatAnthropic"),
    Case("Anthropic", "claude-sonnet-4-5", "provider", "provider", "ChatAnthropic", BUDGET),
    Case("Anthropic without forced calls", "claude-opus-5-5", "provider", "provider", "ChatAnthropic"),
    Case("Anthropic before Claude 4.5", "claude-3-7-sonnet-20250219", "tool", "tool", "ChatAnthropic"),
    Case("Anthropic before Claude 4.5", "claude-3-7-sonnet-20250219", "free_tool", "free_tool", "ChatAnthropic", BUDGET),
    Case("Gemini before 3", "gemini-2.5-flash", "provider", "tool", "ChatGoogleGenerativeAI"),
    Case("Gemini", "gemini-3-pro-preview", "provider", "provider", "ChatGoogleGenerativeAI"),
    Case("xAI", "grok-4", "provider", "provider", "ChatXAI"),
    Case("DeepSeek", "deepseek-chat", "tool", "tool", "ChatDeepSeek"),
    Case("DeepSeek", "deepseek-chat", "free_tool", "free_tool", "ChatDeepSeek", BUDGET),
    Case("DeepSeek", "deepseek-v4-flash", "free_tool", "free_tool", "ChatDeepSeek"),
    Case("DeepSeek", "deepseek-v4-flash", "tool", "tool", "ChatDeepSeek", UNTHINKING),
    Case("Mistral", "mistral-large-latest", "provider", "tool", "ChatMistralAI"),
    Case("Qwen", "qwen-plus", "tool", "tool", "ChatQwen"),
    Case("Qwen", "qwen-plus", "free_tool", "free_tool", "ChatQwen", ENABLED),
    Case("Amazon Bedrock", "us.anthropic.claude-haiku-4-5-20251001-v1:0", "provider", "provider", "ChatBedrockConverse"),
    Case("Amazon Bedrock", "anthropic.claude-3-7-sonnet-20250219-v1:0", "tool", "tool", "ChatBedrockConverse"),
    Case("Amazon Bedrock", "anthropic.claude-3-7-sonnet-20250219-v1:0", "free_tool", "free_tool", "ChatBedrockConverse", BUDGET),
    # With tools, nothing makes its model write JSON except the prompt; it ignores the free answer tool.
    Case("Ollama", "llama3.2", "provider", "prompted", "ChatOllama"),
    Case("Ollama", "qwen3:8b", "provider", "prompted", "ChatOllama"),
    Case("vLLM", "Qwen/Qwen3-8B", "provider", "tool", "ChatVLLM"),
    Case("OpenRouter", "openai/gpt-4o", "provider", "provider", "ChatOpenRouter"),
    Case("OpenRouter", "meta-llama/llama-4-maverick", "tool", "tool", "ChatOpenRouter"),
    Case("OpenRouter", "anthropic/claude-sonnet-4.5", "provider", "provider", "ChatOpenRouter", REASONING),
    Case("OpenRouter", "anthropic/claude-3.7-sonnet", "free_tool", "free_tool", "ChatOpenRouter", REASONING),
    Case("Groq", "llama-3.3-70b-versatile", "provider", "tool", "ChatGroq"),
    # Nothing is known about it: one refusal, then the next strategy.
    Case("any other", "our-model", "free_tool", "free_tool"),
    Case("any other server at an address of its own", "our-model", "provider", "provider"),
    Case("any other server at an address of its own", "Qwen/Qwen3-8B", "provider", "provider"),
]
ASKED_AFTER = "any other server at an address of its own"
FURTHER_REQUESTS = {("any other", True): 2, ("any other", False): 1, ("Ollama", True): 1, (ASKED_AFTER, True): 1}
"""The number of requests that are refused, ignored, or made after the tools, per family, with and without tools."""
BY_ADDRESS = {"llama.cpp or LocalAI", "LM Studio", "SGLang"}
"""Families known by an address, which a test server does not have; `test_provider_table.py` tests them."""


@pytest.mark.parametrize("tools", [[], [look_up]], ids=["no tools", "tools"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_family_is_asked_in_a_way_it_takes_from_the_first_request_on(run: Any, case: Case, tools: list[Any]) -> None:
    with OpenAIServer(servers.FAMILIES[case.family]) as server:
        result = run(create_agent(case.chat_model(server), tools, response_format=Found), QUESTION)
    assert result["outcome"]["status"] == "answered"
    assert result["structured_response"] == Found(number=NUMBER)
    assert result["outcome"]["strategy"] == (case.rung_with_tools if tools else case.rung)
    assert len(server.requests) == 1 + len(tools) + FURTHER_REQUESTS.get((case.family, bool(tools)), 0)


def test_a_gateway_that_drops_reasoning_for_forced_calls_keeps_it(run: Any) -> None:
    case = next(case for case in CASES if case.model == "anthropic/claude-3.7-sonnet")
    with OpenAIServer(servers.drops_reasoning) as server:
        run(create_agent(case.chat_model(server), [look_up], response_format=Found), QUESTION)
    assert [servers.drops_reasoning(request.body).reasoning for request in server.requests] == ["Let me see."] * 2


@pytest.mark.parametrize("strategy", [ToolStrategy(Found), PromptedStrategy(Found)], ids=["tool", "prompted"])
def test_a_provider_that_refuses_a_user_message_after_a_tools_gets_none(run: Any, strategy: Any) -> None:
    case = next(case for case in CASES if case.family == "Mistral")
    with OpenAIServer(servers.FAMILIES["Mistral"]) as server:
        agent = create_agent(case.chat_model(server), [look_up], response_format=strategy, checkpointer=InMemorySaver())
        answers = [run(agent, QUESTION, {"configurable": {"thread_id": "1"}})["structured_response"] for _ in range(2)]
    assert answers == [Found(number=NUMBER)] * 2


# ChatOpenAI warns about its methods if the provider has no JSON schema mode.
no_warning = pytest.mark.filterwarnings("ignore:This model does not support OpenAI's structured output feature:UserWarning")

# With a format beside tools, these models answer at once, and nothing in the reply shows that the answer is invented.
UNREPAIRABLE = {("Ollama", True), ("vLLM", True)}
WRONG_GUESSES = [(name, tools) for name in servers.FAMILIES for tools in (False, True) if (name, tools) not in UNREPAIRABLE]


@no_warning
@pytest.mark.parametrize(("family", "tools"), WRONG_GUESSES, ids=str)
def test_a_wrong_guess_is_put_right_by_the_ladder(run: Any, family: str, tools: bool) -> None:
    with OpenAIServer(servers.FAMILIES[family]) as server:
        model = chat_model(server, "ChatOpenAI", model="alias", profile={"structured_output": True})
        result = run(create_agent(model, [look_up] if tools else [], response_format=Found), QUESTION)
    assert (result["outcome"]["status"], result["structured_response"]) == ("answered", Found(number=NUMBER))


@no_warning
@pytest.mark.parametrize(
    ("script", "client", "name", "rung"),
    [
        # ChatOpenAI's profile of it says that it has the mode.
        (servers.FAMILIES["OpenAI before GPT-4o"], "ChatOpenAI", "gpt-4o-2024-05-13", "tool"),
        (servers.azure_before_json_schema, "AzureChatOpenAI", "gpt-4o", "tool"),
        (
            servers.bedrock_without_forced_calls,
            "ChatBedrockConverse",
            "us.meta.llama4-maverick-17b-instruct-v1:0",
            "free_tool",
        ),
    ],
    ids=["GPT-4o of May 2024", "Azure before August 2024", "Bedrock without forced calls"],
)
def test_a_model_that_its_row_is_wrong_about_is_asked_on_the_next_rung(
    run: Any, script: Script, client: str, name: str, rung: str
) -> None:
    with OpenAIServer(script) as server:
        result = run(create_agent(chat_model(server, client, model=name), [look_up], response_format=Found), QUESTION)
    assert (result["structured_response"], result["outcome"]["strategy"]) == (Found(number=NUMBER), rung)
    assert len(known_refusals()) == 1


def test_every_family_has_a_server_and_a_case_and_a_source() -> None:
    names = [family.name for family in families()]
    assert sorted(names) == sorted(servers.FAMILIES) == sorted({case.family for case in CASES} | BY_ADDRESS)
    assert [family.name for family in families() if not family.sources] == []
    assert all(source.startswith("https://") for family in families() for source in family.sources)
