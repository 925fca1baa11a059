"""Spares OpenAI-compatible models the type check of the OpenAI SDK on every message of every request.

The SDK compares each part of a request with its type hints before it writes it as JSON, about 0.2 ms of CPU per message and call;
the plain JSON that LangChain gives it stays unchanged. It is handed over as ``extra_body``, which the SDK merges into the request
afterwards; an empty list keeps its place, so that the bytes sent are the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from langchain_core.language_models import BaseChatModel

from answergraph.state.errors import AgentSpecError

ModelT = TypeVar("ModelT", bound=BaseChatModel)

_LONG = ("messages", "input", "tools")
"""The long parts of a request: those that grow with the conversation, and the tools."""


def without_request_transform(model: ModelT) -> ModelT:
    """Return a copy of an OpenAI-compatible model that hands its messages and tools to the SDK as plain JSON.

    The requests are the same, byte for byte; the longer the conversation, the more CPU is saved. Anything but plain JSON takes
    the SDK's own way.

    Args:
        model: A ``ChatOpenAI``, or another chat model of ``langchain-openai`` or built on it.

    Returns:
        A copy with clients of its own that share connections, key and settings with the model's.

    Raises:
        AgentSpecError: If the model has no client of the OpenAI SDK.

    Example:
        ```python
        agent = create_agent(without_request_transform(ChatOpenAI(model="gpt-4.1")), tools)
        ```
    """
    found: Any = model
    sides = (("client", "root_client"), ("async_client", "root_async_client"))
    update: dict[str, Any] = {}
    for resource, root in sides:
        client = getattr(found, root, None)
        # A client that is not the SDK's own resource was put there by somebody for a reason.
        if client is not None and getattr(found, resource, None) is client.chat.completions:
            update[root] = _lean_client(client)
            update[resource] = update[root].chat.completions
    if not update:
        raise AgentSpecError(f"{type(model).__name__} has no client of the OpenAI SDK; pass a ChatOpenAI or a model built on it.")
    return model.model_copy(update=update)


def _lean_client(client: Any) -> Any:
    """Return a copy of the SDK's client whose resources for chats hand plain requests over."""
    lean = client.copy()
    for owner, name in ((lean.chat, "completions"), (lean.beta.chat, "completions"), (lean, "responses")):
        resource = getattr(owner, name)
        # The SDK makes its resources when they are first asked for, and keeps them as attributes that may be set.
        setattr(owner, name, type(f"Lean{type(resource).__name__}", (_LeanRequests, type(resource)), {})(lean))
    return lean


class _LeanRequests:
    """The methods of the SDK's chat resources that send a conversation; awaitable where those are."""

    def create(self, **request: Any) -> Any:
        parent: Any = super()
        return parent.create(**_handed_over(request, _LONG))

    def parse(self, **request: Any) -> Any:
        # ``parse`` reads the tools itself, to know what it parses.
        parent: Any = super()
        return parent.parse(**_handed_over(request, _LONG[:2]))


def _handed_over(request: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Return a request with its long parts in ``extra_body``, where the user's own keys win."""
    long = {name: request[name] for name in names if isinstance(request.get(name), list) and _is_plain(request[name])}
    extra: Mapping[str, Any] = request.get("extra_body") or {}
    return {**request, **{name: [] for name in long}, "extra_body": {**long, **extra}} if long else request


def _is_plain(value: Any) -> bool:
    """Return whether a value is plain JSON, which the SDK would leave unchanged."""
    if isinstance(value, list):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    return value is None or isinstance(value, str | int | float)
