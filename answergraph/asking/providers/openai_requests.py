"""Inspects requests of langchain-openai without sending them, and sends them with less work.

Before it writes JSON, the OpenAI SDK compares each part of a request with its type hints. That takes about 0.2 ms of CPU per
message and call, and does not change the plain JSON that LangChain passes. ``extra_body`` avoids it: the SDK merges it into the
request afterwards. An empty list keeps the place of each part, so that the bytes sent are the same.

DeepSeek's API requires the thoughts that precede a call. ChatDeepSeek does not send them back, so they are added here.
"""

import json
from collections.abc import Awaitable, Mapping, Sequence
from functools import partial
from inspect import isawaitable
from types import FunctionType, MappingProxyType, MethodType
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import RunnableBinding
from pydantic import BaseModel

from answergraph.asking.providers.model_capabilities import wants_thoughts
from answergraph.runtime.recent_cache import RecentCache

_SIDES = (("client", "root_client"), ("async_client", "root_async_client"))
_FALLBACKS = "langchain_core.runnables.fallbacks"
_ON_THE_WAY = frozenset({"beta", "chat", "completions", "responses", "with_raw_response"})
_LONG_PARTS = ("messages", "input", "tools")
"""The long parts of a request."""
_RESPONSES_ONLY = frozenset({"context_management", "include", "previous_response_id", "reasoning", "text", "truncation"})
"""The settings with which ChatOpenAI calls the Responses API."""
_LANGCHAINS = "langchain_openai.chat_models."
_THOUGHTS = "reasoning_content"  # where ChatDeepSeek keeps them, and where its API wants them back


def is_openai(model: object) -> bool:
    return _class_of(model) is not None


def takes_bound_format(model: Any, tools: Sequence[object], settings: Mapping[str, object]) -> bool:
    """Return whether a ``response_format`` may be bound to ChatOpenAI beside tools, whichever API it will call.

    With one it calls the SDK's ``parse`` on chat completions; wrapped clients call ``create`` instead. Another class, or a client
    of the user's own, takes it on the Responses API only.
    """
    clients = [getattr(model, root, None) for _, root in _SIDES]
    if _may_be_wrapped(model) and len(_sdks_sides(model)) == len(clients) - clients.count(None):
        return True
    if model.use_responses_api is not None:
        return bool(model.use_responses_api)
    chosen = {*settings, *(model.model_kwargs or ()), *(name for name in _RESPONSES_ONLY if getattr(model, name, None))}
    runs_tools = any(isinstance(tool, dict) and tool.get("type", "function") != "function" for tool in tools)
    return runs_tools or not _RESPONSES_ONLY.isdisjoint(chosen)


def _class_of(model: object) -> object:
    kinds = [kind for kind in type(model).__mro__ if kind.__module__.startswith("langchain_openai.")]
    return kinds[0] if "BaseChatOpenAI" in {kind.__name__ for kind in kinds} else None


def with_plain_requests(
    runnable: Any, messages: Sequence[BaseMessage] = (), *, streams: bool = True, copies: RecentCache[object] | None = None
) -> Any:
    """Return a copy of an OpenAI model that sends the same bytes with less work, or of DeepSeek's that sends the thoughts back.

    Any other model is returned unchanged, and so is one with a class or client of the user's own. The copy is for one call with
    these messages, because a model may change between calls. Without ``streams`` the reply is not streamed, even to callbacks.
    ``copies`` keeps those of models that have not changed: LangChain describes a new one to its callbacks in 0.15 ms.
    """
    again = partial(with_plain_requests, messages=messages, streams=streams, copies=copies)
    kind = type(runnable)
    if kind is RunnableBinding:
        return runnable.model_copy(update={"bound": again(runnable.bound)})
    if kind.__module__ == _FALLBACKS:  # by name, so that the module is not imported
        fallbacks = [again(fallback) for fallback in runnable.fallbacks]
        return runnable.model_copy(update={"runnable": again(runnable.runnable), "fallbacks": fallbacks})
    if not _may_be_wrapped(runnable):
        return runnable
    if not kind.__module__.startswith(_LANGCHAINS):
        return _copy(runnable, _thoughts(messages), streams=streams)
    make = partial(_copy, runnable, streams=streams)
    return make() if copies is None else copies.get_or_make(make, runnable, *vars(runnable).values(), key=streams)


