"""How each API writes its requests, replies and errors."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from tests.openai_server.chat_completions import CHAT_COMPLETIONS
from tests.openai_server.exchange import Exchange
from tests.openai_server.reply import Reply
from tests.openai_server.responses import RESPONSES
from tests.providers.dialogue import JSON, Asked, Refused, Sent, Turn

EVENTS = "text/event-stream"


class Api(ABC):
    """One API; a subclass writes its replies, whole or in pieces."""

    @abstractmethod
    def read(self, path: str, body: JSON) -> Asked: ...

    @abstractmethod
    def whole(self, body: JSON, reply: Reply, number: int) -> JSON: ...

    @abstractmethod
    def pieces(self, body: JSON, reply: Reply, number: int) -> Iterator[bytes]: ...

    def error(self, refused: Refused) -> JSON:
        kind = "invalid_request_error" if refused.status < 500 else "server_error"
        return {"error": {"message": refused.message, "type": kind, "param": None, "code": None, **refused.more}}

    def error_headers(self, refused: Refused) -> dict[str, str]:
        return {"x-should-retry": "false"}

    def is_streamed(self, path: str, body: JSON) -> bool:
        return bool(body.get("stream"))

    streams = EVENTS

    def sent(self, path: str, body: JSON, reply: Reply, number: int) -> Sent:
        if self.is_streamed(path, body):
            return Sent(200, self.streams, self.pieces(body, reply, number))
        return Sent(200, "application/json", json.dumps(self.whole(body, reply, number)).encode())


def _choice(choice: Any) -> str:
    if isinstance(choice, dict):
        return str((choice.get("function") or choice).get("name"))
    return {"required": "any", None: "auto"}.get(choice, str(choice))


class ChatCompletions(Api):
    """OpenAI's chat completions, and the APIs that copy it."""

    def read(self, path: str, body: JSON) -> Asked:
        turns = [self._turn(message) for message in body["messages"] if message["role"] not in ("system", "developer")]
        wanted = body.get("response_format") or {}
        thinking, reasoning = body.get("thinking") or {}, body.get("reasoning") or {}
        return Asked(
            turns=turns,
            tools=[tool["function"]["name"] for tool in body.get("tools") or ()],
            choice=_choice(body.get("tool_choice")),
            format=wanted.get("type", ""),
            schema=(wanted.get("json_schema") or {}).get("schema"),
            schema_name=(wanted.get("json_schema") or {}).get("name", ""),
            thinks=thinking.get("type") == "enabled" or bool(reasoning.get("effort") or body.get("reasoning_effort")),
            prompt=str(body["messages"][-1].get("content")),
            body=body,
        )

    def _turn(self, message: JSON) -> Turn:
        calls = tuple(call["id"] for call in message.get("tool_calls") or ())
        results = (message["tool_call_id"],) if message["role"] == "tool" else ()
        thoughts = "reasoning_content" in message
        return Turn(message["role"], calls, results, not (message.get("content") or calls or results), thoughts)

    def whole(self, body: JSON, reply: Reply, number: int) -> JSON:
        return CHAT_COMPLETIONS.whole(Exchange(body, reply, number))

    def pieces(self, body: JSON, reply: Reply, number: int) -> Iterator[bytes]:
        return (event.encode() for event in CHAT_COMPLETIONS.events(Exchange(body, reply, number)))


class Mistral(ChatCompletions):
    """Mistral's API: ids of nine characters, and errors without an envelope."""

    def error(self, refused: Refused) -> JSON:
        return {"object": "error", "message": refused.message, "type": "invalid_request_error", "param": None, **refused.more}

    def whole(self, body: JSON, reply: Reply, number: int) -> JSON:
        whole = super().whole(body, reply, number)
        for index, call in enumerate(whole["choices"][0]["message"].get("tool_calls") or ()):
            call["id"] = f"{number:05d}{index:04d}"
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        return {**whole, "usage": usage}

    def pieces(self, body: JSON, reply: Reply, number: int) -> Iterator[bytes]:
        # A call comes in one piece.
        whole = self.whole(body, reply, number)
        choice = whole["choices"][0]
        delta = {key: value for key, value in choice["message"].items() if key in ("role", "content", "tool_calls")}
        chunk = {**whole, "object": "chat.completion.chunk", "choices": [{**choice, "delta": delta}]}
        yield b"data: " + json.dumps(chunk).encode() + b"\n\ndata: [DONE]\n\n"


