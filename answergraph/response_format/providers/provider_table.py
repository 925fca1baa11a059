"""The table of provider families: how a model of each is recognised, and which ways of asking for an answer it takes.

The only place that knows the names of models, clients and providers. It decides which strategy the automatic one starts with and
which ones it skips; a row that is wrong or out of date costs one refused request.
"""

from __future__ import annotations

import re
from functools import lru_cache

from answergraph.response_format.providers.provider_family import Availability, ProviderFamily, Ways
from answergraph.response_format.wire.dialects import Dialect

ALWAYS, NEVER = Availability.ALWAYS, Availability.NEVER
WITHOUT_TOOLS, WITHOUT_THINKING = Availability.WITHOUT_TOOLS, Availability.WITHOUT_THINKING

_SERVERS = (
    ProviderFamily(
        "Azure OpenAI",
        Ways(native=ALWAYS, forced_tool=ALWAYS, json_mode=ALWAYS),
        clients=frozenset({"AzureChatOpenAI", "AzureAIChatCompletionsModel", "AzureAIOpenAIApiChatModel"}),
        address=r"\.openai\.azure\.com|\.services\.ai\.azure\.com",
        gateway=True,
        sources=(
            "https://learn.microsoft.com/en-us/azure/ai-foundry/openai/how-to/structured-outputs",
            "https://learn.microsoft.com/en-us/answers/questions/2278693/structured-output-is-not-supported-in-non-openai-m",
        ),
        note="API versions before 2024-08-01-preview refuse a JSON schema. A client without a model name counts as unknown: "
        "deployments bear any name.",
    ),
    ProviderFamily(
        "Amazon Bedrock",
        Ways(native=ALWAYS, forced_tool=WITHOUT_THINKING, json_mode=NEVER),
        clients=frozenset({"ChatBedrockConverse", "ChatBedrock", "ChatAnthropicBedrock"}),
        address=r"bedrock-runtime\.",
        gateway=True,
        sources=(
            "https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html",
            "https://github.com/langchain-ai/langchain-aws/issues/925",
            "https://github.com/strands-agents/harness-sdk/issues/1241",
        ),
        note="Converse has no JSON mode without a schema. Many models refuse a forced call; LangChain's client says so in "
        "`supports_tool_choice_values`, which is asked first.",
    ),
    ProviderFamily(
        "OpenRouter",
        Ways(native=ALWAYS, forced_tool=WITHOUT_THINKING, json_mode=ALWAYS),
        clients=frozenset({"ChatOpenRouter"}),
        address=r"openrouter\.ai",
        gateway=True,
        sources=("https://openrouter.ai/docs/api_reference/overview", "https://github.com/pydantic/pydantic-ai/pull/6957"),
        note="Drops the reasoning without a word where a tool call is forced; seen with Anthropic's models, taken "
        "as true of all.",
    ),
    ProviderFamily(
        "Ollama",
        Ways(native=WITHOUT_TOOLS, forced_tool=NEVER, json_mode=WITHOUT_TOOLS),
        clients=frozenset({"ChatOllama"}),
        address=r":11434\b|\bollama\.com",
        dialect=Dialect.PLAIN,
        sources=(
            "https://github.com/ollama/ollama/issues/17921",
            "https://github.com/ollama/ollama/issues/13750",
            "https://github.com/ollama/ollama/issues/11185",
            "https://github.com/ollama/ollama/issues/12362",
        ),
        note="Takes a forced call and ignores it; a format beside tools keeps the model from calling them. Ollama's cloud takes "
        "a schema and does not hold the model to it.",
    ),
    ProviderFamily(
        "vLLM",
        Ways(native=WITHOUT_TOOLS, forced_tool=ALWAYS, json_mode=WITHOUT_TOOLS),
        clients=frozenset({"ChatVLLM", "VLLMOpenAI"}),
        address=r"\bvllm\b",
        usual_port=r":8000/v1",
        dialect=Dialect.PLAIN,
        sources=("https://github.com/vllm-project/vllm/issues/39929", "https://github.com/vllm-project/vllm/issues/44216"),
        note="A format beside tools is held to in every turn, so that no tool is called and the answer is made up. Its usual "
        "port is a guess and does not count for models that it cannot serve, such as OpenAI's behind a proxy. With gpt-oss a "
        "forced call was seen to be ignored.",
    ),
    ProviderFamily(
        "Groq",
        Ways(native=WITHOUT_TOOLS, forced_tool=ALWAYS, json_mode=WITHOUT_TOOLS),
        clients=frozenset({"ChatGroq"}),
        address=r"api\.groq\.com",
        sources=(
            "https://console.groq.com/docs/structured-outputs",
            "https://github.com/langchain-ai/langchain/issues/33863",
            "https://github.com/agno-agi/agno/issues/1065",
        ),
        note="Refuses any format beside tools. Some of its models have no JSON schema mode and refuse it without tools too.",
    ),
)

