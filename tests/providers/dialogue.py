"""The common form of all APIs' requests and replies, so that one model and one set of rules serve all of them."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from tests.openai_server.reply import Reply

JSON = dict[str, Any]


@dataclass(frozen=True)
class Turn:
    """One message of a conversation."""

    role: str
    """`user`, `assistant` or `tool`; the system message is not a turn."""
    calls: tuple[str, ...] = ()
    """The ids of the tool calls in it."""
    results: tuple[str, ...] = ()
    """The ids of the calls whose results it holds."""
    is_empty: bool = False
    """Whether it has no text, calls or results."""
    has_thoughts: bool = False


@dataclass(frozen=True)
class Asked:
    """One request."""

    turns: Sequence[Turn]
    tools: Sequence[str] = ()
    choice: str = "auto"
    """`auto`, `none`, `any`, or the name of a tool that must be called."""
    format: str = ""
    """`json_schema`, `json_object`, or empty."""
    schema: JSON | None = None
    """The schema of the format."""
    schema_name: str = ""
    thinks: bool = False
    prompt: str = ""
    """The text of the last message."""
    body: JSON = field(default_factory=dict)

    @property
    def is_forced(self) -> bool:
        return self.choice not in ("auto", "none")

    @property
    def has_results(self) -> bool:
        return any(turn.results for turn in self.turns)


class Sent(NamedTuple):
    """An answer of the stub."""

    status: int
    content_type: str
    body: bytes | Iterator[bytes]
    headers: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Refused:
    """A request that the provider refuses or fails to answer."""

    message: str
    status: int = 400
    more: JSON = field(default_factory=dict)
    """Further members of the error."""


class Rule(NamedTuple):
    """A rule for requests that an API refuses."""

    broken_by: Callable[[Asked], str | None]
    """Returns the provider's message, or nothing."""
    source: str
    """Where it is documented or reported."""


Model = Callable[[Asked, int], Reply | Refused]
"""Answers a request; its number counts from 1."""


def json_line(data: JSON) -> bytes:
    return json.dumps(data).encode() + b"\n"
