"""The replies of the loopback server: a reply of the model, or a failure of the provider."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

JSONObject = Mapping[str, Any]


@dataclass(frozen=True)
class ToolCall:
    """One tool call of the model."""

    name: str
    arguments: JSONObject | str = field(default_factory=dict)
    """A mapping is sent as JSON; a string is sent unchanged, so it may be malformed."""
    id: str | None = None
    """If `None`, the server gives an id that no other of its calls has."""

    @property
    def arguments_text(self) -> str:
        """The arguments as they are sent."""
        if isinstance(self.arguments, str):
            return self.arguments
        return json.dumps(self.arguments, ensure_ascii=False)


@dataclass(frozen=True)
class Usage:
    """Tokens counted for one exchange."""

    input_tokens: int = 10
    output_tokens: int = 5


@dataclass(frozen=True)
class Reply:
    """One reply of the model; `says`, `calls`, `refuses` and `is_cut_off` write the common ones."""

    text: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str | None = None
    """If `None`: `"tool_calls"` if there are any, otherwise `"stop"`."""
    refusal: str | None = None
    reasoning: str | None = None
    """Sent as `reasoning_content` in chat completions, and as a reasoning item in the Responses API."""
    usage: Usage | None = None
    """If `None`, the server reports no usage, like many compatible servers."""
    overwritten: JSONObject = field(default_factory=dict)
    """Values that replace the fields with these names, anywhere in the body or in the events of a stream."""

    @property
    def reason_to_finish(self) -> str:
        """The finish reason of the chat completions API."""
        return self.finish_reason or ("tool_calls" if self.tool_calls else "stop")


@dataclass(frozen=True)
class Failure:
    """A request that the provider refuses or fails to answer."""

    status: int = 400
    message: str = "The request is not supported."
    code: str | None = None
    param: str | None = None
    may_retry: bool = False
    """`True` asks the client to retry after a millisecond; `False` asks it not to."""


def says(text: str, *, usage: Usage | None = None) -> Reply:
    """Return a reply of plain text."""
    return Reply(text=text, usage=usage)


def calls(*tool_calls: ToolCall, text: str | None = None, usage: Usage | None = None) -> Reply:
    """Return a reply with tool calls; several are parallel calls."""
    return Reply(text=text, tool_calls=tool_calls, usage=usage)


def refuses(refusal: str) -> Reply:
    """Return a refusal in the API's own field."""
    return Reply(refusal=refusal)


def is_cut_off(text: str) -> Reply:
    """Return a reply that ended at the token limit."""
    return Reply(text=text, finish_reason="length")