_MODELS = (
    ProviderFamily(
        "DeepSeek",
        Ways(native=NEVER, forced_tool=WITHOUT_THINKING, json_mode=ALWAYS),
        clients=frozenset({"ChatDeepSeek"}),
        address=r"api\.deepseek\.com",
        models=r"deepseek",
        thinks=r"deepseek-(reasoner|r\d|v[4-9]|flash|pro)",
        sources=(
            "https://api-docs.deepseek.com/guides/thinking_mode",
            "https://github.com/langchain-ai/langchain/issues/29282",
            "https://github.com/deepseek-ai/DeepSeek-V3/issues/1376",
        ),
        note="From V4 on it thinks unless told not to.",
    ),
    ProviderFamily(
        "Mistral",
        Ways(native=WITHOUT_TOOLS, forced_tool=ALWAYS, json_mode=WITHOUT_TOOLS),
        clients=frozenset({"ChatMistralAI"}),
        address=r"api\.mistral\.ai",
        models=r"(open-)?mi[sx]tral|ministral|magistral|codestral|devstral|pixtral",
        user_after_tool=False,
        sources=(
            "https://docs.mistral.ai/capabilities/structured-output/custom_structured_output/",
            "https://docs.mistral.ai/capabilities/function_calling/",
            "https://github.com/mistralai/client-python/issues/414",
            "https://github.com/NousResearch/hermes-agent/issues/20154",
        ),
        note="Refuses a user message right after a tool message; a short reply is put between them. That a format does not go "
        "with tools was reported for tools of Mistral's own; for a user's it is caution.",
    ),
    ProviderFamily(
        "Qwen",
        Ways(native=NEVER, forced_tool=WITHOUT_THINKING, json_mode=WITHOUT_THINKING),
        clients=frozenset({"ChatQwen", "ChatQwQ", "ChatTongyi"}),
        address=r"dashscope[\w-]*\.aliyuncs\.com",
        models=r"qwen[\d.]*|qwq|qvq",
        thinks=r"qwq|qvq|qwen[\w.-]*-thinking|qwen3\.[5-9]",
        sources=(
            "https://www.alibabacloud.com/help/en/model-studio/json-mode",
            "https://www.alibabacloud.com/help/en/model-studio/qwen-structured-output",
            "https://github.com/cloudwego/eino/issues/994",
            "https://github.com/presenton/presenton/issues/184",
        ),
        note="Of Alibaba's own service, some take a JSON schema (qwen3-max, qwen-plus and qwen-flash since 2025, says its "
        "document of February 2026), and other servers of the same names may not. Which think unless told not to is not certain.",
    ),
    ProviderFamily(
        "OpenAI",
        Ways(native=ALWAYS, forced_tool=ALWAYS, json_mode=ALWAYS),
        models=r"gpt-4o(?!-2024-05-13)|gpt-4\.1|gpt-[5-9][.\d]*|o[34]",
        open_weights=False,
        sources=(
            "https://platform.openai.com/docs/guides/structured-outputs#supported-models",
            "https://platform.openai.com/docs/guides/function-calling#tool-choice",
        ),
    ),
    ProviderFamily(
        "OpenAI before GPT-4o",
        Ways(native=NEVER, forced_tool=ALWAYS, json_mode=ALWAYS),
        models=r"gpt-4o?|gpt-3\.5",
        open_weights=False,
        sources=("https://platform.openai.com/docs/guides/structured-outputs#supported-models",),
        note="The oldest of them have no JSON mode and refuse it.",
    ),
    ProviderFamily(
        "Anthropic",
        Ways(native=ALWAYS, forced_tool=WITHOUT_THINKING, json_mode=NEVER),
        models=r"claude-(sonnet|opus|haiku|fable|mythos)-(4[-.][5-9]|[5-9])",
        open_weights=False,
        dialect=Dialect.ANTHROPIC,
        sources=(
            "https://docs.claude.com/en/docs/build-with-claude/structured-outputs",
            "https://docs.claude.com/en/docs/build-with-claude/extended-thinking",
            "https://github.com/langchain-ai/langchain/issues/35539",
            "https://github.com/pydantic/pydantic-ai/issues/7195",
        ),
        note="Adaptive thinking goes with a forced call, thinking with a budget does not. No JSON mode without a schema.",
    ),
    ProviderFamily(
        "Anthropic before Claude 4.5",
        Ways(native=NEVER, forced_tool=WITHOUT_THINKING, json_mode=NEVER),
        models=r"claude",
        open_weights=False,
        dialect=Dialect.ANTHROPIC,
        sources=(
            "https://docs.claude.com/en/docs/build-with-claude/structured-outputs",
            "https://docs.claude.com/en/docs/build-with-claude/extended-thinking",
        ),
    ),
    ProviderFamily(
        "Gemini before 3",
        Ways(native=WITHOUT_TOOLS, forced_tool=ALWAYS, json_mode=WITHOUT_TOOLS),
        models=r"gemini-(pro|ultra|nano|[12])",
        open_weights=False,
        dialect=Dialect.GEMINI,
        sources=(
            "https://ai.google.dev/gemini-api/docs/structured-output",
            "https://github.com/googleapis/python-genai/issues/867",
        ),
        note="Refuses any format beside tools.",
    ),
    ProviderFamily(
        "Gemini",
        Ways(native=ALWAYS, forced_tool=ALWAYS, json_mode=ALWAYS),
        models=r"gemini",
        open_weights=False,
        dialect=Dialect.GEMINI,
        sources=(
            "https://ai.google.dev/gemini-api/docs/structured-output",
            "https://github.com/langchain-ai/langchain/issues/34463",
        ),
    ),
    ProviderFamily(
        "xAI",
        Ways(native=ALWAYS, forced_tool=ALWAYS, json_mode=ALWAYS),
        models=r"grok-[4-9][.\d]*|grok-build",
        open_weights=False,
        sources=("https://docs.x.ai/docs/guides/structured-outputs", "https://docs.x.ai/docs/guides/function-calling"),
    ),
)

