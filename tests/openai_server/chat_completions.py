"""Writes replies of `POST /v1/chat/completions`."""

from collections.abc import Iterator
from typing import Any

from tests.openai_server.exchange import CREATED_SECONDS, Endpoint, Exchange, pieces, server_sent_event, token_counts
from tests.openai_server.reply import ToolCall


def _head(exchange: Exchange, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{exchange.number}",
        "object": kind,
        "created": CREATED_SECONDS,
        "model": exchange.model,
    }


def _tool_call(call_id: str, call: ToolCall, arguments: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _whole(exchange: Exchange) -> dict[str, Any]:
    reply = exchange.reply
    message: dict[str, Any] = {"role": "assistant", "content": reply.text, "refusal": reply.refusal}
    if reply.reasoning is not None:
        message["reasoning_content"] = reply.reasoning
    if reply.tool_calls:
        message["tool_calls"] = [_tool_call(id_, call, call.arguments_text) for id_, call in exchange.tool_calls]
    choice = {"index": 0, "message": message, "finish_reason": reply.reason_to_finish, "logprobs": None}
    body = _head(exchange, "chat.completion") | {"choices": [choice]}
    return body | {"usage": token_counts(reply.usage)} if reply.usage else body


def _deltas(exchange: Exchange) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": ""}
    for field, text in (
        ("reasoning_content", exchange.reply.reasoning),
        ("content", exchange.reply.text),
        ("refusal", exchange.reply.refusal),
    ):
        for piece in pieces(text or ""):
            yield {field: piece}
    for index, (call_id, call) in enumerate(exchange.tool_calls):
        yield {"tool_calls": [{"index": index} | _tool_call(call_id, call, "")]}
        for piece in pieces(call.arguments_text):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _events(exchange: Exchange) -> Iterator[str]:
    head = _head(exchange, "chat.completion.chunk")
    for delta in _deltas(exchange):
        yield server_sent_event(head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    last = {"index": 0, "delta": {}, "finish_reason": exchange.reply.reason_to_finish}
    yield server_sent_event(head | {"choices": [last]})
    if exchange.reply.usage and exchange.include_usage:
        yield server_sent_event(head | {"choices": [], "usage": token_counts(exchange.reply.usage)})
    yield server_sent_event("[DONE]")


CHAT_COMPLETIONS = Endpoint(_whole, _events)
