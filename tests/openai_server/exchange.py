"""Shared by the three endpoints: one exchange with its reply, server-sent events, and text in pieces."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from tests.openai_server.reply import JSONObject, Reply, ToolCall, Usage

CREATED_SECONDS = 1_700_000_000
"""The creation time in every reply; fixed, so that two runs of a test see the same bytes."""
MOST_PIECES = 4


@dataclass(frozen=True)
class Exchange:
    """One request and the reply to it."""

    request: JSONObject
    reply: Reply
    number: int
    """The number of the request at its server, from 1; it makes ids unique and reproducible."""

    @property
    def model(self) -> str:
        """The model that the client asked for."""
        return str(self.request.get("model", ""))

    @property
    def include_usage(self) -> bool:
        """Whether a streamed reply ends with its token counts."""
        return bool((self.request.get("stream_options") or {}).get("include_usage"))

    @cached_property
    def tool_calls(self) -> tuple[tuple[str, ToolCall], ...]:
        """The calls of the reply, each with its id."""
        return tuple((call.id or f"call_{self.number}_{index}", call) for index, call in enumerate(self.reply.tool_calls))


@dataclass(frozen=True)
class Endpoint:
    """How one API writes a reply."""

    whole: Callable[[Exchange], dict[str, Any]]
    """Returns the body of a reply that is not streamed."""
    events: Callable[[Exchange], Iterator[str]]
    """Returns the server-sent events of a streamed reply."""


def overwritten(body: Any, values: JSONObject) -> Any:
    """Return a body with the values of named fields replaced, at any depth."""
    if isinstance(body, list):
        return [overwritten(each, values) for each in body]
    if not isinstance(body, dict):
        return body
    return {name: values[name] if name in values else overwritten(value, values) for name, value in body.items()}


def token_counts(usage: Usage) -> dict[str, int]:
    """Return token counts with the keys of chat and text completions."""
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
    }


def overwritten_event(event: str, values: JSONObject) -> str:
    """Return a server-sent event with the values of named fields replaced."""
    head, _, data = event.partition("data: ")
    return event if data.strip() == "[DONE]" else f"{head}data: {json.dumps(overwritten(json.loads(data), values))}\n\n"


def server_sent_event(data: JSONObject | str, *, name: str | None = None) -> str:
    """Return one event as text."""
    line = data if isinstance(data, str) else json.dumps(data)
    return (f"event: {name}\n" if name else "") + f"data: {line}\n\n"


def pieces(text: str) -> Iterator[str]:
    """Cut a text into at most four pieces of similar length; none is empty."""
    size = max(1, -(-len(text) // MOST_PIECES))
    return (text[start : start + size] for start in range(0, len(text), size))


def cut_at_stop(reply: Reply, request: JSONObject) -> Reply:
    """Return the reply with its text cut before the first stop sequence of the request."""
    stop = request.get("stop") or []
    sequences = [stop] if isinstance(stop, str) else stop
    if reply.text is None or not sequences:
        return reply
    ends = [end for end in map(reply.text.find, sequences) if end >= 0]
    return replace(reply, text=reply.text[: min(ends)]) if ends else reply
