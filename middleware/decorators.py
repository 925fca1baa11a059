"""Decorators that make a middleware of one function, with LangChain's names and arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import iscoroutinefunction
from typing import Any, Protocol, overload

from langchain_core.messages import SystemMessage
from langchain_core.tools import BaseTool

from answergraph.asking.model_request import ModelRequest
from answergraph.middleware.base import CAN_JUMP_TO, AgentMiddleware
from answergraph.runtime.argument_checks import check_function, shown
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.explained_arguments import explains_arguments
from answergraph.state.agent_state import AgentState, JumpTo

Middleware = AgentMiddleware
Prompt = Callable[[ModelRequest[Any]], Any]


class HookDecorator(Protocol):
    """Makes a middleware of a function, with or without options."""

    @overload
    def __call__(self, func: Callable[..., Any], /) -> Middleware: ...

    @overload
    def __call__(
        self,
        func: None = None,
        /,
        *,
        state_schema: type[Any] | None = None,
        tools: Sequence[BaseTool] | None = None,
        can_jump_to: list[JumpTo] | None = None,
        name: str | None = None,
    ) -> Callable[[Callable[..., Any]], Middleware]: ...


def _decorator(hook: str, doc: str, as_method: Callable[[Callable[..., Any]], Callable[..., object]]) -> HookDecorator:
    """Return the decorator for one hook; a coroutine function becomes its async form."""
    arguments = ("request", "handler") if as_method is _wrapping_method else ("state", "runtime")

    def decorator(
        func: Callable[..., object] | None = None,
        *,
        state_schema: type[object] | None = None,
        tools: Sequence[BaseTool] | None = None,
        can_jump_to: list[JumpTo] | None = None,
        name: str | None = None,
    ) -> Any:
        def make(function: Callable[..., object]) -> Middleware:
            check_function(f"@{hook}: {shown(function)}", function, *arguments, may_be_async=True)
            method = as_method(function)
            if jumps := can_jump_to if can_jump_to is not None else getattr(function, CAN_JUMP_TO, None):
                setattr(method, CAN_JUMP_TO, jumps)
            coloured = f"a{hook}" if iscoroutinefunction(function) else hook
            fields = {"state_schema": state_schema or AgentState, "tools": list(tools or ())}
            return _middleware(name or function.__name__, {coloured: method, **fields})

        return make if func is None else make(func)

    decorator.__name__ = hook
    decorator.__doc__ = doc
    return explains_arguments(f"@{hook}")(decorator)


def _state_method(function: Callable[..., object]) -> Callable[..., object]:
    def method(self: Any, state: Any, runtime: Any) -> Any:
        # A coroutine function returns its coroutine, which the async hook's caller awaits.
        return function(state, runtime)

    return method


def _wrapping_method(function: Callable[..., object]) -> Callable[..., object]:
    def method(self: Any, request: object, handler: object) -> Any:
        return function(request, handler)

    return method


def _middleware(name: str, members: dict[str, Any]) -> Middleware:
    middleware: Middleware = type(name, (AgentMiddleware,), members)()
    return middleware


before_agent = _decorator("before_agent", "Make a middleware of ``func(state, runtime)``, run before the loop.", _state_method)
before_model = _decorator("before_model", "Make a middleware of ``func(state, runtime)``, run before the model.", _state_method)
after_model = _decorator("after_model", "Make a middleware of ``func(state, runtime)``, run after the model.", _state_method)
after_agent = _decorator("after_agent", "Make a middleware of ``func(state, runtime)``, run at the end.", _state_method)
wrap_model_call = _decorator(
    "wrap_model_call", "Make a middleware of ``func(request, handler)`` around the model call.", _wrapping_method
)
wrap_tool_call = _decorator(
    "wrap_tool_call", "Make a middleware of ``func(request, handler)`` around each tool call.", _wrapping_method
)


@overload
def dynamic_prompt(func: Prompt) -> Middleware: ...
@overload
def dynamic_prompt(func: None = None) -> Callable[[Prompt], Middleware]: ...
@explains_arguments("@dynamic_prompt")
def dynamic_prompt(func: Prompt | None = None) -> Middleware | Callable[[Prompt], Middleware]:
    """Make a middleware that writes the system message of each call.

    Args:
        func: Returns the prompt for a request as text or ``SystemMessage``; a coroutine function serves async runs only.
    """
    if func is None:
        return dynamic_prompt
    check_function(f"@dynamic_prompt: {shown(func)}", func, "request", may_be_async=True)

    def with_prompt(request: ModelRequest, prompt: object) -> ModelRequest:
        if not isinstance(prompt, str | SystemMessage):
            raise AgentSpecError(f"{func.__name__} returned {shown(prompt)}; return the prompt, a text or a SystemMessage.")
        return request.override(system_message=prompt if isinstance(prompt, SystemMessage) else SystemMessage(prompt))

    async def awrap(self: Any, request: ModelRequest, handler: Callable[..., Any]) -> Any:
        return await handler(with_prompt(request, await func(request)))

    def modify(self: Any, request: ModelRequest) -> ModelRequest:
        return with_prompt(request, func(request))

    member = {"awrap_model_call": awrap} if iscoroutinefunction(func) else {"modify_model_request": modify}
    return _middleware(func.__name__, member)
