"""The tools node: makes direct calls itself; LangGraph's ``ToolNode`` makes all others and handles errors."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import cached_property, partial
from typing import Any

from langchain_core.messages import ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.errors import GraphBubbleUp
from langgraph.prebuilt import InjectedState, ToolNode
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from answergraph.nodes.direct_calls.direct_tools import DirectCall, DirectTools, InToolThread
from answergraph.nodes.names import TOOLS
from answergraph.runtime import steps
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.steps import Call, Invoke, Step, TimedVisits, arun_step, in_both_colours, run_step
from answergraph.state.agent_state import TOOL_RESULTS, AnswerKeys, RunState
from answergraph.state.budget import InnerRunBudget
from answergraph.state.messages import failed_call_message, with_own_text
from answergraph.state.own_keys import check_kept, without_keys
from answergraph.state.turn import CallNames, Turn
from answergraph.state.usage import UsageLimits

_NO_SUCH_STATE = "The tool {name} takes InjectedState({key!r}), and the state has no such key now; pass it with the input."
_ASYNC_ONLY = "The tool {name!r} is async: call the agent with ainvoke or astream, or give the tool a blocking function as well."
_OTHER_CALL = (
    "The tool {name!r} returned a ToolMessage for the call {given!r}, and its own is {called!r}. Write "
    "tool_call_id=runtime.tool_call_id in a tool with runtime: ToolRuntime, or request.tool_call['id'] in a wrap_tool_call."
)

NO_RESULT = "Tool {name} gave no result."
SECONDS_PER_CALL = "seconds_per_tool_call"
"""Key of a tool's ``metadata``: its own limit, instead of the agent's."""

ToolResult = ToolMessage | Command[str]

ToolCallStep = Callable[[ToolCallRequest], Step[ToolResult]]
"""A tool call as a step, plain or wrapped by middleware."""


class ToolsNode(TimedVisits):
    """Runs tool calls; the router sends it one call per task."""

    def __init__(
        self,
        tools: Sequence[BaseTool],
        wrap: Callable[[ToolCallStep], ToolCallStep],
        limits: UsageLimits,
        names: CallNames,
        keys: AnswerKeys,
    ) -> None:
        """Take tools, their middleware, and the names that sort calls.

        Agents that run in tools share the run's remaining limits. Tools cannot write the keys of the answer.
        """
        self.has_times = False
        """Whether a tool has a limit of its own in seconds."""
        for tool in tools:
            if tool.metadata and SECONDS_PER_CALL in tool.metadata:
                own = UsageLimits(seconds_per_tool_call=tool.metadata[SECONDS_PER_CALL])  # checks it
                self.has_times |= own.has_times
        self.name = TOOLS
        # ``ToolNode``'s names for them: programs and tests look there for an agent's tools.
        self.tools_by_name = self._tools_by_name = {tool.name: tool for tool in tools}
        self.known_keys: Collection[str] = ()
        """The keys of the state that the tools may write, if they are known."""
        self._wrap = wrap
        self._limits = limits
        self._names = names
        # Records are written around the tool if middleware needs them; a tool's own writes there are dropped.
        self._left_out = partial(without_keys, names=keys.own - {TOOL_RESULTS})
        # Middleware sees each call as ``ToolNode`` shows it.
        is_wrapped = wrap(_nothing) is not _nothing
        self._direct_tools = DirectTools(() if is_wrapped else tools)
        self._is_wrapped = is_wrapped

    @cached_property
    def tool_node(self) -> ToolNode:
        """LangGraph's node with the same tools, built on first use because it reads every signature."""
        blocking, awaited = in_both_colours(self._wrapped_call)
        return ToolNode(list(self.tools_by_name.values()), wrap_tool_call=blocking, awrap_tool_call=awaited)

    def _visit(self, input: object, config: RunnableConfig | None, **kwargs: object) -> object:
        # A blocking tool may start an event loop: ToolNode runs it in another thread.
        try:
            return run_step(self._step(input, None if _is_on_event_loop() else self._direct_call(input, config)))
        except NotImplementedError as error:
            names = {call.get("name") for call in input} if isinstance(input, list) else set()
            for tool in self.tools_by_name.values():
                if tool.name in names and getattr(tool, "coroutine", None) and getattr(tool, "func", tool) is None:
                    raise AgentSpecError(_ASYNC_ONLY.format(name=tool.name)) from error
            raise

    async def _avisit(self, input: object, config: RunnableConfig | None, **kwargs: object) -> object:
        return await arun_step(self._step(input, self._direct_call(input, config)))

    def _step(self, input: object, direct: DirectCall | None) -> Step[Any]:
        if direct is None:
            return (yield from self._by_tool_node(input))
        # Reading the state costs as much as a tool; only inner runs need it.
        with self._budget(partial(_state_of_task, input, direct.config)) as budget:
            outcome: dict[str, object]
            try:
                result = yield direct
            except GraphBubbleUp:
                raise
            except Exception as error:  # noqa: BLE001 - ToolNode handles it
                outcome = {"error": error}
            else:
                is_text = type(result) is ToolMessage and isinstance(result.content, str)
                if is_text and result.tool_call_id == direct.call["id"]:
                    result = with_own_text(result)
                    charged = budget.result_with_charges(result)
                    return {"messages": [charged]} if charged is result else [charged]
                outcome = {"value": result}
            return (yield Invoke(self._tool_node_of(direct.outcome_again(**outcome), budget), input))

    def _by_tool_node(self, input: object) -> Step[Any]:
        try:
            return (yield Invoke(self.tool_node, input))
        except KeyError as error:
            key = error.args[0] if error.args else None
            names = [tool.name for tool in self._tools_in(input) if _takes_from_state(tool, key)]
            if names:
                raise AgentSpecError(_NO_SUCH_STATE.format(name=names[0], key=key)) from error
            raise

    def _direct_call(self, input: object, config: RunnableConfig | None) -> DirectCall | None:
        """Return the call of a ``Send`` as a direct one, else ``None``."""
        if steps.recorder is not None:
            return None  # it takes the place of a call inside middleware, as ``ToolNode`` runs it
        if config is None or not isinstance(input, list) or len(input) != 1 or not isinstance(input[0], dict):
            return None
        call: Any = input[0]
        direct = self._direct_tools.find(call["name"]) if call.get("type") == "tool_call" else None
        return None if direct is None else DirectCall(direct, call, config)

    def _late(self, input: object, error: Exception) -> object:
        return {"messages": [failed_call_message(call, f"{NO_RESULT} {error}") for call in _calls_in(input)]}

    def _deadline(self, clock: Any, input: object) -> float:
        """Return when calls have to end; the shortest limit of the tools' own goes before the run's for each call."""
        metadata = [tool.metadata or {} for tool in self._tools_in(input)]
        own = [each[SECONDS_PER_CALL] for each in metadata if each.get(SECONDS_PER_CALL) is not None]
        return float(clock.tool_ends(min(own, default=None)))

    def _only_blocks(self, input: object) -> bool:
        tools = self._tools_in(input)
        return not self._is_wrapped and all(isinstance(tool, StructuredTool) and tool.coroutine is None for tool in tools)

    def _tools_in(self, input: object) -> list[BaseTool]:
        return [self.tools_by_name[call["name"]] for call in _calls_in(input) if call["name"] in self.tools_by_name]

    def _budget(self, state: Callable[[], RunState]) -> InnerRunBudget:
        return InnerRunBudget(self._limits, state, self._parts, self._left_out)

    def _parts(self, state: RunState) -> int:
        """Return how many calls of the turn share the budget."""
        return len(Turn(state, self._names).open("tool", "external"))

    def _wrapped_call(self, request: ToolCallRequest, execute: Callable[[ToolCallRequest], Any]) -> Step[ToolResult]:
        def call(request: ToolCallRequest) -> Step[ToolResult]:
            effect = Call(execute, partial(_awaited, execute), (request,))
            recorder = steps.recorder
            result: ToolResult = yield effect if recorder is None else recorder.tool_call(request.tool_call, effect)
            return with_own_text(result) if isinstance(result, ToolMessage) else result

        with self._budget(lambda: request.state) as budget:
            return self._checked(budget.result_with_charges((yield from self._wrap(call)(request))), request)

    def _tool_node_of(self, stand_in: BaseTool, budget: InnerRunBudget) -> ToolNode:
        """Return a ``ToolNode`` for a finished call: it checks commands and handles errors."""

        def wrap_tool_call(request: ToolCallRequest, execute: Callable[[ToolCallRequest], Any]) -> Any:
            return self._checked(budget.result_with_charges(execute(request.override(tool=stand_in))), request)

        return ToolNode([], wrap_tool_call=wrap_tool_call)

    def _checked(self, result: ToolResult, request: ToolCallRequest) -> ToolResult:
        """Return a result; raise ``AgentSpecError`` if it is that of another call, or writes a misspelt key."""
        name, call_id = request.tool_call["name"], request.tool_call["id"]
        if isinstance(result, ToolMessage) and call_id and result.tool_call_id != call_id:
            raise AgentSpecError(_OTHER_CALL.format(name=name, called=call_id, given=result.tool_call_id))
        if self.known_keys and not isinstance(result, ToolMessage):
            check_kept(f"The tool {name!r}", result, self.known_keys)
        return result


