"""The tools node: plain calls are run right here, all others by LangGraph's ``ToolNode``, which decides on every error, too."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from langchain_core.messages import ToolCall, ToolMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.errors import GraphBubbleUp
from langgraph.prebuilt import ToolNode
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from answergraph.nodes.direct_calls.plain_tools import Finished, PlainTool, PlainTools
from answergraph.nodes.names import TOOLS
from answergraph.runtime.steps import Call, Step, arun_step, run_step
from answergraph.state.budget import InnerRunBudget, UsageLimits
from answergraph.state.messages import pending_tool_calls

ToolResult = ToolMessage | Command[Any]
"""What a tool call brings."""

ToolCallStep = Callable[[ToolCallRequest], Step[ToolResult]]
"""A tool call as a step: the plain one, or one wrapped by middleware."""


class ToolsNode(Runnable[Any, Any]):
    """Runs tool calls; the router sends it one call per task."""

    def __init__(
        self,
        tools: Sequence[BaseTool],
        wrap: Callable[[ToolCallStep], ToolCallStep],
        limits: UsageLimits,
        answers: Callable[[Any], Collection[str]],
    ) -> None:
        """Make the node.

        Args:
            tools: The tools.
            wrap: Puts the middleware around a call.
            limits: Those of the run; what it has left is shared by the agents that its tools run.
            answers: Tells, from the state, the names of the answer schemas, whose calls are no tool calls.
        """
        self.name = TOOLS
        self._tools = tuple(tools)
        self._wrap = wrap
        self._limits = limits
        self._answers = answers
        # Where middleware wraps tool calls, each call is its to see, as ``ToolNode`` shows it.
        is_wrapped = wrap(_nothing) is not _nothing
        self._plain = PlainTools({} if is_wrapped else {tool.name: tool for tool in tools})

    @cached_property
    def tool_node(self) -> ToolNode:
        """LangGraph's node with the same tools; made when the first call needs it, for it reads every tool's signature."""
        return ToolNode(self._tools, wrap_tool_call=self._wrap_tool_call, awrap_tool_call=self._awrap_tool_call)

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run the calls."""
        found = None if config is None or _is_on_event_loop() else self._plain_call(input)
        if found is None or config is None:
            return self.tool_node.invoke(input, config, **kwargs)
        tool, call = found
        with self._account_of(call, config) as lending:
            try:
                result = tool.run(call, config)
            except GraphBubbleUp:
                raise
            except Exception as error:  # noqa: BLE001 - ToolNode decides what becomes of it
                return _finished(tool, call, lending, error=error).invoke([call], config)
            if _is_text(result):
                return _update(lending.result_with_charges(result))
            return _finished(tool, call, lending, value=result).invoke([call], config)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run the calls on the event loop."""
        found = self._plain_call(input)
        if found is None or config is None:
            return await self.tool_node.ainvoke(input, config, **kwargs)
        tool, call = found
        with self._account_of(call, config) as lending:
            try:
                result = await tool.arun(call, config)
            except GraphBubbleUp:
                raise
            except Exception as error:  # noqa: BLE001 - ToolNode decides what becomes of it
                return await _finished(tool, call, lending, error=error).ainvoke([call], config)
            if _is_text(result):
                return _update(lending.result_with_charges(result))
            return await _finished(tool, call, lending, value=result).ainvoke([call], config)

    def _plain_call(self, input: Any) -> tuple[PlainTool, ToolCall] | None:
        """Return the one call of a ``Send`` with its tool, if that is plain."""
        if not isinstance(input, list) or len(input) != 1 or not isinstance(input[0], dict):
            return None
        call: Any = input[0]
        tool = self._plain.find(call["name"]) if call.get("type") == "tool_call" else None
        return None if tool is None else (tool, call)

    def _account_of(self, call: ToolCall, config: RunnableConfig) -> InnerRunBudget:
        # Reading the state costs as much as an ordinary tool; only a run inside the tool asks for it.
        return self._account(partial(_state_of_task, call, config))

    def _account(self, state: Callable[[], Mapping[str, Any]]) -> InnerRunBudget:
        return InnerRunBudget(self._limits, state, self._parts)

    def _parts(self, state: Mapping[str, Any]) -> int:
        """Return how many calls of the turn share what the run has left."""
        answers = self._answers(state)
        return sum(call["name"] not in answers for call in pending_tool_calls(state["messages"]))

    def _wrapped(self, execute: Callable[[ToolCallRequest], Any]) -> ToolCallStep:
        def call(request: ToolCallRequest) -> Step[ToolResult]:
            result: ToolResult = yield Call(execute, (request,))
            return result

        return self._wrap(call)

    def _wrap_tool_call(self, request: ToolCallRequest, execute: Callable[[ToolCallRequest], Any]) -> ToolResult:
        with self._account(lambda: request.state) as lending:
            return lending.result_with_charges(run_step(self._wrapped(execute)(request)))

    async def _awrap_tool_call(self, request: ToolCallRequest, execute: Callable[[ToolCallRequest], Any]) -> ToolResult:
        with self._account(lambda: request.state) as lending:
            return lending.result_with_charges(await arun_step(self._wrapped(execute)(request)))


def _finished(tool: PlainTool, call: ToolCall, lending: InnerRunBudget, **outcome: Any) -> ToolNode:
    """Return a ``ToolNode`` for a call that has run: it checks commands and turns errors into messages as for any tool."""
    stand_in = Finished(name=tool.tool.name, description=tool.tool.description, **outcome)

    def wrap_tool_call(request: ToolCallRequest, execute: Callable[[ToolCallRequest], Any]) -> Any:
        return lending.result_with_charges(execute(request.override(tool=stand_in)))

    return ToolNode([], wrap_tool_call=wrap_tool_call)


def _state_of_task(call: ToolCall, config: RunnableConfig) -> Mapping[str, Any]:
    """Return the state a task of ours was sent from, as ``ToolNode`` reads it."""
    seen: list[Any] = []

    def look(request: ToolCallRequest, execute: Callable[[ToolCallRequest], Any]) -> ToolMessage:
        seen.append(request.state)
        return ToolMessage("", tool_call_id=str(call["id"]))

    ToolNode([], wrap_tool_call=look).invoke([call], config)
    state: Mapping[str, Any] = seen[0]
    return state


def _update(result: ToolResult) -> Any:
    return {"messages": [result]} if isinstance(result, ToolMessage) else [result]


def _is_text(result: Any) -> bool:
    return type(result) is ToolMessage and isinstance(result.content, str)


def _is_on_event_loop() -> bool:
    # A blocking tool may start an event loop, which a thread that has one running refuses: such calls get a thread.
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _nothing(request: ToolCallRequest) -> Step[ToolResult]:
    raise NotImplementedError
