"""The provider's own JSON-schema mode, as each client library takes it."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import HumanMessage

from answergraph.response_format.model_request import ModelRequest
from answergraph.response_format.strategies.strategy import Binding


def native_format_binding(request: ModelRequest[Any], response_format: dict[str, Any]) -> Binding:
    """Return the binding that sends a format of OpenAI's shape beside a request's tools and leaves these unchanged.

    ChatOpenAI hands a ``response_format`` that is bound together with tools to the SDK's ``parse``, which makes the tools
    strict, or refuses them, and raises where an answer is cut. For chat completions the format is therefore put into the
    request's body, for the Responses API it is bound after the tools.
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
    """Return which API ChatOpenAI will call: its field decides, else the request it would make of these tools and settings."""
    model: Any = request.model
    decided = getattr(model, "use_responses_api", None)
    # The method that langchain-openai and the packages built on it make every request with; it sends nothing.
    payload_of = getattr(model, "_get_request_payload", None)
    if decided is not None or payload_of is None:
        return bool(decided)
    settings = request.model_settings
    bound = model.bind_tools(request.tools, **settings) if request.tools else model.bind(**settings)
    return "input" in payload_of([HumanMessage("?")], **bound.kwargs)  # chat completions take "messages" in its place
