"""What the three endpoints share: one exchange with its reply, server-sent events, and text in pieces."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from tests.openai_server.reply import JSONObject, Reply, ToolCall, Usage

CREATED_SECONDS = 1_700_000_000
"""The time that every reply claims, so that two runs of a test see the same bytes."""
MOST_PIECES = 4


@dataclass(frozen=True)
class Exchange:
    """One request and the reply to it."""

    request: JSONObject
    reply: Reply
    number: int
    """Counts the requests of one server from 1; makes ids unique and repeatable."""

    @property
    def model(self) -> str:
        """The model that the client asked for."""
        return str(self.request.get("model", ""))

    @property
    def include_usage(self) -> bool:
        """Whether a streamed reply ends with a count of tokens."""
        return bool((self.request.get("stream_options") or {}).get("include_usage"))

    @cached_property
    def tool_calls(self) -> tuple[tuple[str, ToolCall], ...]:
        """The calls of the reply, each with its id."""
        return tuple((call.id or f"call_{self.number}_{index}", call) for index, call in enumerate(self.reply.tool_calls))


@dataclass(frozen=True)
class Endpoint:
    """How one API writes a reply."""

    whole: Callable[[Exchange], dict[str, Any]]
    """The body of an answer that is not streamed."""
    events: Callable[[Exchange], Iterator[str]]
    """The server-sent events of a streamed one."""


def overwritten(body: Any, values: JSONObject) -> Any:
    """Return a body with other values in the fields of some names, at any depth."""
    if isinstance(body, list):
        return [overwritten(each, values) for each in body]
    if not isinstance(body, dict):
        return body
    return {name: values[name] if name in values else overwritten(value, values) for name, value in body.items()}


def token_counts(usage: Usage) -> dict[str, int]:
    """Return a count of tokens in the words of chat and text completions."""
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
    }


def overwritten_event(event: str, values: JSONObject) -> str:
    """Return a server-sent event with other values in the fields of some names."""
    head, _, data = event.partition("data: ")
    return event if data.strip() == "[DONE]" else f"{head}data: {json.dumps(overwritten(json.loads(data), values))}\n\n"


def server_sent_event(data: JSONObject | str, *, name: str | None = None) -> str:
    """Return one event as text."""
    line = data if isinstance(data, str) else json.dumps(data)
    return (f"event: {name}\n" if name else "") + f"data: {line}\n\n"


def pieces(text: str) -> Iterator[str]:
    """Cut a text into at most four pieces of about equal length, none of them empty."""
    size = max(1, -(-len(text) // MOST_PIECES))
    return (text[start : start + size] for start in range(0, len(text), size))


def cut_at_stop(reply: Reply, request: JSONObject) -> Reply:
    """Return the reply with its text ended before the first stop sequence that the request names."""
    stop = request.get("stop") or []
    sequences = [stop] if isinstance(stop, str) else stop
    if reply.text is None or not sequences:
        return reply
    ends = [end for end in map(reply.text.find, sequences) if end >= 0]
    return replace(reply, text=reply.text[: min(ends)]) if ends else reply
