"""OpenAI's files and batches on a loopback port, as documented: it refuses what OpenAI refuses, and counts the price."""

import json
import random
import re
from collections.abc import Mapping
from email.parser import BytesParser
from email.policy import HTTP
from math import ceil
from typing import Any

from tests.answergraph.many.batches.batch_server import PRICE, BatchServer, Reply

ENDPOINT = "/v1/chat/completions"


class OpenAIBatchServer(BatchServer):
    """Serves files, batches and chat completions."""

    def __init__(self, reply: Reply, **options: Any) -> None:
        super().__init__(reply, **options)
        self.files: dict[str, bytes] = {}

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    def posted(self, path: str, raw: bytes, headers: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
        if path == "/v1/files":
            return 200, self.upload(raw, headers["content-type"])
        if path == "/v1/batches":
            batch = self.create(json.loads(raw))
            self.lost, lost = False, self.lost
            return (500, {"error": {"message": "The reply was lost."}}) if lost else (200, batch)
        if cancelled := re.fullmatch(r"/v1/batches/(\w+)/cancel", path):
            return 200, self.cancel(cancelled[1])
        assert path == ENDPOINT
        self.spent += PRICE
        return self.answered(json.loads(raw))

    def got(self, path: str) -> Any:
        if content := re.fullmatch(r"/v1/files/([\w-]+)/content", path):
            return self.files[content[1]]
        if path.startswith("/v1/batches?"):
            return {"object": "list", "data": [self.shown(name) for name in reversed(self.batches)], "has_more": False}
        return self.looked_at(path.rpartition("/")[2])

    def upload(self, raw: bytes, content_type: str) -> dict[str, Any]:
        message = BytesParser(policy=HTTP).parsebytes(f"Content-Type: {content_type}\r\n\r\n".encode() + raw)
        parts = {
            part.get_param("name", header="content-disposition"): part.get_payload(decode=True) for part in message.iter_parts()
        }
        assert parts["purpose"] == b"batch"
        name = f"file-{len(self.files)}"
        self.files[name] = bytes(parts["file"])
        return {
            "id": name,
            "object": "file",
            "bytes": len(raw),
            "created_at": 1,
            "filename": "f",
            "purpose": "batch",
            "status": "processed",
        }

    def create(self, body: dict[str, Any]) -> dict[str, Any]:
        assert body["completion_window"] == "24h"
        lines = [json.loads(line) for line in self.files[body["input_file_id"]].decode().splitlines()]
        name = f"batch_{len(self.batches)}"
        self.batches[name] = {
            **_batch(name, body),
            "lines": lines,
            "polls": self.polls,
            "refused": self.refusal or _refusal(lines, body["endpoint"]),
        }
        return self.shown(name)

    def looked_at(self, name: str) -> dict[str, Any]:
        batch = self.batches[name]
        batch["polls"] -= 1
        if batch["status"] == "validating" and batch["refused"]:
            error = {"code": "invalid", "message": batch["refused"], "line": None, "param": None}
            batch |= {"status": "failed", "errors": {"object": "list", "data": [error]}}
        elif batch["status"] in {"validating", "in_progress"}:
            batch["status"] = "in_progress"
            if batch["polls"] < 0:
                self._end(batch)
        elif batch["status"] == "cancelling":
            self._end(batch, status="cancelled", share=0.0)
        return self.shown(name)

    def cancel(self, name: str) -> dict[str, Any]:
        self.batches[name]["status"] = "cancelling"
        return self.shown(name)

    def shown(self, name: str) -> dict[str, Any]:
        return {key: value for key, value in self.batches[name].items() if key not in {"lines", "polls", "refused"}}

    def _end(self, batch: dict[str, Any], status: str | None = None, share: float | None = None) -> None:
        lines = random.sample(batch["lines"], len(batch["lines"]))  # results come in any order
        count = ceil(len(lines) * (self.done if share is None else share))
        output, errors = list[str](), list[str]()
        for line in lines[:count]:
            self.spent += PRICE / 2
            code, answer = self.answered(line["body"])
            response = {"status_code": code, "request_id": "r", "body": answer}
            target = output if code == 200 else errors
            target.append(json.dumps({"id": "x", "custom_id": line["custom_id"], "response": response, "error": None}))
        for line in lines[count:]:
            error = {
                "code": "batch_expired",
                "message": "This request could not be executed before the completion window expired.",
            }
            errors.append(json.dumps({"id": "x", "custom_id": line["custom_id"], "response": None, "error": error}))
        batch["status"] = status or ("completed" if count == len(lines) else "expired")
        for key, some in (("output_file_id", output), ("error_file_id", errors)):
            if some:
                batch[key] = f"file-{len(self.files)}"
                self.files[batch[key]] = "\n".join(some).encode()

    def answered(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        message = self.reply(body)
        if isinstance(message, int | str):
            status, text = (message, f"status {message}") if isinstance(message, int) else (400, message)
            return status, {"error": {"message": text, "type": "error", "param": None, "code": None}}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        reason = "tool_calls" if message.get("tool_calls") else "stop"
        choice = {"index": 0, "message": {"role": "assistant", "content": None, **message}, "finish_reason": reason}
        head = {"id": "1", "object": "chat.completion", "created": 1, "model": body["model"]}
        return 200, {**head, "choices": [choice], "usage": usage}


def _refusal(lines: list[dict[str, Any]], endpoint: str) -> str | None:
    """Return what OpenAI would say against a file, by its documented rules."""
    ids = [line["custom_id"] for line in lines]
    if endpoint != ENDPOINT or any((line["method"], line["url"]) != ("POST", endpoint) for line in lines):
        return "The URL of a line is not the endpoint of the batch."
    if len(set(ids)) < len(ids) or any(len(each) > 64 for each in ids):
        return "A custom_id is used twice, or too long."
    if len({line["body"]["model"] for line in lines}) > 1:
        return "A batch has requests of one model."
    if any(line["body"].get("stream") for line in lines):
        return "A batch cannot stream."
    return "Too many lines." if len(lines) > 50_000 else None


def _batch(name: str, body: dict[str, Any]) -> dict[str, Any]:
    fixed = {
        "id": name,
        "object": "batch",
        "status": "validating",
        "created_at": 1,
        "output_file_id": None,
        "error_file_id": None,
    }
    return {**fixed, **{key: body[key] for key in ("endpoint", "input_file_id", "completion_window")}}
