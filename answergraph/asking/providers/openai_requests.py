"""Inspects requests of langchain-openai without sending them, and sends them with less work.

Before it writes JSON, the OpenAI SDK compares each part of a request with its type hints. That takes about 0.2 ms of CPU per
message and call, and does not change the plain JSON that LangChain passes. ``extra_body`` avoids it: the SDK merges it into the
request afterwards. An empty list keeps the place of each part, so that the bytes sent are the same.

DeepSeek's API requires the thoughts that precede a call. ChatDeepSeek does not send them back, so they are added here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextvars import Context
from functools import partial
from types import FunctionType, MappingProxyType, MethodType
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableBinding
from langsmith import tracing_context  # langchain-core, which traces with it, requires it

from answergraph.asking.providers.model_capabilities import wants_thoughts

_SIDES = (("client", "root_client"), ("async_client", "root_async_client"))
_FALLBACKS = "langchain_core.runnables.fallbacks"
_ON_THE_WAY = frozenset({"chat", "completions", "responses", "with_raw_response"})
_LONG_PARTS = {"create": ("messages", "input", "tools"), "parse": ("messages", "input")}
"""The long parts of a request, per method; ``parse`` needs the tools itself."""
_ALONE = {"cache": False, "rate_limiter": None, "callbacks": None, "streaming": False, "verbose": False}
"""Values that keep a call of a chat model from reaching anything but its client."""
_THOUGHTS = "reasoning_content"  # where ChatDeepSeek keeps them, and where its API wants them back


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


def with_plain_requests(runnable: Any, messages: Sequence[BaseMessage] = (), *, streams: bool = True) -> Any:
    """Return a copy of an OpenAI model that sends the same bytes with less work, or of DeepSeek's that sends the thoughts back.

    Any other model is returned unchanged, and so is one with a class or client of the user's own. The copy is for one call with
    these messages, because a model may change between calls. Without ``streams`` the reply is not streamed, even to callbacks.
    """
    again = partial(with_plain_requests, messages=messages, streams=streams)
    kind = type(runnable)
    if kind is RunnableBinding:
        return runnable.model_copy(update={"bound": again(runnable.bound)})
    if kind.__module__ == _FALLBACKS:  # by name, so that the module is not imported
        rest = [again(fallback) for fallback in runnable.fallbacks]
        return runnable.model_copy(update={"runnable": again(runnable.runnable), "fallbacks": rest})
    is_own = kind.__module__.startswith("langchain_openai.chat_models.")
    if not is_own and not (is_openai(runnable) and wants_thoughts(runnable)):
        return runnable
    thoughts = {} if is_own else _thoughts(messages)
    update: dict[str, Any] = {} if streams else {"disable_streaming": True, "streaming": False}
    for resource, root in _SIDES:
        client: Any = getattr(runnable, root, None)
        if type(client).__module__.split(".")[0] == "openai" and getattr(runnable, resource, None) is client.chat.completions:
            update |= {resource: PlainRequests(client.chat.completions, thoughts), root: PlainRequests(client, thoughts)}
    return runnable.model_copy(update=update)


def _thoughts(messages: Sequence[BaseMessage]) -> dict[str, str]:
    """Return the thoughts that precede each call, by the id of the call."""
    replies = [m for m in messages if isinstance(m, AIMessage) and isinstance(m.additional_kwargs.get(_THOUGHTS), str)]
    return {str(call["id"]): reply.additional_kwargs[_THOUGHTS] for reply in replies for call in reply.tool_calls}


class PlainRequests:
    """Wraps a client of the OpenAI SDK, or a part of one, and passes plain JSON past its checks."""

    def __init__(self, client: Any, thoughts: Mapping[str, str] = MappingProxyType({})) -> None:
        self._client = client
        self._thoughts = thoughts

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._client, name)
        if name in _ON_THE_WAY:
            return PlainRequests(found, self._thoughts)
        return partial(self._call, found, _LONG_PARTS[name]) if name in _LONG_PARTS and _is_the_sdks(found) else found

    def _call(self, method: Any, long_parts: tuple[str, ...], **request: Any) -> Any:
        """Call the SDK with the long parts of a request in ``extra_body``, without overwriting the user's own keys."""
        if self._thoughts:
            request["messages"] = [self._with_thoughts(message) for message in request["messages"]]
        long = {name: request[name] for name in long_parts if isinstance(request.get(name), list) and _is_plain(request[name])}
        extra: Mapping[str, Any] = request.get("extra_body") or {}
        return method(**({**request, **{name: [] for name in long}, "extra_body": {**long, **extra}} if long else request))

    def _with_thoughts(self, message: dict[str, Any]) -> dict[str, Any]:
        thoughts = next((self._thoughts.get(call["id"]) for call in message.get("tool_calls") or ()), None)
        return message if thoughts is None else {**message, _THOUGHTS: thoughts}


def _is_the_sdks(method: Any) -> bool:
    """Return whether a method and all it wraps are the SDK's: user wrappers must see the messages."""
    while method is not None:
        function = method.__func__ if type(method) is MethodType else method
        if type(function) is not FunctionType or not str(function.__globals__.get("__name__")).startswith("openai."):
            return False
        method = function.__dict__.get("__wrapped__")
    return True


def _is_plain(value: list[Any]) -> bool:
    """Return whether a value is plain JSON, which the SDK would leave unchanged."""
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return False
    return True
