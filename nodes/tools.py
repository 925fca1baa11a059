"""The tools node: LangGraph's ``ToolNode``, with the middleware's wrappers written once for sync and async."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.prebuilt import ToolNode
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from answergraph.nodes.budget import UsageLimits
from answergraph.nodes.inner_runs import Account
from answergraph.nodes.messages import pending_tool_calls
from answergraph.nodes.step import Call, Step, arun_step, run_step

ToolResult = ToolMessage | Command[Any]
"""What a tool call brings."""

ToolCallStep = Callable[[ToolCallRequest], Step[ToolResult]]
"""A tool call as a step: the plain one, or one wrapped by middleware."""


def tool_node(
    tools: Sequence[BaseTool | Callable[..., Any]],
    wrap: Callable[[ToolCallStep], ToolCallStep],
    limits: UsageLimits,
    answers: Callable[[Any], Collection[str]],
) -> ToolNode:
    """Return the node that runs tool calls; the router sends it one call per task.

    Args:
        tools: The tools, callables included.
        wrap: Puts the middleware around a call.
        limits: Those of the run; what it has left is shared by the agents that its tools run.
        answers: Tells, from the state, the names of the answer schemas, whose calls are no tool calls.

    Returns:
        The node.
    """

    def account(request: ToolCallRequest) -> Account:
        names = answers(request.state)
        calls = [call for call in pending_tool_calls(request.state["messages"]) if call["name"] not in names]
        return Account(limits, request.state, parts=max(len(calls), 1))

    def wrapped(execute: Callable[[ToolCallRequest], Any]) -> ToolCallStep:
        def call(request: ToolCallRequest) -> Step[ToolResult]:
            result: ToolResult = yield Call(execute, (request,))
            return result

        return wrap(call)

    def wrap_tool_call(request: ToolCallRequest, execute: Callable[[ToolCallRequest], Any]) -> ToolResult:
        with account(request) as lending:
            return lending.settled_call(run_step(wrapped(execute)(request)))

    async def awrap_tool_call(request: ToolCallRequest, execute: Callable[[ToolCallRequest], Any]) -> ToolResult:
        with account(request) as lending:
            return lending.settled_call(await arun_step(wrapped(execute)(request)))

    return ToolNode(tools, wrap_tool_call=wrap_tool_call, awrap_tool_call=awrap_tool_call)
