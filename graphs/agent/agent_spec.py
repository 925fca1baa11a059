"""Validates the arguments of ``create_agent``: the only place that reports mistakes in them."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool

from answergraph.answers.storage.state_schemas import merge_state_schemas
from answergraph.asking.strategies.declared_format import DeclaredFormat
from answergraph.asking.strategies.run_time_format import RunTimeFormat, declared_format
from answergraph.calling.purse import Purse
from answergraph.graphs.agent.arguments import (
    answer_keys,
    check_state_schema,
    checked_context,
    split_tools,
    system_message,
)
from answergraph.graphs.agent.guards import check_marks, check_named_tools, check_sources, check_spelt_tools
from answergraph.graphs.agent.signature import DEFAULTS, AgentArguments, Tool
from answergraph.middleware.stack import MiddlewareStack
from answergraph.models.resolve import resolve_model
from answergraph.nodes.agent_parts import AgentParts
from answergraph.nodes.answer_checks import in_either_colour
from answergraph.nodes.external_tool import ExternalTool, described_name
from answergraph.runtime.argument_checks import check_function, one_of, shown
from answergraph.runtime.errors import AgentSpecError
from answergraph.state.agent_state import AgentState, StateSchemas
from answergraph.state.ledger import RepairMode
from answergraph.state.outcome import EndStrategy, OnFailure
from answergraph.state.usage import NO_LIMITS, UsageLimits


@dataclass(frozen=True)
class AgentSpec(AgentParts):
    """The validated arguments of an agent."""

    stack: MiddlewareStack
    schemas: StateSchemas
    context_schema: type[Any] | None
    on_failure: OnFailure

    @classmethod
    def create(
        cls,
        model: Any,
        tools: Sequence[Tool] | None,
        response_format: object,
        output_key: str | None,
        arguments: AgentArguments,
    ) -> Self:
        """Validate the arguments of ``create_agent``.

        Raises:
            AgentSpecError: If the agent cannot be built; the message says what to change.
        """
        settings: dict[str, Any] = {**dict.fromkeys(AgentArguments.__annotations__), **DEFAULTS, **arguments}
        stack = MiddlewareStack(settings["middleware"])
        keys = answer_keys(output_key)
        own, provided = split_tools(tools)
        runnable = tuple(_distinct([*stack.tools, *own]))
        tool_names = [tool.name for tool in runnable]
        declared = declared_format(response_format, tool_names, stack.answer_schemas, partial(check_marks, stack))
        check_sources(stack, has_tools=bool(tool_names or provided))
        # What a provider runs has names of its own: those of an MCP server's tools are not known here.
        are_all = not stack.tool_wrappers and all(map(described_name, provided))
        check_spelt_tools(stack, tool_names, are_all=are_all and not provided)
        if are_all:
            check_named_tools(stack, tool_names)
        chat_model = resolve_model(model)
        declared.check(chat_model)
        own_schemas = [] if settings["state_schema"] is None else [settings["state_schema"]]
        for schema in (*own_schemas, *stack.state_schemas):
            if schema is not AgentState:
                check_state_schema(schema, keys, declared.schemas)
        state_schemas = [*stack.state_schemas, AgentState, *own_schemas]
        return cls(
            model=chat_model,
            tools=tuple([tool for tool in runnable if not isinstance(tool, ExternalTool)]),
            external_tools=tuple([tool for tool in runnable if isinstance(tool, ExternalTool)]),
            provider_tools=provided,
            system_message=system_message(settings["system_prompt"]),
            stack=stack,
            format=declared,
            schemas=merge_state_schemas(state_schemas, keys, declared.schemas),
            context_schema=checked_context(settings["context_schema"], response_format),
            keys=keys,
            limits=_limits(settings["limits"], declared, chat_model),
            end_strategy=_for_answers("end_strategy", EndStrategy, settings, declared),
            on_failure=one_of("on_failure", OnFailure, settings["on_failure"]),
            repair=_for_answers("repair", RepairMode, settings, declared),
            checks=_checks(stack, settings["check_answer"], declared),
            name=settings["name"],
            runs_any_tool=bool(stack.tool_wrappers),
            interrupts=stack.interrupts,
        )


_YIELDS = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR


def _distinct(tools: Iterable[BaseTool]) -> list[BaseTool]:
    by_name: dict[str, BaseTool] = {}
    for candidate in tools:
        if not isinstance(candidate, BaseTool):
            raise AgentSpecError(f"tools of a middleware: {shown(candidate)} is no tool; write tool(…) of a function.")
        # ``vars``, because a tool of a class of its own looks for a missing field in Python.
        own, cls = vars(candidate), type(candidate)
        for function in (own.get("func"), own.get("coroutine"), cls._run, cls._arun):
            plain = getattr(function, "func", function)  # what a partial calls
            if getattr(getattr(plain, "__code__", None), "co_flags", 0) & _YIELDS:
                raise AgentSpecError(f"tools: {candidate.name} yields, and nothing would read it; return the whole result.")
        if by_name.setdefault(candidate.name, candidate) is not candidate:
            raise AgentSpecError(f"Two tools have the name {candidate.name!r}; give one of them another name.")
    return list(by_name.values())


def _for_answers(name: str, allowed: object, settings: dict[str, Any], declared: DeclaredFormat | RunTimeFormat) -> Any:
    value = one_of(name, allowed, settings[name])
    if value != DEFAULTS[name] and not declared.reads_answers:
        raise AgentSpecError(f"{name}={value!r} says nothing without a response_format; pass one, or leave it out.")
    return value


def _limits(limits: object, declared: DeclaredFormat | RunTimeFormat, model: BaseChatModel) -> UsageLimits:
    if limits is None:
        return UsageLimits() if declared.reads_answers else NO_LIMITS
    if not isinstance(limits, UsageLimits):
        raise AgentSpecError(f"limits={shown(limits)} is not a UsageLimits; write limits=UsageLimits(model_calls=…).")
    if limits.is_priced:
        Purse(limits).check(model)
    return limits


def _checks(
    stack: MiddlewareStack, own: Callable[..., object] | None, declared: DeclaredFormat | RunTimeFormat
) -> tuple[Callable[..., object], ...]:
    if own is not None:
        check_function(f"check_answer={shown(own)}", own, "answer", "state", "runtime", may_be_async=True)
    checks = (*stack.checks, *(() if own is None else (in_either_colour(own),)))
    if checks and not declared.reads_answers:
        name = f"check_answer={shown(own)}" if own is not None else shown(checks[0])
        raise AgentSpecError(f"{name} has nothing to check without a response_format; pass one.")
    return checks
