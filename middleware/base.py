"""The middleware base class: every hook, with LangChain's names, arguments and meaning, and two of ours."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, TypeVar

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.runtime import Runtime
from langgraph.types import Command, TracePolicy
from langgraph.typing import ContextT
from typing_extensions import TypeVar as TypeVarWithDefault

from answergraph.asking.model_request import ExtendedModelResponse, ModelRequest, ModelResponse
from answergraph.runtime.explained_arguments import explains_arguments
from answergraph.state.agent_state import AgentState, JumpTo, ResponseT
from answergraph.state.outcome import AnswerAccepted

StateT = TypeVarWithDefault("StateT", default=AgentState[Any])
HookT = TypeVar("HookT", bound=Callable[..., Any])

CAN_JUMP_TO = "__can_jump_to__"
"""The attribute on a hook that says where it may jump; LangChain's."""

_WRONG_COLOUR = (
    "{colour} implementation of {hook} is not available. You are likely encountering this error because you defined only "
    "the {other} version and invoked your agent in {context} context. Define {hook} as well, or invoke the agent with {calls}."
)


class AgentMiddleware(Generic[StateT, ContextT, ResponseT]):
    """Behaviour around the nodes of an agent; override the hooks you need.

    A hook that is not overridden costs nothing: the graph has no node for it. ``before_*`` hooks run in the order of the
    list, ``after_*`` hooks in reverse, and the first middleware's ``wrap_*`` hooks are the outermost. Hooks whose names begin
    with ``a`` serve async runs, which otherwise use the sync ones. A ``wrap_*`` hook needs both forms to serve both kinds of run;
    a missing form raises ``NotImplementedError``.
    """

    state_schema: type[Any] = AgentState
    """The state keys it reads and writes."""

    tools: Sequence[BaseTool] = ()
    """Tools it adds to the agent."""

    named_tools: Sequence[str] = ()
    """Names of the tools it relies on; the agent must have them."""

    checks_marks: bool = False
    """Whether it checks the marks ``Quote()`` and ``FromTools()``; marks without a checker are refused."""

    checks_in_thread: bool = False
    """Whether ``check_answer`` leaves the event loop of an awaited run, since it reads files or takes long."""

    answer_types: Sequence[type[Any]] = ()
    """Answer types it adds to the agent's response format."""

    trace_policy: TracePolicy | None = None
    """Controls the content of the hooks' trace spans."""

    transformers: Sequence[Callable[..., object]] = ()
    """LangGraph stream transformers it adds."""

    @property
    def name(self) -> str:
        """Part of the names of its nodes; unique within an agent."""
        return type(self).__name__

    def before_agent(self, state: StateT, runtime: Runtime[ContextT]) -> dict[str, Any] | Command[Any] | None:
        """Run once before the loop; returns a state update."""

    async def abefore_agent(self, state: StateT, runtime: Runtime[ContextT]) -> dict[str, Any] | Command[Any] | None:
        """Run once before the loop, in async runs."""

    def before_model(self, state: StateT, runtime: Runtime[ContextT]) -> dict[str, Any] | Command[Any] | None:
        """Run before each visit of the model; returns a state update."""

    async def abefore_model(self, state: StateT, runtime: Runtime[ContextT]) -> dict[str, Any] | Command[Any] | None:
        """Run before each visit of the model, in async runs."""

    def after_model(self, state: StateT, runtime: Runtime[ContextT]) -> dict[str, Any] | Command[Any] | None:
        """Run after each visit of the model; returns a state update."""

    async def aafter_model(self, state: StateT, runtime: Runtime[ContextT]) -> dict[str, Any] | Command[Any] | None:
        """Run after each visit of the model, in async runs."""

    def after_agent(self, state: StateT, runtime: Runtime[ContextT]) -> dict[str, Any] | Command[Any] | None:
        """Run once when the answer, or the reason why there is none, is decided; returns a state update."""

    async def aafter_agent(self, state: StateT, runtime: Runtime[ContextT]) -> dict[str, Any] | Command[Any] | None:
        """Run once at the end, in async runs."""

    def wrap_model_call(
        self, request: ModelRequest[ContextT], handler: Callable[[ModelRequest[ContextT]], ModelResponse[ResponseT]]
    ) -> ModelResponse[ResponseT] | AIMessage | ExtendedModelResponse[ResponseT]:
        """Answer a model call; ``handler(request)`` calls the model, and may be called any number of times."""
        raise NotImplementedError(wrong_colour("wrap_model_call"))

    async def awrap_model_call(
        self,
        request: ModelRequest[ContextT],
        handler: Callable[[ModelRequest[ContextT]], Awaitable[ModelResponse[ResponseT]]],
    ) -> ModelResponse[ResponseT] | AIMessage | ExtendedModelResponse[ResponseT]:
        """Answer a model call in async runs."""
        raise NotImplementedError(wrong_colour("awrap_model_call"))

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[str]]
    ) -> ToolMessage | Command[Any]:
        """Answer a tool call; ``handler(request)`` runs the tool."""
        raise NotImplementedError(wrong_colour("wrap_tool_call"))

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[str]]]
    ) -> ToolMessage | Command[Any]:
        """Answer a tool call in async runs."""
        raise NotImplementedError(wrong_colour("awrap_tool_call"))

    def modify_model_request(self, request: ModelRequest[ContextT]) -> ModelRequest[ContextT]:
        """Return the request to make instead of this one.

        A pure function for sync and async runs; use it instead of ``wrap_model_call`` if nothing happens after the call.
        """
        return request

    def check_answer(self, answer: object, state: StateT, runtime: Runtime[ContextT]) -> AnswerAccepted | bool | None:
        """Check a valid answer before it is accepted; in an awaited run, ``acheck_answer`` is called instead if there is one.

        Args:
            answer: The answer, of the declared type; a check may not change it.
            state: The agent's state.
            runtime: The run's context, store and writer.

        Returns:
            ``None`` or ``True``, or an ``AnswerAccepted`` with evidence for the outcome. ``False`` rejects the answer and sends
            the model the name and the docstring of this method.

        Raises:
            AnswerRejected: To reject the answer; its feedback goes to the model and counts like a schema error.
        """
        return None

    async def acheck_answer(self, answer: object, state: StateT, runtime: Runtime[ContextT]) -> AnswerAccepted | bool | None:
        """Check a valid answer in an awaited run, as ``check_answer`` does; for what must be awaited, such as a database."""
        return None


def wrong_colour(hook: str) -> str:
    """Return the error for a wrapping hook that exists only sync or only async."""
    if hook.startswith("a"):
        words = {"colour": "Asynchronous", "other": "sync", "context": "an async", "calls": "`stream()` or `invoke()`"}
    else:
        words = {"colour": "Synchronous", "other": "async", "context": "a sync", "calls": "`astream()` or `ainvoke()`"}
    return _WRONG_COLOUR.format(hook=hook, **words)


@explains_arguments('@hook_config(can_jump_to=["end"])')
def hook_config(*, can_jump_to: list[JumpTo] | None = None) -> Callable[[HookT], HookT]:
    """Declare where a ``before_*`` or ``after_*`` hook may jump.

    Args:
        can_jump_to: Any of ``"tools"``, ``"model"`` and ``"end"``; each becomes an edge of the graph. The hook jumps by
            returning ``{"jump_to": …}``.

    Returns:
        A decorator for the hook.
    """

    def decorate(hook: HookT) -> HookT:
        if can_jump_to is not None:
            setattr(hook, CAN_JUMP_TO, can_jump_to)
        return hook

    return decorate
