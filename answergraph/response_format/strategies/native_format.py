"""The provider's own JSON-schema mode, as each client library takes it."""

from __future__ import annotations

from typing import Any

from answergraph.response_format.model_request import ModelRequest
from answergraph.response_format.providers.model_capabilities import model_name
from answergraph.response_format.providers.provider_table import asks_responses_api
from answergraph.response_format.strategies.strategy import Binding


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
    return provider_tools or (bool(request.tools) and asks_responses_api(model_name(request.model)))
