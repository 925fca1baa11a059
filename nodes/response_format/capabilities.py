"""What models can do, and how their clients want to be asked; the only place that knows model names and client quirks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from langchain_core.language_models import BaseChatModel

from answergraph.nodes.response_format.strategy import Binding

if TYPE_CHECKING:
    from answergraph.nodes.model_call import ModelRequest

# Used where a model carries no profile that says so. Matched against whole segments of the model's name, which gateways
# prefix ("openai/gpt-4o", "us.anthropic.claude-sonnet-4-5-20250929-v1:0").
_NATIVE_FORMAT_NAMES = (
    # https://platform.openai.com/docs/guides/structured-outputs#supported-models
    r"gpt-4o(?!-2024-05-13)",
    r"gpt-4\.1",
    r"gpt-[5-9](\.\d+)?",
    r"o[34](-mini)?",
    # https://docs.claude.com/en/docs/build-with-claude/structured-outputs
    r"claude-(sonnet|opus|haiku|fable|mythos)-(4-[5-9]|[5-9])",
    # https://docs.x.ai/docs/guides/structured-outputs
    r"grok-[4-9](\.\d+)?",
    r"grok-build",
)
_NATIVE_FORMAT = re.compile(rf"(^|[/:.])({'|'.join(_NATIVE_FORMAT_NAMES)})($|[-/:.@])")

# Gemini before version 3 refuses a response schema beside tools.
# https://ai.google.dev/gemini-api/docs/structured-output
_NO_FORMAT_BESIDE_TOOLS = re.compile(r"gemini-(?:pro|ultra|nano|[12][.-])")


def model_name(model: Any) -> str:
    """Return a chat model's name as its provider knows it, empty if it does not tell."""
    for attribute in ("model_name", "model", "model_id"):
        name = getattr(model, attribute, None)
        if name and isinstance(name, str):
            return name
    return ""


def supports_native_format(model: BaseChatModel, tools: Sequence[Any]) -> bool:
    """Return whether a model can be held to a JSON schema by its provider in this call.

    Args:
        model: The chat model; its ``profile`` is asked first, then the table of names.
        tools: The tools that go along.

    Returns:
        ``True`` if the provider's own mode may be used.
    """
    name = model_name(model).lower()
    if tools and _NO_FORMAT_BESIDE_TOOLS.search(name):
        return False
    profile = getattr(model, "profile", None)
    if profile is not None and "structured_output" in profile:
        return bool(profile["structured_output"])
    return _NATIVE_FORMAT.search(name) is not None


def refuses_forced_tools(model: Any) -> bool:
    """Return whether a model is known to refuse a forced tool call: with thinking on, Anthropic's API does.

    Source: https://docs.claude.com/en/docs/build-with-claude/extended-thinking, "Tool choice limitation". Adaptive thinking is
    not affected.
    """
    thinking = getattr(model, "thinking", None)
    return isinstance(thinking, dict) and thinking.get("type") == "enabled"


def native_format_binding(request: ModelRequest[Any], response_format: dict[str, Any]) -> Binding:
    """Return the binding that sends a format beside a request's tools and leaves these as they are.

    ChatOpenAI hands a ``response_format`` that is bound together with tools to the SDK's ``parse``, which makes the tools
    strict, or refuses them, and raises where an answer is cut. On chat completions the format therefore goes with the
    request's body, on the Responses API it is bound after the tools; both were seen on the wire.

    Args:
        request: The request, for its model, tools and settings.
        response_format: The format in OpenAI's shape.

    Returns:
        The binding.
    """
    model = request.model
    if not _is_openai(model):
        return Binding(request.tools, {"response_format": response_format})
    if _uses_responses_api(request):
        return Binding(request.tools, late_settings={"response_format": response_format})
    # Binding an extra body replaces the model's own: what a user put there goes along.
    own = getattr(model, "extra_body", None) or {}
    given = request.model_settings.get("extra_body") or {}
    return Binding(request.tools, {"extra_body": {**own, **given, "response_format": response_format}})


def _is_openai(model: Any) -> bool:
    return any(c.__name__ == "BaseChatOpenAI" and c.__module__.startswith("langchain_openai") for c in type(model).__mro__)


def _uses_responses_api(request: ModelRequest[Any]) -> bool:
    """Return which API ChatOpenAI will take: as it is told, else by the model's name and by tools of the provider's own."""
    told = getattr(request.model, "use_responses_api", None)
    if told is not None:
        return bool(told)
    provider_tools = any(isinstance(tool, dict) and tool.get("type") not in (None, "function") for tool in request.tools)
    return provider_tools or (bool(request.tools) and model_name(request.model).startswith("gpt-6"))