class OpenRouter(ChatCompletions):
    """OpenRouter's API: the code of an error is a number."""

    def error(self, refused: Refused) -> JSON:
        return {"error": {"message": refused.message, "code": refused.status, **refused.more}}

    def whole(self, body: JSON, reply: Reply, number: int) -> JSON:
        return {**super().whole(body, reply, number), "system_fingerprint": None}


class Responses(Api):
    """OpenAI's Responses API."""

    def read(self, path: str, body: JSON) -> Asked:
        turns = [turn for item in body["input"] if (turn := self._turn(item)) is not None]
        wanted = (body.get("text") or {}).get("format") or {}
        return Asked(
            turns=turns,
            tools=[tool["name"] for tool in body.get("tools") or ()],
            choice=_choice(body.get("tool_choice")),
            format=wanted.get("type", ""),
            schema=wanted.get("schema"),
            schema_name=wanted.get("name", ""),
            thinks=bool(body.get("reasoning")),
            prompt=str(body["input"][-1].get("content")),
            body=body,
        )

    def _turn(self, item: JSON) -> Turn | None:
        kind = item.get("type", "message")
        if kind == "function_call":
            return Turn("assistant", calls=(item["call_id"],))
        if kind == "function_call_output":
            return Turn("tool", results=(item["call_id"],))
        return Turn(item["role"], is_empty=not item.get("content")) if item.get("role") in ("user", "assistant") else None

    def whole(self, body: JSON, reply: Reply, number: int) -> JSON:
        return RESPONSES.whole(Exchange(body, reply, number))

    def pieces(self, body: JSON, reply: Reply, number: int) -> Iterator[bytes]:
        return (event.encode() for event in RESPONSES.events(Exchange(body, reply, number)))


class Ollama(Api):
    """Ollama's own API: lines of JSON, and no tool choice."""

    streams = "application/x-ndjson"

    def read(self, path: str, body: JSON) -> Asked:
        turns = []
        for number, message in enumerate(body["messages"]):
            # Calls have no ids: a result belongs to the call before it.
            calls = tuple(f"{number}-{index}" for index, _ in enumerate(message.get("tool_calls") or ()))
            role = message["role"]
            results = (str(number),) if role == "tool" else ()
            turns += [Turn(role, calls, results, not (message.get("content") or calls))] if role != "system" else []
        schema = body.get("format") if isinstance(body.get("format"), dict) else None
        return Asked(
            turns=turns,
            tools=[tool["function"]["name"] for tool in body.get("tools") or ()],
            format="json_schema" if schema else "json_object" if body.get("format") else "",
            schema=schema,
            prompt=str(body["messages"][-1]["content"]),
            body=body,
        )

    def error(self, refused: Refused) -> JSON:
        return {"error": refused.message}

    def is_streamed(self, path: str, body: JSON) -> bool:
        return body.get("stream", True) is not False

    def _line(self, reply: Reply, *, done: bool) -> JSON:
        calls = [{"function": {"name": call.name, "arguments": call.arguments}} for call in reply.tool_calls]
        message = {"role": "assistant", "content": reply.text or "", **({"tool_calls": calls} if calls else {})}
        message |= {"thinking": reply.reasoning} if reply.reasoning else {}
        line = {"model": "m", "created_at": "2026-11-22T00:00:00Z", "message": message, "done": done}
        counts = {"prompt_eval_count": 10, "eval_count": 5}
        return {**line, **({"done_reason": reply.finish_reason or "stop", **counts} if done else {})}

    def whole(self, body: JSON, reply: Reply, number: int) -> JSON:
        return self._line(reply, done=True)

    def pieces(self, body: JSON, reply: Reply, number: int) -> Iterator[bytes]:
        yield json.dumps(self._line(reply, done=False)).encode() + b"\n"
        yield json.dumps(self._line(Reply("", finish_reason=reply.finish_reason), done=True)).encode() + b"\n"
