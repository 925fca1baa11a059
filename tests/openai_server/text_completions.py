"""Writes replies of `POST /v1/completions`, the endpoint of models without chat."""

from collections.abc import Iterator
from typing import Any

from tests.openai_server.exchange import CREATED_SECONDS, Endpoint, Exchange, pieces, server_sent_event, token_counts


def _body(exchange: Exchange, text: str, finish_reason: str | None) -> dict[str, Any]:
    return {
        "id": f"cmpl-{exchange.number}",
        "object": "text_completion",
        "created": CREATED_SECONDS,
        "model": exchange.model,
        "choices": [{"index": 0, "text": text, "finish_reason": finish_reason, "logprobs": None}],
    }


def _whole(exchange: Exchange) -> dict[str, Any]:
    body = _body(exchange, exchange.reply.text or "", exchange.reply.reason_to_finish)
    return body | {"usage": token_counts(exchange.reply.usage)} if exchange.reply.usage else body


def _events(exchange: Exchange) -> Iterator[str]:
    for piece in pieces(exchange.reply.text or ""):
        yield server_sent_event(_body(exchange, piece, None))
    yield server_sent_event(_body(exchange, "", exchange.reply.reason_to_finish))
    yield server_sent_event("[DONE]")


TEXT_COMPLETIONS = Endpoint(_whole, _events)
