"""The base class of chat models that answer inside this process, such as ``ScriptedChatModel`` and ``OfflineChatModel``."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.language_models.base import LangSmithParams
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolCallChunk
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import ConfigDict, Field, SecretStr

from answergraph.runtime.steps import in_thread

CHARACTERS_PER_TOKEN = 4
"""The usual rule of thumb for English text."""

Stop = list[str] | None
ChoiceMode = Literal["auto", "any", "none", "named"]

_MODES: dict[str, ChoiceMode] = {"auto": "auto", "any": "any", "required": "any", "none": "none"}
_JSON_SCHEMA_TYPES = frozenset({"function", "object"})


@dataclass(frozen=True)
class ChatRequest:
    """One request to a chat model: the messages and the bound arguments."""

    messages: list[BaseMessage]
    """The conversation, oldest first. The list is a copy, the messages are not."""
    tools: list[dict[str, Any]] = field(default_factory=list)
    """The bound tools in OpenAI's format, as they would be sent; provider tools unchanged."""
    tool_choice: Any = None
    """As it was bound, for example ``"any"``."""
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    """All other arguments, for example ``response_format``, ``strict``, ``extra_body`` or ``stop``."""


@dataclass(frozen=True)
class ToolChoice:
    """The tools the model may or must call."""

    mode: ChoiceMode = "auto"
    """``"any"``: some tool must be called; ``"named"``: the one of that name."""
    name: str | None = None

    @classmethod
    def read(cls, choice: Any) -> ToolChoice:
        """Read a bound choice: a bool, a mode, a tool's name, or a provider's mapping; an unknown form is no constraint."""
        if isinstance(choice, bool):
            return cls("any" if choice else "auto")
        if isinstance(choice, str) and choice:
            return cls(_MODES[choice]) if choice in _MODES else cls("named", choice)
        if not isinstance(choice, Mapping):
            return cls()
        function = choice.get("function", choice)
        name = function.get("name") if isinstance(function, Mapping) else None
        return cls("named", name) if isinstance(name, str) else cls(_MODES.get(str(choice.get("type")), "auto"))

    @property
    def is_forced(self) -> bool:
        return self.mode in {"any", "named"}

    def allows(self, tool: str) -> bool:
        return self.mode != "none" and (self.mode != "named" or self.name == tool)


class StandardChatModel(BaseChatModel):
    """A chat model with the standard parameters, so that it can replace any other one."""

    model_config = ConfigDict(extra="forbid")

    temperature: float | None = None
    max_tokens: int | None = None
    timeout: float | None = None
    stop: list[str] | None = None
    max_retries: int | None = None
    api_key: SecretStr | None = None
    streaming: bool = False
    """Whether ``invoke`` streams, too."""

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: object) -> LangSmithParams:
        params = super()._get_ls_params(stop=stop, **kwargs)
        params["ls_provider"] = self._llm_type
        return params


