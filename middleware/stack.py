"""The middleware of one agent: finds the hooks once and composes the wrapping ones."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import takewhile
from typing import Any, Literal, get_args

from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.config import get_config
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.runtime import Runtime, get_runtime
from langgraph.types import Command

from answergraph.answers.schemas.answer_schema import AnswerSchema
from answergraph.answers.schemas.schema_kinds import answer_schemas
from answergraph.asking.model_request import ModelRequest, ModelResponse, of_both_classes, own_request
from answergraph.middleware.base import CAN_JUMP_TO, AgentMiddleware, wrong_colour
from answergraph.middleware.hook_checks import check_methods, check_request, check_update
from answergraph.middleware.trace_policies import hook_policy, traced
from answergraph.nodes.answer_checks import in_either_colour
from answergraph.nodes.layered_response import FormatChange, LayeredResponse, no_response
from answergraph.nodes.model import ModelCall
from answergraph.nodes.tool_recording import recording
from answergraph.nodes.tools import ToolCallStep, ToolResult
from answergraph.runtime.argument_checks import awaitable, check_function, check_list, is_async, one_of, shown
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.steps import TIMED_VISIT, Call, Step, in_thread, off_loop, wrap
from answergraph.state.agent_state import TOOL_RESULTS, JumpTo

HookName = Literal["before_agent", "before_model", "after_model", "after_agent"]
"""The hooks that are nodes of the graph."""

_HOOKS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(get_args(HookName), ("state",)),
    **dict.fromkeys(["wrap_model_call", "wrap_tool_call"], ("request", "handler")),
    "modify_model_request": ("request",),
    "check_answer": ("answer", "state", "runtime"),
}
"""The positional arguments of each hook."""

_NO_HOOK = (
    "middleware: {shown} has no hook. Derive a class from AgentMiddleware, or decorate a function with @before_model, "
    "@wrap_model_call or the like."
)
_NO_SYNC_HOOK = (
    'No synchronous function provided to "{name}".\n'
    "Either initialize with a synchronous function or invoke via the async API (ainvoke, astream, etc.)"
)
_INJECTED = frozenset({"runtime", "config", "store", "writer"})
_OTHERS = f" Another argument is one of {', '.join(sorted(_INJECTED))}, by this name."


@dataclass(frozen=True)
class Hook:
    """One ``before_*`` or ``after_*`` hook of one middleware."""

    node_name: str
    blocking: Callable[[Any], object]
    awaited: Callable[[Any], Awaitable[object]]
    can_jump_to: tuple[JumpTo, ...]
    trace_policy: object
    may_write: frozenset[str] = frozenset()
    """Private keys of the agent that it writes; those of other hooks are dropped."""

    def step(self, state: Any, runtime: Runtime[Any]) -> Step[Any]:
        update: object = yield Call(self.blocking, self.awaited, (state,))
        if update is not None:
            check_update(self.node_name, update, self.can_jump_to)
        return update


class MiddlewareStack:
    """The middleware of one agent, first one outermost; raise ``AgentSpecError`` if one is none, or two share a name.

    Middleware is recognised by attributes, so that LangChain's works, too.
    """

    def __init__(self, middleware: object) -> None:
        self.middleware = check_list("middleware", middleware)
        for each in self.middleware:
            _check(each)
        names = [m.name for m in self.middleware]
        if repeated := sorted({name for name in names if names.count(name) > 1}):
            raise AgentSpecError(
                f"Please remove duplicate middleware instances: {repeated!r}. "
                "To use one class twice, give the instances different names by overriding `name`."
            )
        self.layers = tuple(layer for m in self.middleware for layer in _model_layers(m))
        self.tool_wrappers = tuple(m for m in self.middleware if _has(m, "wrap_tool_call"))
        self._records = any(TOOL_RESULTS in getattr(schema, "__annotations__", ()) for schema in self.state_schemas)

    @property
    def tools(self) -> list[BaseTool]:
        return [tool for m in self.middleware for tool in check_list(f"{m.name}.tools", getattr(m, "tools", None))]

    @property
    def answer_schemas(self) -> tuple[AnswerSchema, ...]:
        return answer_schemas(tuple(each for m in self.middleware for each in getattr(m, "answer_types", ())))

    @property
    def state_schemas(self) -> list[type[Any]]:
        return [m.state_schema for m in self.middleware if getattr(m, "state_schema", None) is not None]

    @property
    def transformers(self) -> list[Callable[..., Any]]:
        return [transformer for m in self.middleware for transformer in getattr(m, "transformers", ())]

    @property
    def interrupts(self) -> frozenset[str]:
        """The names of the tools that a person must approve."""
        return frozenset(name for m in self.middleware for name in getattr(m, "interrupt_on", ()))

    @property
    def checks(self) -> list[Callable[..., Any]]:
        pairs = ((_own(m, "check_answer"), _own(m, "acheck_answer")) for m in self.middleware)
        return [in_either_colour(own, awaited) for check, awaited in pairs if (own := check or awaited) is not None]

    def hooks(self, hook: HookName) -> list[Hook]:
        return [_hook(m, hook) for m in self.middleware if _has(m, hook)]

    @property
    def wrap_model_call(self) -> Callable[[ModelCall], ModelCall]:
        """Wraps a model call in every layer; the identity without middleware."""
        return partial(reduce, lambda inner, layer: layer(inner), self.layers[::-1])

    def wrap_tool_call(self, call: ToolCallStep) -> ToolCallStep:
        """Wrap a tool call in every layer, and record its result if a middleware needs it."""
        wrap: Callable[[ToolCallStep], ToolCallStep] = partial(reduce, _around_tool, self.tool_wrappers[::-1])
        if not self._records:
            return wrap(call)
        computing = frozenset(name for middleware in self.middleware for name in getattr(middleware, "computes", ()))
        return recording(wrap, call, computing)

    def wrap_reviewed(self, names: frozenset[str]) -> Callable[[ToolCallStep], ToolCallStep]:
        """Return a function that wraps a call in the layers that ask a person about these names."""
        asking = [m for m in self.tool_wrappers if names.intersection(getattr(m, "interrupt_on", ()))]
        return lambda call: reduce(_around_tool, reversed(asking), call)


def _check(middleware: object) -> None:
    """Raise ``AgentSpecError`` for objects without hooks, and for hooks with wrong arguments."""
    name = shown(middleware)
    if isinstance(middleware, type):
        raise AgentSpecError(f"middleware: {name} is a class, whose hooks would not run; write {name}(…).")
    if not any(hasattr(middleware, hook) or hasattr(middleware, f"a{hook}") for hook in _HOOKS):
        raise AgentSpecError(_NO_HOOK.format(shown=name))
    if not isinstance(getattr(middleware, "name", None), str):
        raise AgentSpecError(f"middleware: {type(middleware).__name__} has no name; derive it from AgentMiddleware.")
    for hook in _HOOKS:
        _check_arguments(middleware, hook, hook)
        _check_arguments(middleware, hook, f"a{hook}")
    if methods := list(_methods(middleware)):
        check_methods(middleware, methods, _HOOKS, has_hook=any(_has(middleware, hook) for hook in _HOOKS))


def _check_arguments(middleware: Any, hook: str, method: str) -> None:
    function, arguments = _own(middleware, method), _HOOKS[hook]
    if function is not None:
        others = _OTHERS if arguments == ("state",) else ""
        is_async_too = hook == "check_answer" or method != hook
        name = f"{middleware.name}.{method}"
        check_function(name, function, *arguments, named=_INJECTED, may_be_async=is_async_too, instead=others)


def _methods(middleware: object) -> Iterator[str]:
    for cls in takewhile(lambda cls: not _is_base(cls), type(middleware).__mro__):
        yield from (name for name, member in vars(cls).items() if callable(member) and not name.startswith("_"))


def _has(middleware: object, hook: str) -> bool:
    return _own(middleware, hook) is not None or _own(middleware, f"a{hook}") is not None


def _own(middleware: object, hook: str) -> Callable[..., Any] | None:
    """Return a hook if the middleware overrides it, ``None`` if it is the base class's empty one."""
    owner = next((cls for cls in type(middleware).__mro__ if hook in vars(cls)), None)
    own: Callable[..., Any] | None = None if owner is None or _is_base(owner) else getattr(middleware, hook)
    return own if own is None or hook in _HOOKS or is_async(own) else awaitable(f"{type(middleware).__name__}.{hook}", own)


