"""The APIs whose messages are made of blocks: Anthropic's, Gemini's and Bedrock's."""

import json
import struct
from binascii import crc32
from collections.abc import Iterator
from typing import Any

from tests.openai_server.reply import Reply
from tests.providers.apis import Api
from tests.providers.dialogue import JSON, Asked, Refused, Turn

ANTHROPIC_STOPS = {"length": "max_tokens", "content_filter": "refusal", "pause": "pause_turn"}
GEMINI_STOPS = {"length": "MAX_TOKENS", "content_filter": "SPII", "malformed": "MALFORMED_FUNCTION_CALL"}
BEDROCK_STOPS = {"length": "max_tokens", "content_filter": "content_filtered"}


class Anthropic(Api):
    """Anthropic's Messages API."""

    def read(self, path: str, body: JSON) -> Asked:
        choice = body.get("tool_choice") or {"type": "auto"}
        wanted = (body.get("output_config") or {}).get("format") or body.get("output_format") or {}
        return Asked(
            turns=[self._turn(message) for message in body["messages"]],
            tools=[tool["name"] for tool in body.get("tools") or ()],
            choice=choice["name"] if choice["type"] == "tool" else choice["type"],
            format=wanted.get("type", ""),
            schema=wanted.get("schema"),
            thinks=(body.get("thinking") or {}).get("type") == "enabled",
            prompt=str(body["messages"][-1]["content"]),
            body=body,
        )

    def _turn(self, message: JSON) -> Turn:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        return Turn(
            message["role"],
            tuple(block["id"] for block in blocks if block["type"] == "tool_use"),
            tuple(block["tool_use_id"] for block in blocks if block["type"] == "tool_result"),
            not blocks or any(block["type"] == "text" and not block["text"].strip() for block in blocks),
            bool(blocks) and blocks[-1]["type"] == "thinking",
        )

    def error(self, refused: Refused) -> JSON:
        return {"type": "error", "error": {"type": "invalid_request_error", "message": refused.message, **refused.more}}

    def _blocks(self, reply: Reply, number: int) -> list[JSON]:
        blocks: list[JSON] = [{"type": "thinking", "thinking": reply.reasoning, "signature": "s"}] if reply.reasoning else []
        if reply.finish_reason == "pause":
            blocks.append({"type": "server_tool_use", "id": f"srvtoolu_{number}", "name": "web_search", "input": {"query": "x"}})
        blocks += [{"type": "text", "text": reply.text}] if reply.text else []
        for index, call in enumerate(reply.tool_calls):
            blocks.append({"type": "tool_use", "id": f"toolu_{number}_{index}", "name": call.name, "input": call.arguments})
        return blocks

    def _stop(self, reply: Reply) -> str:
        return ANTHROPIC_STOPS.get(reply.finish_reason or "", "tool_use" if reply.tool_calls else "end_turn")

    def whole(self, body: JSON, reply: Reply, number: int) -> JSON:
        return {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": self._blocks(reply, number),
            "stop_reason": self._stop(reply),
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 5},
        }

    def pieces(self, body: JSON, reply: Reply, number: int) -> Iterator[bytes]:
        begun = {**self.whole(body, reply, number), "content": [], "stop_reason": None}
        yield _event("message_start", message=begun)
        for index, block in enumerate(self._blocks(reply, number)):
            yield from self._block(index, block)
        yield _event("message_delta", delta={"stop_reason": self._stop(reply), "stop_sequence": None}, usage={"output_tokens": 5})
        yield _event("message_stop")

    def _block(self, index: int, block: JSON) -> Iterator[bytes]:
        if "input" in block:
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        else:
            delta = {"type": f"{block['type']}_delta", block["type"]: block[block["type"]]}
        empty: JSON = {"text": "", "thinking": "", "signature": "", "input": {}}
        started = {key: empty.get(key, value) for key, value in block.items()}
        yield _event("content_block_start", index=index, content_block=started)
        yield _event("content_block_delta", index=index, delta=delta)
        if block["type"] == "thinking":
            yield _event("content_block_delta", index=index, delta={"type": "signature_delta", "signature": "s"})
        yield _event("content_block_stop", index=index)


