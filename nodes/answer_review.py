"""Passes an answer call through human-in-the-loop hooks."""

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
    """Return a reply with a person's edits of the answers in ``names``; the conversation keeps the original.

    LangChain's human-in-the-loop middleware applies edits when a tool runs. Answer calls are not run, so they pass its hook here.
    """
    calls: list[ToolCall] = []
    for call in message.tool_calls:
        calls.append((yield from _reviewed_call(call, wrap, state)) if call["name"] in names else call)
    # The same message if nothing was edited, so that its reading is still valid.
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
