"""What an agent is built from, validated once: every mistake a developer can make while building is found here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from inspect import iscoroutinefunction
from typing import Any, get_args

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import SystemMessage
from langchain_core.tools import BaseTool, tool
from typing_extensions import TypedDict

from answergraph.middleware.stack import MiddlewareStack
from answergraph.models.resolve import resolve_model
from answergraph.response_format.storage.state_schemas import merge_state_schemas
from answergraph.response_format.strategies.declared_format import DeclaredFormat
from answergraph.response_format.strategies.run_time_format import RunTimeFormat, declared_format
from answergraph.state.agent_state import AgentState, AnswerKeys, StateSchemas
from answergraph.state.budget import NO_LIMITS, UsageLimits
from answergraph.state.errors import AgentSpecError
from answergraph.state.outcome import EndStrategy, OnFailure

Tool = BaseTool | Callable[..., Any] | dict[str, Any]
"""A tool, a function to make one of, or a tool the provider runs itself, as its API describes it."""


class AgentOptions(TypedDict, total=False):
    """The options of ``build_agent_graph``; ``create_agent`` documents each."""

    system_prompt: str | SystemMessage | None
    middleware: Sequence[Any]
    response_format: Any
    state_schema: type[Any] | None
    context_schema: type[Any] | None
    output_key: str | None
    limits: UsageLimits | None
    end_strategy: EndStrategy
    on_failure: OnFailure
    check_answer: Callable[..., Any] | None
    name: str | None


@dataclass(frozen=True)
class AgentSpec:
    """The validated parts of an agent.

    Attributes:
        model: The chat model.
        tools: What runs here, the middleware's tools first.
        provider_tools: What the provider runs.
        system_message: Put before every conversation.
        stack: The middleware.
        format: The response format.
        schemas: The state, input and output schemas.
        context_schema: The type of the run's context.
        keys: Where the answer and the outcome go.
        limits: What a run may use.
        end_strategy: What an answer beside tool calls counts for.
        on_failure: What a run without an answer does.
        checks: The checks of a valid answer, the middleware's first.
        name: The agent's name; stands on its messages.
    """

    model: BaseChatModel
    tools: tuple[BaseTool, ...]
    provider_tools: tuple[dict[str, Any], ...]
    system_message: SystemMessage | None
    stack: MiddlewareStack
    format: DeclaredFormat | RunTimeFormat
    schemas: StateSchemas
    context_schema: type[Any] | None
    keys: AnswerKeys
    limits: UsageLimits
    end_strategy: EndStrategy
    on_failure: OnFailure
    checks: tuple[Callable[[Any, Any, Any], object], ...]
    name: str | None

    @classmethod
    def create(cls, model: Any, tools: Sequence[Tool] | None, options: AgentOptions) -> AgentSpec:
        """Validate the arguments of ``create_agent``.

        Args:
            model: A chat model or its name.
            tools: The tools.
            options: The other arguments.

        Returns:
            The spec.

        Raises:
            AgentSpecError: If the agent cannot be built; the message says what to change.
        """
        stack = MiddlewareStack(options.get("middleware", ()))
        keys = AnswerKeys.named(options.get("output_key"))
        own, provided = _split(tools or ())
        runnable = tuple(_distinct([*stack.tools, *own]))
        declared = declared_format(options.get("response_format"), [tool.name for tool in runnable], stack.answer_schemas)
        chat_model = resolve_model(model)
        declared.check(chat_model)
        return cls(
            model=chat_model,
            tools=runnable,
            provider_tools=provided,
            system_message=_system_message(options.get("system_prompt")),
            stack=stack,
            format=declared,
            schemas=merge_state_schemas(
                [*stack.state_schemas, AgentState, options.get("state_schema") or AgentState],
                keys,
                declared.schemas,
            ),
            context_schema=options.get("context_schema"),
            keys=keys,
            limits=_limits(options.get("limits"), declared),
            end_strategy=_one_of("end_strategy", EndStrategy, options.get("end_strategy", "defer")),
            on_failure=_one_of("on_failure", OnFailure, options.get("on_failure", "return")),
            checks=_checks(stack, options.get("check_answer"), declared),
            name=options.get("name"),
        )

    @property
    def has_tools(self) -> bool:
        """Whether the graph needs a ``tools`` node; a ``wrap_tool_call`` hook may run tools of its own."""
        return bool(self.tools or self.stack.tool_wrappers)

    @property
    def reviewed_answers(self) -> frozenset[str]:
        """The answers that a middleware asks a person about, as LangChain's does for the names in ``interrupt_on``."""
        # The names of a format made at run time are not known yet; the tools' are.
        answers = self.format.declared or frozenset(self.stack.interrupts) - {tool.name for tool in self.tools}
        return answers & self.stack.interrupts if self.format.reads_answers else frozenset()

    @cached_property
    def return_direct(self) -> dict[str, bool]:
        """Per tool, whether its result ends the run."""
        return {tool.name: tool.return_direct for tool in self.tools}


def _split(tools: Sequence[Tool]) -> tuple[list[BaseTool], tuple[dict[str, Any], ...]]:
    own = [_as_tool(given) for given in tools if not isinstance(given, dict)]
    return own, tuple(given for given in tools if isinstance(given, dict))


def _as_tool(given: Any) -> BaseTool:
    if isinstance(given, BaseTool):
        return given
    try:
        made: BaseTool = tool(given)
    except (TypeError, ValueError) as error:
        raise AgentSpecError(f"{given!r} cannot be made a tool: {error}") from error
    return made


def _distinct(tools: Iterable[BaseTool]) -> list[BaseTool]:
    by_name: dict[str, BaseTool] = {}
    for candidate in tools:
        if by_name.setdefault(candidate.name, candidate) is not candidate:
            raise AgentSpecError(f"Two tools have the name {candidate.name!r}; give one of them another name.")
    return list(by_name.values())


def _system_message(prompt: str | SystemMessage | None) -> SystemMessage | None:
    return SystemMessage(prompt) if isinstance(prompt, str) else prompt


def _one_of(name: str, allowed: Any, given: Any) -> Any:
    if given not in get_args(allowed):
        raise AgentSpecError(f"{name}={given!r} is none of {get_args(allowed)!r}.")
    return given


def _limits(given: Any, declared: DeclaredFormat | RunTimeFormat) -> UsageLimits:
    if given is None:
        return UsageLimits() if declared.reads_answers else NO_LIMITS
    if not isinstance(given, UsageLimits):
        raise AgentSpecError(f"limits={given!r} is no UsageLimits; write limits=UsageLimits(model_calls=…).")
    return given


def _checks(
    stack: MiddlewareStack, own: Callable[..., Any] | None, declared: DeclaredFormat | RunTimeFormat
) -> tuple[Callable[..., Any], ...]:
    checks = (*stack.checks, *(() if own is None else (own,)))
    for check in checks:
        if not callable(check):
            raise AgentSpecError(f"check_answer={check!r} is no function of (answer, state, runtime).")
        if iscoroutinefunction(check) or iscoroutinefunction(type(check).__call__):
            raise AgentSpecError(f"{check!r} is not awaited: a check of an answer is an ordinary function, not async.")
    if own is not None and not declared.reads_answers:
        raise AgentSpecError("check_answer has nothing to check without a response_format; pass one.")
    return checks