def _event(kind: str, **data: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode()


class Gemini(Api):
    """Google's generateContent."""

    def read(self, path: str, body: JSON) -> Asked:
        config, tools = body.get("generationConfig") or {}, body.get("tools") or ()
        calling = (body.get("toolConfig") or {}).get("functionCallingConfig") or {}
        allowed, mode = calling.get("allowedFunctionNames") or (), calling.get("mode", "AUTO").lower()
        schema = config.get("responseJsonSchema") or config.get("responseSchema")
        is_json = config.get("responseMimeType") == "application/json"
        return Asked(
            turns=[self._turn(number, content) for number, content in enumerate(body["contents"])],
            tools=[function["name"] for tool in tools for function in tool.get("functionDeclarations", ())],
            choice=str(next(iter(allowed))) if len(allowed) == 1 else mode,
            format="json_schema" if schema else "json_object" if is_json else "",
            schema=schema,
            thinks=bool(config.get("thinkingConfig")),
            prompt=str(body["contents"][-1]),
            body=body,
        )

    def _turn(self, number: int, content: JSON) -> Turn:
        parts = content.get("parts") or []
        calls = tuple(f"{number}.{i}" for i, _ in enumerate(part for part in parts if "functionCall" in part))
        results = tuple(f"{number - 1}.{i}" for i, _ in enumerate(part for part in parts if "functionResponse" in part))
        is_empty = not parts or any(not (part.get("text", "x") or part.get("thought")) for part in parts)
        role = "assistant" if content.get("role") == "model" else "tool" if results else "user"
        return Turn(role, calls, results, is_empty)

    def error(self, refused: Refused) -> JSON:
        status = {400: "INVALID_ARGUMENT", 429: "RESOURCE_EXHAUSTED"}.get(refused.status, "UNAVAILABLE")
        return {"error": {"code": refused.status, "message": refused.message, "status": status}}

    def is_streamed(self, path: str, body: JSON) -> bool:
        return "streamGenerateContent" in path

    def whole(self, body: JSON, reply: Reply, number: int) -> JSON:
        usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
        if reply.finish_reason == "blocked":
            return {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": usage, "modelVersion": "m"}
        parts: list[JSON] = [{"text": reply.reasoning, "thought": True}] if reply.reasoning else []
        parts += [{"text": reply.text}] if reply.text else []
        parts += [{"functionCall": {"name": call.name, "args": call.arguments}} for call in reply.tool_calls]
        stop = GEMINI_STOPS.get(reply.finish_reason or "", "STOP")
        candidate = {"content": {"role": "model", "parts": parts}, "finishReason": stop, "index": 0}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m"}

    def pieces(self, body: JSON, reply: Reply, number: int) -> Iterator[bytes]:
        yield b"data: " + json.dumps(self.whole(body, reply, number)).encode() + b"\r\n\r\n"


class Bedrock(Api):
    """Bedrock's Converse; a stream is a sequence of binary events."""

    streams = "application/vnd.amazon.eventstream"

    def read(self, path: str, body: JSON) -> Asked:
        config = body.get("toolConfig") or {}
        choice = config.get("toolChoice") or {"auto": {}}
        wanted = (body.get("outputConfig") or {}).get("textFormat") or {}
        more = body.get("additionalModelRequestFields") or {}
        return Asked(
            turns=[self._turn(message) for message in body["messages"]],
            tools=[tool["toolSpec"]["name"] for tool in config.get("tools") or () if "toolSpec" in tool],
            choice=choice["tool"]["name"] if "tool" in choice else next(iter(choice)),
            format=wanted.get("type", ""),
            schema=_loaded((wanted.get("structure") or {}).get("jsonSchema", {}).get("schema")),
            thinks=(more.get("thinking") or {}).get("type") == "enabled",
            prompt=str(body["messages"][-1]),
            body=body,
        )

    def _turn(self, message: JSON) -> Turn:
        blocks = message["content"]
        calls = tuple(block["toolUse"]["toolUseId"] for block in blocks if "toolUse" in block)
        results = tuple(block["toolResult"]["toolUseId"] for block in blocks if "toolResult" in block)
        return Turn(message["role"], calls, results, not blocks or any(not block.get("text", "x").strip() for block in blocks))

    def error(self, refused: Refused) -> JSON:
        return {"message": refused.message}

    def error_headers(self, refused: Refused) -> dict[str, str]:
        return {
            "x-amzn-ErrorType": {400: "ValidationException", 429: "ThrottlingException"}.get(refused.status, "ServiceUnavailable")
        }

    def is_streamed(self, path: str, body: JSON) -> bool:
        return path.endswith("converse-stream")

    def _blocks(self, reply: Reply, number: int) -> list[JSON]:
        blocks: list[JSON] = []
        if reply.reasoning:
            blocks.append({"reasoningContent": {"reasoningText": {"text": reply.reasoning, "signature": "s"}}})
        blocks += [{"text": reply.text}] if reply.text else []
        for index, call in enumerate(reply.tool_calls):
            blocks.append({"toolUse": {"toolUseId": f"tooluse_{number}_{index}", "name": call.name, "input": call.arguments}})
        return blocks

    def _stop(self, reply: Reply) -> str:
        return BEDROCK_STOPS.get(reply.finish_reason or "", "tool_use" if reply.tool_calls else "end_turn")

    def whole(self, body: JSON, reply: Reply, number: int) -> JSON:
        return {
            "output": {"message": {"role": "assistant", "content": self._blocks(reply, number)}},
            "stopReason": self._stop(reply),
            "usage": {"inputTokens": 10, "outputTokens": 5, "totalTokens": 15},
            "metrics": {"latencyMs": 1},
        }

    def pieces(self, body: JSON, reply: Reply, number: int) -> Iterator[bytes]:
        yield _frame("messageStart", {"role": "assistant"})
        for index, block in enumerate(self._blocks(reply, number)):
            if "toolUse" in block:
                use = block["toolUse"]
                start = {"toolUse": {"toolUseId": use["toolUseId"], "name": use["name"]}}
                yield _frame("contentBlockStart", {"contentBlockIndex": index, "start": start})
                delta: JSON = {"toolUse": {"input": json.dumps(use["input"])}}
            elif "reasoningContent" in block:
                delta = {"reasoningContent": {"text": reply.reasoning}}
            else:
                delta = {"text": block["text"]}
            yield _frame("contentBlockDelta", {"contentBlockIndex": index, "delta": delta})
            yield _frame("contentBlockStop", {"contentBlockIndex": index})
        yield _frame("messageStop", {"stopReason": self._stop(reply)})
        yield _frame(
            "metadata", {"usage": {"inputTokens": 10, "outputTokens": 5, "totalTokens": 15}, "metrics": {"latencyMs": 1}}
        )


def _loaded(schema: str | None) -> JSON | None:
    return None if schema is None else dict(json.loads(schema))


def _frame(kind: str, data: JSON) -> bytes:
    """Return one event in AWS's binary form: lengths and checksums around headers and a payload."""
    payload = json.dumps(data).encode()
    named = {":event-type": kind, ":content-type": "application/json", ":message-type": "event"}
    headers = b"".join(
        bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
        for name, value in named.items()
    )
    prelude = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    message = prelude + struct.pack(">I", crc32(prelude)) + headers + payload
    return message + struct.pack(">I", crc32(message))