def _is_base(cls: type) -> bool:
    # LangChain's base is recognised by name, because it is optional. User classes of that name keep their hooks.
    return cls is AgentMiddleware or (cls.__name__ == "AgentMiddleware" and cls.__module__.startswith("langchain.agents."))


def _hook(middleware: Any, hook: str) -> Hook:
    """Return a hook of a middleware; async runs fall back to the sync function."""
    node_name = f"{middleware.name}.{hook}"
    sync, asynchronous = _own(middleware, hook), _own(middleware, f"a{hook}")
    declared, option = getattr(sync, CAN_JUMP_TO, None) or getattr(asynchronous, CAN_JUMP_TO, None), f"{node_name}: can_jump_to"
    jumps = tuple([one_of(option, JumpTo, jump) for jump in check_list(option, declared)])

    def refuse(state: Any) -> Any:
        raise TypeError(_NO_SYNC_HOOK.format(name=node_name))

    async def call_sync(state: Any) -> Any:
        return blocking(state) if TIMED_VISIT.get() is None else await in_thread(blocking, state)

    keys: frozenset[str] = getattr(middleware, "private_keys", frozenset())
    blocking = _with_injection(sync) or refuse
    return Hook(node_name, blocking, _with_injection(asynchronous) or call_sync, jumps, hook_policy(middleware), keys)


