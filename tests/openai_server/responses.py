"""Writes replies of `POST /v1/responses`: items for reasoning, for a text or refusal, and for function calls."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from tests.openai_server.exchange import CREATED_SECONDS, Endpoint, Exchange, pieces, server_sent_event
from tests.openai_server.reply import Usage

Item = dict[str, Any]

_INCOMPLETE_REASONS = {"length": "max_output_tokens", "content_filter": "content_filter"}
_FILLED_FIELDS = frozenset({"arguments", "content", "summary"})
"""The fields of an item that are still missing when a stream announces it."""


class _PartNames(NamedTuple):
    """The event names for one part of an item."""

    index_field: str
    part_event: str
    text_event: str
    text_field: str


_PART_NAMES = {
    "output_text": _PartNames("content_index", "content_part", "output_text", "text"),
    "refusal": _PartNames("content_index", "content_part", "refusal", "refusal"),
    "summary_text": _PartNames("summary_index", "reasoning_summary_part", "reasoning_summary_text", "text"),
}


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.input_tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": usage.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.input_tokens + usage.output_tokens,
    }


def _items(exchange: Exchange) -> list[Item]:
    reply = exchange.reply
    items: list[Item] = []
    if reply.reasoning is not None:
        summary = [{"type": "summary_text", "text": reply.reasoning}]
        items.append({"id": f"rs_{exchange.number}", "type": "reasoning", "summary": summary})
    content: list[Item] = []
    if reply.text is not None:
        content.append({"type": "output_text", "text": reply.text, "annotations": []})
    if reply.refusal is not None:
        content.append({"type": "refusal", "refusal": reply.refusal})
    if content:
        message = {"id": f"msg_{exchange.number}", "type": "message", "role": "assistant"}
        items.append(message | {"status": "completed", "content": content})
    for index, (call_id, call) in enumerate(exchange.tool_calls):
        item = {"id": f"fc_{exchange.number}_{index}", "type": "function_call", "status": "completed"}
        items.append(item | {"call_id": call_id, "name": call.name, "arguments": call.arguments_text})
    return items


def _body(exchange: Exchange, status: str, output: list[Item]) -> dict[str, Any]:
    reason = _INCOMPLETE_REASONS.get(exchange.reply.finish_reason or "")
    usage = exchange.reply.usage
    return {
        "id": f"resp_{exchange.number}",
        "object": "response",
        "created_at": CREATED_SECONDS,
        "status": status,
        "model": exchange.model,
        "output": output,
        "error": None,
        "incomplete_details": {"reason": reason} if status == "incomplete" else None,
        "tools": exchange.request.get("tools", []),
        "tool_choice": exchange.request.get("tool_choice", "auto"),
        "parallel_tool_calls": exchange.request.get("parallel_tool_calls", True),
        "usage": _usage(usage) if usage and status != "in_progress" else None,
    }


def _whole(exchange: Exchange) -> dict[str, Any]:
    status = "incomplete" if exchange.reply.finish_reason in _INCOMPLETE_REASONS else "completed"
    return _body(exchange, status, _items(exchange))


def _part_events(part: Item, index: int, item_place: Item) -> Iterator[Item]:
    names = _PART_NAMES[part["type"]]
    place = item_place | {names.index_field: index}
    yield place | {"type": f"response.{names.part_event}.added", "part": part | {names.text_field: ""}}
    for piece in pieces(part[names.text_field]):
        yield place | {"type": f"response.{names.text_event}.delta", "delta": piece}
    yield place | {"type": f"response.{names.text_event}.done", names.text_field: part[names.text_field]}
    yield place | {"type": f"response.{names.part_event}.done", "part": part}


def _arguments_events(item: Item, place: Item) -> Iterator[Item]:
    for piece in pieces(item["arguments"]):
        yield place | {"type": "response.function_call_arguments.delta", "delta": piece}
    done = {"type": "response.function_call_arguments.done", "name": item["name"]}
    yield place | done | {"arguments": item["arguments"]}


def _item_events(item: Item, output_index: int) -> Iterator[Item]:
    place = {"item_id": item["id"], "output_index": output_index}
    added = item | {field: type(item[field])() for field in _FILLED_FIELDS & item.keys()}
    yield {"type": "response.output_item.added", "output_index": output_index, "item": added}
    if item["type"] == "function_call":
        yield from _arguments_events(item, place)
    for index, part in enumerate(item.get("content") or item.get("summary") or []):
        yield from _part_events(part, index, place)
    yield {"type": "response.output_item.done", "output_index": output_index, "item": item}


def _stream(exchange: Exchange) -> Iterator[Item]:
    yield {"type": "response.created", "response": _body(exchange, "in_progress", [])}
    for output_index, item in enumerate(_items(exchange)):
        yield from _item_events(item, output_index)
    whole = _whole(exchange)
    yield {"type": f"response.{whole['status']}", "response": whole}


def _events(exchange: Exchange) -> Iterator[str]:
    for sequence_number, event in enumerate(_stream(exchange)):
        yield server_sent_event(event | {"sequence_number": sequence_number}, name=event["type"])


RESPONSES = Endpoint(_whole, _events)