_LOCAL = Ways(native=WITHOUT_TOOLS, forced_tool=NEVER, json_mode=WITHOUT_TOOLS)
_LLAMA_CPP_SOURCES = (
    "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
    "https://github.com/ggml-org/llama.cpp/blob/master/docs/function-calling.md",
)

_BY_PORT = (
    ProviderFamily(
        "llama.cpp or LocalAI",
        _LOCAL,
        usual_port=r":8080\b",
        dialect=Dialect.PLAIN,
        answers_last=True,
        sources=_LLAMA_CPP_SOURCES,
        note="Holds a model to a schema by a grammar. Takes a forced call and does not enforce it; drops tools without "
        "a word where the model's template has none. A format beside tools keeps the model from calling them.",
    ),
    ProviderFamily(
        "LM Studio",
        _LOCAL,
        usual_port=r":1234\b",
        dialect=Dialect.PLAIN,
        answers_last=True,
        sources=("https://lmstudio.ai/docs/developer/openai-compat/structured-output", *_LLAMA_CPP_SOURCES),
        note="Serves by llama.cpp, among others.",
    ),
    ProviderFamily(
        "SGLang",
        Ways(native=WITHOUT_TOOLS, forced_tool=ALWAYS, json_mode=WITHOUT_TOOLS),
        usual_port=r":30000\b",
        dialect=Dialect.PLAIN,
        sources=(
            "https://docs.sglang.io/advanced_features/structured_outputs.html",
            "https://docs.sglang.io/advanced_features/tool_parser.html",
        ),
    ),
)

COMPATIBLE = ProviderFamily(
    "any other server at an address of its own",
    _LOCAL,
    dialect=Dialect.PLAIN,
    answers_last=True,
    sources=("https://github.com/langchain-ai/langchain/issues/34129",),
    note="A client of OpenAI's API with another address. The name of a model says nothing of its server, unless only its maker "
    "serves it. Most such servers hold a model to a schema; one that refuses is remembered after one request.",
)
"""The row of servers that speak OpenAI's API at an address that no other row knows."""
_OPENAI_CLIENTS = frozenset({"BaseChatOpenAI"})
_OPENAI_ADDRESS = r"api\.openai\.com"

UNKNOWN = ProviderFamily(
    "any other",
    Ways(native=NEVER, forced_tool=WITHOUT_THINKING, json_mode=ALWAYS),
    models=r".*",
    sources=("https://github.com/langchain-ai/langchain/issues/34129",),
    note="A model's profile may say that it has a JSON schema mode. The rest is learned from what the provider refuses.",
)
"""The row of all other models."""

FAMILIES: tuple[ProviderFamily, ...] = (*_SERVERS, *_BY_PORT, *_MODELS, COMPATIBLE, UNKNOWN)
"""The table. The first row that matches a client or address counts, and the first one that matches a name."""


@lru_cache(maxsize=256)
def matching_families(clients: frozenset[str], address: str, model: str) -> tuple[ProviderFamily, ...]:
    """Return the rows that match a model: the one that serves it, and the one of its name unless the server is no gateway.

    A way of asking must be right by all of them. ``clients`` are the names of the model's class and its bases; ``model`` is its
    name in lower case; name and address are empty if the model does not tell.
    """
    named = next(family for family in FAMILIES if family.has(model))
    server = next((family for family in FAMILIES if family.serves(clients, address)), None)
    if server is None and named.open_weights:
        server = next((family for family in FAMILIES if family.may_serve(address)), None)
        if server is None and address and not _OPENAI_CLIENTS.isdisjoint(clients) and not re.search(_OPENAI_ADDRESS, address):
            server = COMPATIBLE
    if server is None:
        return (named,)
    return (server, named) if server.gateway else (server,)
