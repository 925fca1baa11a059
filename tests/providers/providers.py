"""The providers of the matrix: the real client of each, pointed at its stub."""

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.providers import rules
from tests.providers.apis import Api, ChatCompletions, Mistral, Ollama, OpenRouter, Responses
from tests.providers.block_apis import Anthropic, Bedrock, Gemini
from tests.providers.dialogue import Rule

KEY = "test"


@dataclass(frozen=True)
class Provider:
    """One provider, or one API of a provider."""

    name: str
    api: Api
    rules: Sequence[Rule]
    package: str
    client: Callable[..., Any]
    """Makes the client for a URL; ``thinking`` turns thinking on."""

    def __str__(self) -> str:
        return self.name


def _client(package: str, name: str) -> Any:
    # Not installed in the other tests' environment.
    return getattr(importlib.import_module(package), name)


def _openai(url: str, *, thinking: bool = False, **fields: Any) -> Any:
    kind = _client("langchain_openai", "ChatOpenAI")
    fields = {"model": "gpt-5", **fields, **({"reasoning_effort": "low"} if thinking else {})}
    return kind(base_url=f"{url}/v1", api_key=KEY, max_retries=0, **fields)


def _responses(url: str, *, thinking: bool = False) -> Any:
    kind, more = _client("langchain_openai", "ChatOpenAI"), {"reasoning": {"effort": "low"}} if thinking else {}
    return kind(model="gpt-5", base_url=f"{url}/v1", api_key=KEY, max_retries=0, use_responses_api=True, **more)


def _anthropic(url: str, *, thinking: bool = False, model: str = "claude-opus-4-6") -> Any:
    more: dict[str, Any] = {"thinking": {"type": "enabled", "budget_tokens": 1024}} if thinking else {}
    return _client("langchain_anthropic", "ChatAnthropic")(
        model=model, base_url=url, api_key=KEY, max_retries=0, max_tokens=2048, **more
    )


def _old_anthropic(url: str, *, thinking: bool = False) -> Any:
    return _anthropic(url, thinking=thinking, model="claude-3-7-sonnet-20250219")


def _gemini(url: str, *, thinking: bool = False) -> Any:
    more = {"include_thoughts": True, "thinking_budget": 512} if thinking else {}
    return _client("langchain_google_genai", "ChatGoogleGenerativeAI")(
        model="gemini-2.5-flash", base_url=url, api_key=KEY, max_retries=1, **more
    )


def _mistral(url: str, *, thinking: bool = False) -> Any:
    return _client("langchain_mistralai", "ChatMistralAI")(
        model="mistral-large-latest", endpoint=f"{url}/v1", api_key=KEY, max_retries=1
    )


def _groq(url: str, *, thinking: bool = False) -> Any:
    return _client("langchain_groq", "ChatGroq")(model="openai/gpt-oss-120b", base_url=url, api_key=KEY, max_retries=0)


def _deepseek(url: str, *, thinking: bool = False) -> Any:
    more = {"extra_body": {"thinking": {"type": "enabled"}}} if thinking else {}
    return _client("langchain_deepseek", "ChatDeepSeek")(
        model="deepseek-chat", api_base=f"{url}/v1", api_key=KEY, max_retries=0, **more
    )


def _openrouter(url: str, *, thinking: bool = False) -> Any:
    more = {"reasoning": {"effort": "high"}} if thinking else {}
    model = _client("langchain_openrouter", "ChatOpenRouter")(
        model="anthropic/claude-sonnet-4.5", base_url=f"{url}/api/v1", api_key=KEY, max_retries=0, **more
    )
    # Without a setting for retries, the SDK uses its default and retries for an hour.
    retries = importlib.import_module("openrouter.utils.retries")
    model.client.sdk_configuration.retry_config = retries.RetryConfig("none", retries.BackoffStrategy(1, 1, 1.0, 1), False)
    return model


def _ollama(url: str, *, thinking: bool = False) -> Any:
    return _client("langchain_ollama", "ChatOllama")(model="qwen3:8b", base_url=url, reasoning=True if thinking else None)


def _bedrock(url: str, *, thinking: bool = False) -> Any:
    more = {"additional_model_request_fields": {"thinking": {"type": "enabled", "budget_tokens": 1024}}} if thinking else {}
    config = importlib.import_module("botocore.config").Config(retries={"total_max_attempts": 1})
    return _client("langchain_aws", "ChatBedrockConverse")(
        model="us.anthropic.claude-haiku-4-5-20251001-v1:0",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id=KEY,
        aws_secret_access_key=KEY,
        config=config,
        **more,
    )


def _local(url: str, *, thinking: bool = False) -> Any:
    return _openai(url, model="qwen3-8b")


CHAT = ChatCompletions()
PROVIDERS: Sequence[Provider] = (
    Provider("OpenAI, chat completions", CHAT, rules.OPENAI, "langchain-openai", _openai),
    Provider("OpenAI, responses", Responses(), rules.OPENAI, "langchain-openai", _responses),
    Provider("Anthropic", Anthropic(), rules.ANTHROPIC_WITHOUT_PREFILL, "langchain-anthropic", _anthropic),
    Provider("Anthropic before Claude 4.5", Anthropic(), rules.OLD_ANTHROPIC, "langchain-anthropic", _old_anthropic),
    Provider("Gemini 2.5", Gemini(), rules.GEMINI, "langchain-google-genai", _gemini),
    Provider("Mistral", Mistral(), rules.MISTRAL, "langchain-mistralai", _mistral),
    Provider("Groq", CHAT, rules.GROQ, "langchain-groq", _groq),
    Provider("DeepSeek", CHAT, rules.DEEPSEEK, "langchain-deepseek", _deepseek),
    Provider("OpenRouter", OpenRouter(), rules.OPENROUTER, "langchain-openrouter", _openrouter),
    Provider("Ollama", Ollama(), rules.OLLAMA, "langchain-ollama", _ollama),
    Provider("Bedrock Converse", Bedrock(), rules.BEDROCK, "langchain-aws", _bedrock),
    Provider("vLLM", CHAT, rules.VLLM, "langchain-openai", _local),
    Provider("llama.cpp", CHAT, rules.LLAMA_CPP, "langchain-openai", _local),
)


def named(name: str) -> Provider:
    return next(provider for provider in PROVIDERS if provider.name == name)


def with_rules(provider: Provider, *more: Rule) -> Provider:
    """Return a provider with further rules."""
    return replace(provider, rules=(*provider.rules, *more))
