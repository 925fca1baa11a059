"""The played model as a LangChain chat model."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool

from benchmarks.work import (
    ANSWER_TEXT,
    ANSWER_TOOL,
    QUESTION,
    Work,
    answer,
    calls_of,
    history_texts,
    next_step,
)


class PlayedModel(BaseChatModel):
    """Calls tools according to the work, then answers: by the answer tool if one is bound, otherwise as JSON text."""

    work: Work
    chunks: int = 0
    """The number of chunks of a streamed text, if more than one."""

    @property
    def _llm_type(self) -> str:
        return "played"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        """Bind tools in OpenAI's format, as a provider's client does."""
        kwargs.pop("tool_choice", None)
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._reply(messages, kwargs))])

    async def _agenerate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._reply(messages, kwargs))])

    def _reply(self, messages: list[BaseMessage], kwargs: dict[str, Any]) -> AIMessage:
        last = messages[-1]
        calls = calls_of(self.work, next_step(last.tool_call_id if isinstance(last, ToolMessage) else None))
        if calls:
            return AIMessage("", tool_calls=calls)
        if any(tool["function"]["name"] == ANSWER_TOOL for tool in kwargs.get("tools", ())):
            return AIMessage("", tool_calls=[{"name": ANSWER_TOOL, "args": answer(self.work).model_dump(), "id": "answer"}])
        return AIMessage(ANSWER_TEXT)


class StreamedModel(PlayedModel):
    """A played model that streams its text in many chunks."""

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        for index in range(self.chunks):
            yield _chunk(index, self.chunks)

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        for index in range(self.chunks):
            yield _chunk(index, self.chunks)


class TimedModel(StreamedModel):
    """A streamed model that records the time of its last chunk."""

    ended: float = 0.0

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        for chunk in super()._stream(*args, **kwargs):
            self.ended = time.perf_counter()
            yield chunk

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        async for chunk in super()._astream(*args, **kwargs):
            self.ended = time.perf_counter()
            yield chunk


def _chunk(index: int, count: int) -> ChatGenerationChunk:
    # The first chunks spell the answer, so that the whole text can be checked; the rest are spaces.
    text = ANSWER_TEXT[index] if index < len(ANSWER_TEXT) else " "
    last: Any = "last" if index == count - 1 else None
    return ChatGenerationChunk(message=AIMessageChunk(content=text, chunk_position=last))


def conversation(work: Work) -> list[AnyMessage]:
    """Return the input of an agent: the history and the question."""
    before = [HumanMessage(text) if role == "user" else AIMessage(text) for role, text in history_texts(work)]
    return [*before, HumanMessage(QUESTION)]