def _copy(model: BaseModel, thoughts: Mapping[str, str] = MappingProxyType({}), *, streams: bool) -> BaseModel:
    update: dict[str, object] = {} if streams else {"disable_streaming": True, "streaming": False}
    for resource, root in _sdks_sides(model):
        client = getattr(model, root)
        update |= {resource: PlainRequests(client.chat.completions, thoughts), root: PlainRequests(client, thoughts)}
    return model.model_copy(update=update)


def _may_be_wrapped(model: object) -> bool:
    """Return whether a model is of a class of langchain-openai, or DeepSeek's."""
    return type(model).__module__.startswith(_LANGCHAINS) or (is_openai(model) and wants_thoughts(model))


def _sdks_sides(model: object) -> list[tuple[str, str]]:
    """Return the names of those clients of a model, blocking and awaited, that are the SDK's own."""
    sides: list[tuple[str, str, Any]] = [(resource, root, getattr(model, root, None)) for resource, root in _SIDES]
    return [
        (resource, root)
        for resource, root, client in sides
        if type(client).__module__.split(".")[0] == "openai" and getattr(model, resource, None) is client.chat.completions
    ]


def _thoughts(messages: Sequence[BaseMessage]) -> dict[str, str]:
    """Return the thoughts that precede each call, by the id of the call."""
    replies = [m for m in messages if isinstance(m, AIMessage) and isinstance(m.additional_kwargs.get(_THOUGHTS), str)]
    return {str(call["id"]): reply.additional_kwargs[_THOUGHTS] for reply in replies for call in reply.tool_calls}


class PlainRequests:
    """Wraps a client of the OpenAI SDK, or a part of one, and passes plain JSON past its checks."""

    def __init__(self, client: object, thoughts: Mapping[str, str] = MappingProxyType({})) -> None:
        self._client = client
        self._thoughts = thoughts

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._client, name)
        if name in _ON_THE_WAY:
            return PlainRequests(attribute, self._thoughts)
        if name in ("parse", "stream"):
            return partial(self._create_if_plain, attribute, streams=name == "stream")
        return partial(self._call, attribute) if name == "create" and _is_the_sdks(attribute) else attribute

    def _create_if_plain(self, method: Any, *, streams: bool, **request: object) -> object:
        """Send a format of plain JSON by ``create``: the SDK's parsing makes tools strict, and raises if an answer is cut."""
        if "messages" not in request or not isinstance(request.get("response_format"), dict):
            return method(**request)
        sent = self.create(**request, stream=streams)
        return _Opened(sent) if streams and isawaitable(sent) else sent

    def _call(self, method: Any, **request: Any) -> object:
        """Call the SDK with the long parts of a request in ``extra_body``, without overwriting the user's own keys."""
        if self._thoughts:
            request["messages"] = [self._with_thoughts(message) for message in request["messages"]]
        long = {name: request[name] for name in _LONG_PARTS if isinstance(request.get(name), list) and _is_plain(request[name])}
        extra: Mapping[str, object] = request.get("extra_body") or {}
        return method(**({**request, **{name: [] for name in long}, "extra_body": {**long, **extra}} if long else request))

    def _with_thoughts(self, message: dict[str, Any]) -> dict[str, object]:
        thoughts = next((self._thoughts.get(call["id"]) for call in message.get("tool_calls") or ()), None)
        return message if thoughts is None else {**message, _THOUGHTS: thoughts}


class _Opened:
    """A stream that is opened where it is used, as those of the SDK's ``stream`` are."""

    def __init__(self, waiting: Awaitable[Any]) -> None:
        self._waiting = waiting

    async def __aenter__(self) -> Any:
        self._stream = await self._waiting
        return self._stream

    async def __aexit__(self, *_: object) -> None:
        await self._stream.close()


def _is_the_sdks(method: object) -> bool:
    """Return whether a method and all it wraps are the SDK's: user wrappers must see the messages."""
    while method is not None:
        function = method.__func__ if type(method) is MethodType else method
        if type(function) is not FunctionType or not str(function.__globals__.get("__name__")).startswith("openai."):
            return False
        method = function.__dict__.get("__wrapped__")
    return True


def _is_plain(value: list[object]) -> bool:
    """Return whether a value is plain JSON, which the SDK would leave unchanged."""
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return False
    return True
