"""Inspects requests of langchain-openai without sending them, and sends them with less work.

The OpenAI SDK checks every part of a request against its type hints, about 0.2 ms of CPU per message and call. Plain JSON
passes unchanged, so it goes in ``extra_body``, which the SDK merges later; an empty list keeps its place, so that the same
bytes are sent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextvars import Context
from functools import partial
from types import FunctionType, MethodType
from typing import Any

from langchain_core.runnables import RunnableBinding
from langsmith import tracing_context  # langchain-core, which traces with it, requires it

_SIDES = (("client", "root_client"), ("async_client", "root_async_client"))
_FALLBACKS = "langchain_core.runnables.fallbacks"
_ON_THE_WAY = frozenset({"chat", "completions", "responses", "with_raw_response"})
_LONG_PARTS = {"create": ("messages", "input", "tools"), "parse": ("messages", "input")}
"""The long parts of a request, per method; ``parse`` needs the tools itself."""
_ALONE = {"cache": False, "rate_limiter": None, "callbacks": None, "streaming": False, "verbose": False}
"""Fields of a chat model that redirect calls away from its client."""


def is_openai(model: Any) -> bool:
    return _class_of(model) is not None


def uses_responses_api(model: Any, tools: Sequence[Any], settings: Mapping[str, Any]) -> bool:
    """Return whether ChatOpenAI will call the Responses API, by its field or by a request that is not sent."""
    kind, decided = _class_of(model), model.use_responses_api
    if decided is not None or kind is None:
        return bool(decided)
    # The class of langchain-openai, so that no user method is called.
    asked = kind.model_construct(**{**dict(model), **{name: _Recorder() for side in _SIDES for name in side}, **_ALONE})
    bound = asked.bind_tools(tools, **settings) if tools else asked.bind(**settings)
    try:
        Context().run(_invoke, bound)
    except _Asked as seen:
        return "input" in seen.request  # chat completions have "messages" instead
    return False


def _class_of(model: Any) -> Any:
    """Return a model's class or base in langchain-openai."""
    kinds = [kind for kind in type(model).__mro__ if kind.__module__.startswith("langchain_openai.")]
    return kinds[0] if "BaseChatOpenAI" in {kind.__name__ for kind in kinds} else None


def _invoke(bound: Any) -> None:
    with tracing_context(enabled=False):
        bound.invoke("?")


class _Asked(Exception):  # noqa: N818 - no error: it carries the request out of the model
    """A request to a client."""

    def __init__(self, request: dict[str, Any]) -> None:
        self.request = request


class _Recorder:
    """A stand-in for a client of the OpenAI SDK and all its parts; raises the request instead of sending it."""

    def __getattr__(self, name: str) -> _Recorder:
        return self

    def __call__(self, **request: Any) -> None:
        raise _Asked(request)


def with_plain_requests(runnable: Any) -> Any:
    """Return a copy of an OpenAI model that sends the same bytes with less work; other models unchanged.

    The copy is for one call, because a model may change. Models and clients of user classes stay unchanged.
    """
    kind = type(runnable)
    if kind is RunnableBinding:
        return runnable.model_copy(update={"bound": with_plain_requests(runnable.bound)})
    if kind.__module__ == _FALLBACKS:  # imported only if needed
        rest = [with_plain_requests(fallback) for fallback in runnable.fallbacks]
        return runnable.model_copy(update={"runnable": with_plain_requests(runnable.runnable), "fallbacks": rest})
    if not kind.__module__.startswith("langchain_openai.chat_models."):
        return runnable
    update: dict[str, Any] = {}
    for resource, root in _SIDES:
        client: Any = getattr(runnable, root, None)
        if type(client).__module__.split(".")[0] == "openai" and getattr(runnable, resource, None) is client.chat.completions:
            update |= {resource: PlainRequests(client.chat.completions), root: PlainRequests(client)}
    return runnable.model_copy(update=update)


class PlainRequests:
    """Wraps a client of the OpenAI SDK, or a part of one, and passes plain JSON past its checks."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._client, name)
        if name in _ON_THE_WAY:
            return PlainRequests(found)
        return partial(_call, found, _LONG_PARTS[name]) if name in _LONG_PARTS and _is_the_sdks(found) else found


def _is_the_sdks(method: Any) -> bool:
    """Return whether a method and all it wraps are the SDK's: user wrappers must see the messages."""
    while method is not None:
        function = method.__func__ if type(method) is MethodType else method
        if type(function) is not FunctionType or not str(function.__globals__.get("__name__")).startswith("openai."):
            return False
        method = function.__dict__.get("__wrapped__")
    return True


def _call(method: Any, long_parts: tuple[str, ...], **request: Any) -> Any:
    """Call the SDK with the long parts of a request in ``extra_body``, where the user's own keys win."""
    long = {name: request[name] for name in long_parts if isinstance(request.get(name), list) and _is_plain(request[name])}
    extra: Mapping[str, Any] = request.get("extra_body") or {}
    return method(**({**request, **{name: [] for name in long}, "extra_body": {**long, **extra}} if long else request))


def _is_plain(value: list[Any]) -> bool:
    """Return whether a value is plain JSON, which the SDK would leave unchanged."""
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return False
    return True