async def _awaited(execute: Callable[[ToolCallRequest], Awaitable[ToolResult]], request: ToolCallRequest) -> ToolResult:
    """Await a call. A blocking tool gets a thread of ours: LangChain would take one of asyncio's few, which may all hang."""
    if type(request.tool) is StructuredTool and request.tool.coroutine is None:
        tool = request.tool
        request = request.override(tool=InToolThread(name=tool.name, description=tool.description, tool=tool))
    return await execute(request)


def _takes_from_state(tool: BaseTool, key: object) -> bool:
    marks = (mark for field in getattr(tool.args_schema, "model_fields", {}).values() for mark in field.metadata)
    return any(isinstance(mark, InjectedState) and mark.field == key for mark in marks)


def _calls_in(input: Any) -> list[Any]:
    if isinstance(input, list):
        return [call for call in input if isinstance(call, dict)]
    return [each.call for each in Turn(input).calls if each.is_open]


_STATE_READER = ToolNode([], wrap_tool_call=lambda request, _: ToolMessage("", tool_call_id="", artifact=request.state))
"""A no-op tool call that shows a task's state, which LangGraph has no public function for."""


def _state_of_task(calls: object, config: RunnableConfig) -> RunState:
    state: RunState = _STATE_READER.invoke(calls, config)["messages"][0].artifact
    return state


def _is_on_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _nothing(request: ToolCallRequest) -> Step[ToolResult]:
    raise NotImplementedError
