"""Anthropic's message batches on a loopback port, as documented: it refuses what Anthropic refuses, and counts the price."""

import json
import random
import re
from collections.abc import Mapping
from math import ceil
from typing import Any

from tests.answergraph.many.batches.batch_server import PRICE, BatchServer

_KINDS = {400: "invalid_request_error", 413: "request_too_large", 429: "rate_limit_error", 500: "api_error"}
_KINDS |= {404: "not_found_error", 529: "overloaded_error"}
_MOST_REQUESTS, _MOST_BYTES = 100_000, 256_000_000
_TIME = "2026-11-24T00:00:00Z"


class AnthropicBatchServer(BatchServer):
    """Serves messages and their batches; only requests that succeed are paid."""

    def posted(self, path: str, raw: bytes, headers: Mapping[str, str]) -> tuple[int, Any]:
        assert headers["anthropic-version"]
        assert {"x-api-key", "authorization"} & headers.keys()  # the SDK sends the one or the other
        path = path.partition("?")[0]
        if path == "/v1/messages/batches":
            return self.create(raw, headers)
        if cancelled := re.fullmatch(r"/v1/messages/batches/(\w+)/cancel", path):
            self.batches[cancelled[1]]["processing_status"] = "canceling"
            return 200, self.shown(cancelled[1])
        assert path == "/v1/messages"
        return self.answered(json.loads(raw), PRICE)

    def got(self, path: str) -> Any:
        name = re.findall(r"msgbatch_\d+", path)[0]
        batch = self.batches[name]
        if path.endswith("/results"):
            assert batch["processing_status"] == "ended"
            return "\n".join(map(json.dumps, batch["results"])).encode()
        batch["polls"] -= 1
        if batch["processing_status"] == "canceling":
            self._end(batch, "canceled", 0.0)
        elif batch["polls"] < 0 and batch["processing_status"] == "in_progress":
            self._end(batch, "expired", self.done)
        return self.shown(name)

    def create(self, raw: bytes, headers: Mapping[str, str]) -> tuple[int, Any]:
        requests = json.loads(raw)["requests"]
        if refusal := self.refusal or _refusal(requests):
            return _error(400, refusal)
        if len(raw) > _MOST_BYTES:
            return _error(413, "Request exceeds the maximum size")
        name = f"msgbatch_{len(self.batches)}"
        fixed = {"id": name, "type": "message_batch", "processing_status": "in_progress", "created_at": _TIME}
        batch = {"requests": requests, "polls": self.polls, "betas": headers.get("anthropic-beta"), "results": []}
        self.batches[name] = {**fixed, **batch}
        return 200, self.shown(name)

    def shown(self, name: str) -> dict[str, Any]:
        batch = self.batches[name]
        ended = batch["processing_status"] == "ended"
        counts = dict.fromkeys(["processing", "succeeded", "errored", "canceled", "expired"], 0)
        kinds = [each["result"]["type"] for each in batch["results"]] if ended else ["processing"] * len(batch["requests"])
        return {
            **{key: batch[key] for key in ("id", "type", "processing_status", "created_at")},
            **dict.fromkeys(["archived_at", "cancel_initiated_at"]),
            "ended_at": _TIME if ended else None,
            "expires_at": "2026-11-25T00:00:00Z",
            "request_counts": {kind: kinds.count(kind) for kind in counts},
            "results_url": f"{self.url}/v1/messages/batches/{name}/results" if ended else None,
        }

    def _end(self, batch: dict[str, Any], left: str, share: float) -> None:
        requests = random.sample(batch["requests"], len(batch["requests"]))  # results come in any order
        count = ceil(len(requests) * share)
        for request in requests[:count]:
            status, body = self.answered(request["params"], PRICE / 2)
            result = {"type": "succeeded", "message": body} if status == 200 else {"type": "errored", "error": body}
            batch["results"].append({"custom_id": request["custom_id"], "result": result})
        batch["results"] += [{"custom_id": request["custom_id"], "result": {"type": left}} for request in requests[count:]]
        random.shuffle(batch["results"])
        batch["processing_status"] = "ended"

    def answered(self, body: dict[str, Any], price: float) -> tuple[int, dict[str, Any]]:
        reply = self.reply(body)
        if isinstance(reply, int | str):
            return _error(reply, f"status {reply}") if isinstance(reply, int) else _error(400, reply)
        self.spent += price
        blocks = reply["content"]
        stop = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
        return 200, {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": blocks,
            "stop_reason": reply.get("stop_reason", stop),
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 5},
        }


def _error(status: int, message: str) -> tuple[int, dict[str, Any]]:
    return status, {"type": "error", "error": {"type": _KINDS[status], "message": message}, "request_id": "req_1"}


def _refusal(requests: list[dict[str, Any]]) -> str | None:
    """Return what Anthropic would say against a batch, by its documented rules."""
    ids = [request["custom_id"] for request in requests]
    if not 1 <= len(requests) <= _MOST_REQUESTS:
        return f"requests: {len(requests)} are too few or too many"
    if len(set(ids)) < len(ids) or not all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", each) for each in ids):
        return "requests: a custom_id is used twice, or does not match '^[a-zA-Z0-9_-]{1,64}$'"
    if any(request.keys() != {"custom_id", "params"} or request["params"].get("stream") for request in requests):
        return "requests: a batch cannot stream"
    if any(request["params"].get("max_tokens", 0) < 1 or not request["params"].get("model") for request in requests):
        return "requests: max_tokens and model are required"
    return None
