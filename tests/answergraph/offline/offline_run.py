"""A small agent loop around the offline model: model and tools in turn, until there is nothing to call."""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool
from pydantic import BaseModel

from answergraph.graphs.add_ons.calculator.calculator import CALCULATOR_TOOLS, Calculation
from answergraph.offline.offline_model import OfflineChatModel

MOST_STEPS = 300


def native_format(schema: type[BaseModel]) -> dict[str, Any]:
    """Return the request argument that asks for a native answer."""
    return {
        "type": "json_schema",
        "json_schema": {"name": schema.__name__, "schema": schema.model_json_schema()},
    }


def converse(
    question: str | Sequence[AnyMessage],
    *,
    tools: Sequence[BaseTool] = CALCULATOR_TOOLS,
    answer_tool: Any = None,
    tool_choice: Any = None,
    **kwargs: Any,
) -> list[AnyMessage]:
    """Return the whole conversation, up to the first message that calls no real tool."""
    messages: list[AnyMessage] = [HumanMessage(question)] if isinstance(question, str) else list(question)
    by_name = {tool.name: tool for tool in tools}
    bound = [*tools, *([answer_tool] if answer_tool else [])]
    model = OfflineChatModel().bind_tools(bound, tool_choice=tool_choice, **kwargs)
    for _ in range(MOST_STEPS):
        reply = model.invoke(messages)
        messages.append(reply)
        if not reply.tool_calls or reply.tool_calls[0]["name"] not in by_name:
            return messages
        answer = by_name[reply.tool_calls[0]["name"]].invoke(reply.tool_calls[0])
        assert isinstance(answer, ToolMessage)
        messages.append(answer)
    raise AssertionError("the model never stops")


def calls_of(messages: Sequence[AnyMessage]) -> list[str]:
    """Return the names of all tool calls, in order."""
    return [call["name"] for message in messages if isinstance(message, AIMessage) for call in message.tool_calls]


def answer_of(messages: Sequence[AnyMessage]) -> dict[str, Any]:
    """Return the arguments of the last message's only call."""
    last = messages[-1]
    assert isinstance(last, AIMessage)
    assert len(last.tool_calls) == 1, last.content
    return last.tool_calls[0]["args"]


def calculate(question: str, **options: Any) -> dict[str, Any]:
    """Return the fields of a ``Calculation`` for a question."""
    return answer_of(converse(question, answer_tool=Calculation, tool_choice="any", **options))