class InProcessChatModel(StandardChatModel):
    """A chat model that needs no provider: subclasses implement ``respond``. No standard parameter changes a reply."""

    model_name: str
    """For traces and ``response_metadata``."""
    chunk_size: int = Field(default=8, gt=0)
    """Maximum number of characters in a streamed chunk."""

    @abstractmethod
    def respond(self, request: ChatRequest) -> AIMessage:
        """Return the reply to a request; called from several threads at once when agents run in parallel."""

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | dict[str, Any] | bool | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Bind tools; all arguments reach ``respond`` unchanged. ``strict`` also goes into the tools, as it would on the wire."""
        if tool_choice is not None:
            kwargs["tool_choice"] = tool_choice
        return self.bind(tools=[_as_sent(tool, kwargs.get("strict")) for tool in tools], **kwargs)

    @property
    def _identifying_params(self) -> dict[str, object]:
        return {"model_name": self.model_name}

    def __repr_args__(self) -> list[tuple[str, object]]:
        # LangChain writes a model down at its first call, and a script may hold a thousand replies.
        return list(self._identifying_params.items())

    @property
    def _waits(self) -> bool:
        """Whether ``respond`` may wait, so that it must not hold the event loop."""
        return False

    # The callback manager is not used.
    def _generate(
        self, messages: list[BaseMessage], stop: Stop = None, run_manager: object = None, **kwargs: object
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._reply(messages, stop, kwargs))])

    async def _agenerate(
        self, messages: list[BaseMessage], stop: Stop = None, run_manager: object = None, **kwargs: object
    ) -> ChatResult:
        call = partial(self._generate, messages, stop, **kwargs)
        return await in_thread(call) if self._waits else call()

    def _stream(
        self, messages: list[BaseMessage], stop: Stop = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in _message_chunks(self._reply(messages, stop, kwargs), self.chunk_size):
            yield ChatGenerationChunk(message=chunk)

    async def _astream(
        self, messages: list[BaseMessage], stop: Stop = None, run_manager: object = None, **kwargs: object
    ) -> AsyncIterator[ChatGenerationChunk]:
        chunks: Iterable[ChatGenerationChunk] = self._stream(messages, stop, **kwargs)
        for chunk in await in_thread(lambda: list(chunks)) if self._waits else chunks:
            yield chunk

    def _reply(self, messages: list[BaseMessage], stop: Stop, kwargs: dict[str, object]) -> AIMessage:
        # A copy with its own metadata: a message given twice must not share its id.
        message = self.respond(_request(messages, stop, kwargs))
        return message.model_copy(
            update={
                "usage_metadata": message.usage_metadata or _estimated_usage(messages, message),
                "response_metadata": {"model_name": self.model_name, **message.response_metadata},
            }
        )


def _request(messages: list[BaseMessage], stop: Stop, kwargs: dict[str, Any]) -> ChatRequest:
    others = {key: value for key, value in kwargs.items() if key not in {"tools", "tool_choice"}}
    if stop:
        others["stop"] = stop
    tools = [_as_sent(tool, None) for tool in kwargs.get("tools") or []]
    return ChatRequest(list(messages), tools, kwargs.get("tool_choice"), others)


def _as_sent(tool: Any, strict: bool | None) -> dict[str, object]:
    """Return a tool in OpenAI's format, a provider's own tool unchanged."""
    if not isinstance(tool, dict):
        return convert_to_openai_tool(tool, strict=strict)
    if tool.get("type", "function") not in _JSON_SCHEMA_TYPES:
        return tool
    try:
        return convert_to_openai_tool(tool, strict=strict)
    except ValueError:
        return tool


def _estimated_usage(messages: list[BaseMessage], reply: AIMessage) -> UsageMetadata:
    input_tokens = sum(_characters(message) for message in messages) // CHARACTERS_PER_TOKEN
    output_tokens = max(1, _characters(reply) // CHARACTERS_PER_TOKEN)
    return UsageMetadata(input_tokens=input_tokens, output_tokens=output_tokens, total_tokens=input_tokens + output_tokens)


def _characters(message: BaseMessage) -> int:
    content = len(message.content) if isinstance(message.content, str) else len(str(message.content))
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return content + sum(len(call["name"]) + len(str(call["args"])) for call in calls)


def _message_chunks(message: AIMessage, size: int) -> Iterator[AIMessageChunk]:
    """Yield chunks of at most ``size`` characters that add up to the message.

    First the text, then each tool call: its name and id, then its arguments in pieces of JSON. Usage and metadata come with the
    last chunk. Content blocks are not cut.
    """

    def chunk(**fields: Any) -> AIMessageChunk:
        empty: str | list[str | dict[str, object]] = "" if isinstance(message.content, str) else []
        return AIMessageChunk(**{"content": empty, "id": message.id, **fields})

    text = message.content
    for content in _pieces(text, size) if isinstance(text, str) else [[block] for block in text]:
        yield chunk(content=content)
    for call in _tool_call_pieces(message, size):
        yield chunk(tool_call_chunks=[call])
    yield chunk(
        additional_kwargs=dict(message.additional_kwargs),
        response_metadata=dict(message.response_metadata),
        usage_metadata=message.usage_metadata,
        chunk_position="last",
    )


def _tool_call_pieces(message: AIMessage, size: int) -> Iterator[ToolCallChunk]:
    calls = [(call["name"], call["id"], json.dumps(call["args"])) for call in message.tool_calls]
    calls += [(call["name"] or "", call["id"], call["args"] or "") for call in message.invalid_tool_calls]
    for index, (name, call_id, arguments) in enumerate(calls):
        yield tool_call_chunk(name=name, args="", id=call_id, index=index)
        for piece in _pieces(arguments, size):
            yield tool_call_chunk(args=piece, index=index)


def _pieces(text: str, size: int) -> Iterator[str]:
    for start in range(0, len(text), size):
        yield text[start : start + size]
