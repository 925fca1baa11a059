"""A chat model for your tests: it gives scripted replies and remembers the requests.

It has the tool-calling interface of a real model, needs no key or network, and is thread-safe.
"""

import inspect
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

from langchain_core.messages import AIMessage, BaseMessage
from pydantic import InstanceOf, PrivateAttr

from answergraph.models.in_process.in_process_model import ChatRequest, InProcessChatModel
from answergraph.runtime.argument_checks import shown
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.explained_arguments import explains_arguments

Reply = InstanceOf[AIMessage] | str | InstanceOf[Exception]
"""A message, the text of one, or an error to raise."""

_MAX_SHOWN_CHARACTERS = 200


class ScriptExhaustedError(RuntimeError):
    """A ``ScriptedChatModel`` got more requests than it has replies."""


@dataclass(frozen=True)
class ScriptedRequest(ChatRequest):
    """One request to a ``ScriptedChatModel``: ``messages``, ``tools``, ``tool_choice`` and all other ``kwargs``."""

    @property
    def tool_names(self) -> list[str]:
        """The names of the bound tools, in order; a provider tool without a name goes by its type."""
        return [_tool_name(tool) for tool in self.tools]


class _Log:
    """The requests to a model and its copies, oldest first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: list[ScriptedRequest] = []

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self  # copies share one script, deep ones too

    def add(self, request: ScriptedRequest) -> int:
        with self._lock:
            self._requests.append(request)
            return len(self._requests) - 1

    def requests(self) -> list[ScriptedRequest]:
        with self._lock:
            return list(self._requests)


@explains_arguments("ScriptedChatModel(replies=['Hello.'])")
class ScriptedChatModel(InProcessChatModel):
    """A chat model that gives scripted replies, in order or by a function, and remembers every request.

    Usage metadata is added to replies that have none: an estimate, one token for four characters. Streamed, a reply comes in
    chunks of ``chunk_size`` characters, tool calls too. To imitate a certain model, set ``profile`` and ``model_name``. Copies of
    a model, bound or made by ``model_copy``, share its script and its ``requests``.

    Example:
        >>> from langchain_core.messages import AIMessage, BaseMessage
        >>> from langchain_core.tools import tool
        >>> @tool
        ... def add(a: float, b: float) -> float:
        ...     '''Add two numbers.'''
        ...     return a + b
        >>> call = {"name": "add", "args": {"a": 2, "b": 2}, "id": "call_1"}
        >>> model = ScriptedChatModel(replies=[AIMessage("", tool_calls=[call]), "It is 4."])
        >>> bound = model.bind_tools([add], tool_choice="any")
        >>> bound.invoke("What is 2 + 2?").tool_calls[0]["name"]
        'add'
        >>> model.requests[0].tool_names, model.requests[0].tool_choice
        (['add'], 'any')
        >>> model.invoke("And now?").content
        'It is 4.'

        A function of the messages, and of the whole request if it needs that, gives replies as well:

        >>> def reply(messages, request):
        ...     return f"{len(messages)} messages, tools {request.tool_names}"
        >>> ScriptedChatModel(replies=reply).bind_tools([add]).invoke("Hello").content
        "1 messages, tools ['add']"
    """

    model_name: str = "scripted"

    replies: Sequence[Reply] | Callable[..., Reply]

    _log: _Log = PrivateAttr(default_factory=_Log)

    def __init__(self, *, replies: Sequence[Reply] | Callable[..., Reply] | None = None, **fields: Any) -> None:
        """Script a model.

        Args:
            replies: The replies in order; or a function that returns a reply for the messages, the request, or both.
            **fields: Other fields of the model.

        Raises:
            AgentSpecError: If the script holds anything else than replies, or the function has other parameters.
        """
        _check(replies)
        if replies is None and type(self).model_fields["replies"].is_required():
            raise AgentSpecError("A ScriptedChatModel needs its replies; write ScriptedChatModel(replies=['Hello.']).")
        if replies is not None:
            fields["replies"] = replies
        super().__init__(**fields)

    @property
    def requests(self) -> list[ScriptedRequest]:
        """Every request so far, oldest first."""
        return self._log.requests()

    @property
    def _llm_type(self) -> str:
        return "scripted"

    @property
    def _waits(self) -> bool:
        return callable(self.replies)

    def respond(self, request: ChatRequest) -> AIMessage:
        """Remember the request, then return the next scripted reply, or raise the scripted error.

        Raises:
            ScriptExhaustedError: If there are more requests than replies.
        """
        received = ScriptedRequest(**vars(request))
        position = self._log.add(received)
        replies = self.replies
        reply = _by_function(replies, received) if callable(replies) else _in_order(replies, position, received)
        if isinstance(reply, Exception):
            raise reply
        return AIMessage(reply) if isinstance(reply, str) else reply


def _by_function(function: Callable[..., Reply], request: ScriptedRequest) -> Reply:
    values = {"messages": request.messages, "request": request}
    unnamed = [values[which] for parameter, which in _arguments(function) if parameter is None]
    return function(*unnamed, **{parameter: values[which] for parameter, which in _arguments(function) if parameter is not None})


def _arguments(function: Callable[..., Any]) -> list[tuple[str | None, str]]:
    """Return which of ``messages`` and ``request`` each parameter is given, ``None`` for one without a name.

    Parameters match by name or annotation; others get the messages, then the request. Raise ``AgentSpecError`` if there are more.
    """
    parameters = inspect.signature(function).parameters.values()
    names = {each.name: _named(each) for each in parameters}
    left = iter([which for which in ("messages", "request") if which not in names.values()])
    takes_more = any(each.kind is each.VAR_POSITIONAL for each in parameters)  # then those before it are filled by place
    arguments: list[tuple[str | None, str]] = []
    for each in parameters:
        if each.kind is each.VAR_KEYWORD or (each.default is not each.empty and not names[each.name]):
            continue
        which = names[each.name] or next(left, None)
        if which is not None:
            is_positional = each.kind is each.POSITIONAL_ONLY or (takes_more and each.kind is not each.KEYWORD_ONLY)
            arguments.append((None if is_positional else each.name, which))
        elif each.kind is not each.VAR_POSITIONAL:
            raise AgentSpecError(f"replies={shown(function)} takes {each.name!r} as well; write def reply(messages, request).")
    return arguments


def _named(parameter: inspect.Parameter) -> str | None:
    if parameter.name in {"messages", "request"}:
        return parameter.name
    return "request" if "ChatRequest" in str(parameter.annotation) or "ScriptedRequest" in str(parameter.annotation) else None


def _check(replies: Any) -> None:
    """Raise ``AgentSpecError`` for anything but replies."""
    if isinstance(replies, str | BaseMessage | Exception):
        raise AgentSpecError(f"replies={replies!r} is one reply; write replies=[{replies!r}].")
    if not isinstance(replies, Iterable | None) and not callable(replies):
        raise AgentSpecError(f"replies={replies!r} is no list of replies; write replies=['Hello.'].")
    if inspect.iscoroutinefunction(replies):
        raise AgentSpecError(f"replies={shown(replies)} is not awaited: write an ordinary function, not async.")
    if callable(replies):
        _arguments(replies)
    for each in replies if isinstance(replies, Sequence) else ():
        if not isinstance(each, AIMessage | str | Exception):
            raise AgentSpecError(f"replies: {shown(each)} is not a reply; write an AIMessage, a text or an error to raise.")


def _in_order(replies: Sequence[Reply], position: int, request: ScriptedRequest) -> Reply:
    if position < len(replies):
        return replies[position]
    last = repr(request.messages[-1].text)[:_MAX_SHOWN_CHARACTERS] if request.messages else "nothing"
    raise ScriptExhaustedError(
        f"Request {position + 1} came, but the number of scripted replies is {len(replies)}: "
        f"script another one, or pass a function. The last message of the request: {last}"
    )


def _tool_name(tool: dict[str, Any]) -> str:
    function = tool.get("function", tool)
    return str(function.get("name") or tool.get("type") or next(iter(tool), ""))
