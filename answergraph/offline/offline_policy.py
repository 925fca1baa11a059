"""The request and replies of an offline policy.

A policy is a function from a request to the next message. It uses the bound tools, their results, and data attached to
messages, never the words of a prompt. It keeps no state.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage

from answergraph.answers.schemas.known_keys import parts_of
from answergraph.models.in_process.in_process_model import ChatRequest, ToolChoice

_OTHER_TYPES: Mapping[type, str] = {str: "string", list: "array", dict: "object"}


@dataclass(frozen=True)
class SchemaField:
    """One property of an object schema."""

    name: str
    types: frozenset[str]
    """The accepted JSON types; ``"choice"`` for an enum; empty for any."""
    is_required: bool

    @property
    def is_numeric(self) -> bool:
        return bool(self.types & {"number", "integer"})

    def takes(self, value: object) -> bool:
        return not self.types or bool(_json_types(value) & self.types)


@dataclass(frozen=True)
class OfferedSchema:
    """A tool or a native answer format: a name and its fields."""

    name: str
    fields: tuple[SchemaField, ...]

    @property
    def field_names(self) -> set[str]:
        return {field.name for field in self.fields}


@dataclass(frozen=True)
class AnsweredCall:
    """A tool call and the message that answered it."""

    name: str
    args: dict[str, object]
    answer: ToolMessage

    @property
    def text(self) -> str:
        return self.answer.text.strip()

    @property
    def failed(self) -> bool:
        return self.answer.status == "error"


@dataclass(frozen=True)
class OfflineRequest:
    """A request to the offline model."""

    messages: Sequence[BaseMessage]
    """The conversation, oldest first."""
    tools: Mapping[str, OfferedSchema]
    """The bound tools by name, in order, without provider tools."""
    answer_format: OfferedSchema | None
    tool_choice: ToolChoice

    @classmethod
    def read(cls, request: ChatRequest) -> Self:
        functions = [tool["function"] for tool in request.tools if isinstance(tool.get("function"), Mapping)]
        tools = [OfferedSchema(function["name"], _fields_of(function.get("parameters") or {})) for function in functions]
        return cls(
            messages=request.messages,
            tools={tool.name: tool for tool in tools},
            answer_format=_native_format(request.kwargs),
            tool_choice=ToolChoice.read(request.tool_choice),
        )

    @property
    def formats(self) -> list[OfferedSchema]:
        """The formats for an answer: the native one, else the callable tools."""
        if self.answer_format:
            return [self.answer_format]
        return [tool for name, tool in self.tools.items() if self.tool_choice.allows(name)]

    def attached(self, key: str) -> Any:
        """Return the latest data attached to a message under this key, or ``None``."""
        values = [message.additional_kwargs[key] for message in self.messages if key in message.additional_kwargs]
        return values[-1] if values else None

    def call(self, name: str, args: Mapping[str, Any]) -> AIMessage:
        """Return a message that calls a tool, with a deterministic id."""
        calls = [call for message in self.messages if isinstance(message, AIMessage) for call in message.tool_calls]
        ids = {call["id"] for call in calls}
        number = len(calls) + 1
        while f"offline_{number}" in ids:
            number += 1
        return AIMessage("", tool_calls=[ToolCall(name=name, args=dict(args), id=f"offline_{number}")])

    def answer(self, schema: OfferedSchema, values: Mapping[str, Any]) -> AIMessage:
        """Return an answer: as JSON in the native format, as a call of any other schema."""
        if schema is self.answer_format:
            return AIMessage(json.dumps(values, ensure_ascii=False))
        return self.call(schema.name, values)


OfflinePolicy = Callable[[OfflineRequest], AIMessage]
"""A skill of the offline model; replies to every request."""


def attach(text: str, key: str, data: object) -> HumanMessage:
    """Return a prompt with data for an offline policy; no provider's client sends the data."""
    return HumanMessage(text, additional_kwargs={key: data})


def decline(text: str) -> AIMessage:
    """Return a refusal, marked as in OpenAI's API; the agent does not ask again, because the rules would give the same reply."""
    return AIMessage(text, additional_kwargs={"refusal": text})


def decline_all_but(ability: str) -> AIMessage:
    """Return a refusal of anything but this ability."""
    return decline(f"I am a set of rules, not a language model, and all I can do is {ability}.")


def answered_calls(messages: Iterable[BaseMessage]) -> list[AnsweredCall]:
    """Return the tool calls that were answered, in the order of the calls."""
    answers: dict[str | None, ToolMessage] = {}
    calls: list[ToolCall] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            answers.setdefault(message.tool_call_id, message)
        elif isinstance(message, AIMessage):
            calls += message.tool_calls
    return [AnsweredCall(call["name"], call["args"], answers[call["id"]]) for call in calls if call["id"] in answers]


def _native_format(kwargs: Mapping[str, object]) -> OfferedSchema | None:
    """Return the JSON-schema format of the request or of its extra body."""
    body = kwargs.get("extra_body")
    bound = kwargs.get("response_format") or (body.get("response_format") if isinstance(body, Mapping) else None)
    json_schema = bound.get("json_schema") if isinstance(bound, Mapping) else None
    if not isinstance(json_schema, Mapping) or not isinstance(json_schema.get("schema"), Mapping):
        return None
    return OfferedSchema(str(json_schema.get("name", "answer")), _fields_of(json_schema["schema"]))


def _fields_of(schema: Mapping[str, Any]) -> tuple[SchemaField, ...]:
    properties = schema.get("properties")
    required = schema.get("required") or []
    if not isinstance(properties, Mapping):
        return ()
    return tuple(SchemaField(name, frozenset(_types(field, schema)), name in required) for name, field in properties.items())


def _types(field: object, root: Mapping[str, object]) -> Iterator[str]:
    for part in parts_of(field, root, set()):
        declared = "choice" if "enum" in part or "const" in part else part.get("type", [])
        yield from [declared] if isinstance(declared, str) else declared


def _json_types(value: object) -> frozenset[str]:
    if value is None:
        return frozenset({"null"})
    if isinstance(value, bool):
        return frozenset({"boolean"})
    if isinstance(value, int | float):
        return frozenset({"number", "integer"} if value == value // 1 else {"number"})
    return frozenset(name for kind, name in _OTHER_TYPES.items() if isinstance(value, kind))
