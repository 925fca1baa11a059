"""What a policy of the offline model is given, and what it must be able to do.

Knows how the arguments a chat model is bound with are read: tools, native answer format and tool choice, in the forms of
LangChain and the common providers. A further skill of the offline model is a further file with an ``OfflinePolicy``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from langchain_core.messages import AIMessage, BaseMessage

from answergraph.models.in_process.in_process_model import ChatRequest
from answergraph.models.in_process.schema_fields import SchemaField, fields_of
from answergraph.models.in_process.tool_choice import ToolChoice


@dataclass(frozen=True)
class OfferedSchema:
    """A tool, or a native answer format: a name and the fields it takes."""

    name: str
    fields: tuple[SchemaField, ...]


@dataclass(frozen=True)
class OfflineRequest:
    """What a policy decides by."""

    messages: Sequence[BaseMessage]
    """The conversation, oldest first."""

    tools: Mapping[str, OfferedSchema]
    """The bound tools by name, in order; provider tools are left out."""

    answer_format: OfferedSchema | None
    """The native answer format, if one is bound."""

    tool_choice: ToolChoice

    @classmethod
    def read(cls, request: ChatRequest) -> OfflineRequest:
        """Read what a chat model was asked.

        Args:
            request: The request as it came.
        """
        functions = [tool["function"] for tool in request.tools if isinstance(tool.get("function"), Mapping)]
        tools = [OfferedSchema(function["name"], fields_of(function.get("parameters") or {})) for function in functions]
        return cls(
            messages=request.messages,
            tools={tool.name: tool for tool in tools},
            answer_format=_native_format(request.kwargs),
            tool_choice=ToolChoice.read(request.tool_choice),
        )


class OfflinePolicy(Protocol):
    """One skill of the offline model: rules from a conversation to the next message."""

    ability: str
    """What the policy can do, as it would follow the words "I can"."""

    def reply(self, request: OfflineRequest) -> AIMessage | None:
        """Return the next message, or ``None`` if the conversation asks for nothing this policy knows.

        Must depend on the request alone: state between steps is read from the messages.

        Args:
            request: The conversation and what is bound.
        """


def _native_format(kwargs: Mapping[str, Any]) -> OfferedSchema | None:
    """Return the JSON-schema format from the request, or from the extra body some clients send it in."""
    body = kwargs.get("extra_body")
    bound = kwargs.get("response_format") or (body.get("response_format") if isinstance(body, Mapping) else None)
    json_schema = bound.get("json_schema") if isinstance(bound, Mapping) else None
    if not isinstance(json_schema, Mapping) or not isinstance(json_schema.get("schema"), Mapping):
        return None
    return OfferedSchema(str(json_schema.get("name", "answer")), fields_of(json_schema["schema"]))


def decline(text: str) -> AIMessage:
    """Return a message that says what the offline model cannot do, marked as a refusal as OpenAI's API marks one.

    An agent then ends at once with status ``refused`` and this text as its reason: rules that were asked again would say the
    same again.

    Args:
        text: One plain sentence.
    """
    return AIMessage(text, additional_kwargs={"refusal": text})
