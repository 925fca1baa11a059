"""Splits a finished message into the chunks in which a provider would have streamed it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, ToolCallChunk
from langchain_core.messages.tool import tool_call_chunk


def message_chunks(message: AIMessage, size: int) -> Iterator[AIMessageChunk]:
    """Yield chunks of at most ``size`` characters that add up to the message.

    First the text, then each tool call: its name and id, then its arguments in pieces of JSON. Usage and metadata come with the
    last chunk. Content blocks are not cut.
    """

    def chunk(**fields: Any) -> AIMessageChunk:
        empty: str | list[str | dict[str, Any]] = "" if isinstance(message.content, str) else []
        return AIMessageChunk(**{"content": empty, "id": message.id, **fields})

    for content in _content_pieces(message, size):
        yield chunk(content=content)
    for call in _tool_call_pieces(message, size):
        yield chunk(tool_call_chunks=[call])
    yield chunk(
        additional_kwargs=dict(message.additional_kwargs),
        response_metadata=dict(message.response_metadata),
        usage_metadata=message.usage_metadata,
        chunk_position="last",
    )


def _content_pieces(message: AIMessage, size: int) -> Iterator[str | list[str | dict[str, Any]]]:
    if isinstance(message.content, str):
        yield from _pieces(message.content, size)
    else:
        for block in message.content:
            yield [block]


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