def _with_injection(function: Callable[..., object] | None) -> Callable[[Any], Any] | None:
    """Return a function of the state that injects other arguments by name, as LangGraph does."""
    if function is None or not (injected := _INJECTED & inspect.signature(function).parameters.keys()):
        return function

    def call(state: Any) -> Any:
        runtime = get_runtime()
        values = {"runtime": runtime, "store": runtime.store, "writer": runtime.stream_writer}
        return function(state, **{name: get_config() if name == "config" else values[name] for name in injected})

    return call


def _model_layers(middleware: Any) -> Iterator[Callable[[ModelCall], ModelCall]]:
    if (modify := _own(middleware, "modify_model_request")) is not None:
        yield partial(_modifying, middleware.name, modify)
    if _has(middleware, "wrap_model_call"):
        yield partial(_around_model, middleware)


def _modifying(name: str, modify: Callable[[ModelRequest], ModelRequest], inner: ModelCall) -> ModelCall:
    def call(request: ModelRequest) -> Step[LayeredResponse]:
        modified = yield from off_loop(modify, request, when=TIMED_VISIT.get() is not None)
        return (yield from _noting_format(name, request, modified, inner))

    return call


def _noting_format(name: str, request: ModelRequest, handed_on: object, inner: ModelCall) -> Step[LayeredResponse]:
    """Make a layer's inner call, and record a change of the response format."""
    inner_request = own_request(handed_on, name)
    if inner_request is not request:
        check_request(name, request, inner_request)
    before, after = request.response_format, inner_request.response_format
    try:
        layered = yield from inner(inner_request)
    except AgentSpecError as error:
        if error.middleware is None and getattr(request, error.field, None) is not getattr(inner_request, error.field, None):
            error.made_by(name)
        raise
    if before is after:
        return layered
    until = inner_request.withheld_until[len(request.withheld_until) :]
    return replace(layered, format_changes=(FormatChange(name, before, after, until), *layered.format_changes))


def _around_model(middleware: Any, inner: ModelCall) -> ModelCall:
    hook, ahook = _both_colours(middleware, "wrap_model_call")

    def call(request: ModelRequest) -> Step[LayeredResponse]:
        # Replaced at each handler call: on a retry only the last reply's commands count.
        last = LayeredResponse(ModelResponse(result=[]))

        def handler(inner_request: object = None) -> Step[ModelResponse]:
            nonlocal last
            last = yield from _noting_format(middleware.name, request, inner_request, inner)
            return of_both_classes(last.response)

        returned: object = yield wrap(hook, ahook, request, handler)
        return last.of(returned, middleware.name)

    return call


def _around_tool(inner: ToolCallStep, middleware: Any) -> ToolCallStep:
    hook, ahook = _both_colours(middleware, "wrap_tool_call")

    def call(request: ToolCallRequest) -> Step[ToolResult]:
        if not isinstance(result := (yield wrap(hook, ahook, request, inner)), ToolMessage | Command):
            raise no_response(f"{middleware.name}.wrap_tool_call", result, "a ToolMessage or a Command")
        return result

    return call


def _both_colours(middleware: object, hook: str) -> tuple[Callable[..., object], Callable[..., Any]]:
    def hook_or_refusal(name: str) -> Callable[..., Any]:
        def refuse(*_: object) -> Any:
            raise NotImplementedError(wrong_colour(name))

        return refuse if (own := _own(middleware, name)) is None else traced(middleware, name, own)

    return hook_or_refusal(hook), hook_or_refusal(f"a{hook}")
