"""Passes the call of an answer through the hooks that ask a person about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.messages import AIMessage, ToolCall, ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest

from answergraph.nodes.tools import ToolCallStep, ToolResult
from answergraph.runtime.steps import Step


def reviewed_message(
    message: AIMessage, names: frozenset[str], wrap: Callable[[ToolCallStep], ToolCallStep], state: Mapping[str, Any]
) -> Step[AIMessage]:
    """Return a reply with the answers in ``names`` as a person has edited them; the conversation keeps what the model wrote.

    LangChain's human-in-the-loop middleware keeps the model's call in the message and puts the edited one in its place when
    the tool is run. The call of an answer is never run; it passes the same hook here.
    """
    calls: list[ToolCall] = []
    for call in message.tool_calls:
        calls.append((yield from _reviewed_call(call, wrap, state)) if call["name"] in names else call)
    # The very message, if nothing was edited: its reading still stands.
    return message if calls == message.tool_calls else message.model_copy(update={"tool_calls": calls})


def _reviewed_call(call: ToolCall, wrap: Callable[[ToolCallStep], ToolCallStep], state: Mapping[str, Any]) -> Step[ToolCall]:
    decided = call

    def capture(request: ToolCallRequest) -> Step[ToolResult]:
        nonlocal decided
        decided = request.tool_call
        yield from ()
        return ToolMessage("", name=call["name"], tool_call_id=str(call["id"]))

    # The runtime is a tool's; there is no tool to run.
    yield from wrap(capture)(ToolCallRequest(tool_call=call, tool=None, state=state, runtime=None))  # type: ignore[arg-type]  # see above
    return decided
