"""The arguments of ``create_agent``, and how the type of the answer follows from them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, Required, Unpack, cast, overload

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import SystemMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.cache.base import BaseCache
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore
from langgraph.types import Checkpointer
from typing_extensions import TypedDict, TypeForm

from answergraph.asking.strategies.strategy import Strategy
from answergraph.state.ledger import RepairMode
from answergraph.state.outcome import EndStrategy, OnFailure
from answergraph.state.usage import UsageLimits

if TYPE_CHECKING:
    from answergraph.graphs.agent.agent_types import AgentGraph, AnswerT, MadeFormat, StateAgentGraph

Model = str | BaseChatModel
"""A chat model, or its name."""

ResponseFormat = type[object] | Strategy | Mapping[str, object] | Callable[..., object]
"""A type, or a union of types; a strategy; a JSON Schema; or a function that makes one of these for each call."""

Tool = BaseTool | Callable[..., object] | dict[str, Any]
"""A tool, a function, or the description of a tool that the provider runs."""

Tools = Sequence[Tool] | None

CONFIG_KEYS = frozenset(RunnableConfig.__annotations__)
RUN_OPTIONS = frozenset([*(CompiledStateGraph.stream.__kwdefaults__ or ()), "checkpoint_during"])
"""The arguments of a run beside its input and its config; one of them is deprecated."""


class AgentOptions(TypedDict, total=False):
    """The arguments of ``create_agent`` that do not affect the result's type."""

    system_prompt: str | SystemMessage | None
    middleware: Sequence[Any]
    context_schema: type[object] | None
    checkpointer: Checkpointer
    store: BaseStore | None
    interrupt_before: list[str] | None
    interrupt_after: list[str] | None
    debug: bool
    name: str | None
    cache: BaseCache[Any] | None
    transformers: Sequence[Callable[..., object]] | None
    limits: UsageLimits | None
    end_strategy: EndStrategy
    check_answer: Callable[..., object] | None
    repair: RepairMode


class AgentArguments(AgentOptions, total=False):
    """The arguments of ``create_agent`` without a parameter of their own."""

    state_schema: type[object] | None
    on_failure: OnFailure


if TYPE_CHECKING:

    class Returning(AgentOptions, total=False):
        """With answers that may be ``None``."""

        on_failure: Literal["return"]

    class Raising(AgentOptions):
        """With answers that are not ``None``."""

        on_failure: Required[Literal["raise"]]

    class OwnKeys(TypedDict, total=False):
        """With keys of your own in the result."""

        state_schema: type[object] | None
        output_key: str | None

    class ReturningOwnKeys(Returning, OwnKeys, total=False):
        """With both."""

    class RaisingOwnKeys(Raising, OwnKeys):
        """With both."""


DEFAULTS: Mapping[str, object] = {
    "middleware": (),
    "debug": False,
    "end_strategy": "defer",
    "on_failure": "return",
    "repair": "auto",
}
"""The arguments whose default is not ``None``."""

COMPILING = frozenset({"checkpointer", "store", "interrupt_before", "interrupt_after", "debug", "cache", "transformers"})
"""The arguments for compiling the graph."""


class CreateAgent(Protocol):
    """The type of ``create_agent``: how the answer's type follows from the ``response_format``."""

    __name__: str

    @overload
    def __call__(
        self,
        model: Model,
        tools: Tools = None,
        *,
        response_format: None = None,
        on_failure: OnFailure = ...,
        **rest: Unpack[AgentOptions],
    ) -> AgentGraph: ...
    @overload
    def __call__(
        self, model: Model, tools: Tools = None, *, response_format: Mapping[str, object], **rest: Unpack[Returning]
    ) -> AgentGraph[dict[str, Any] | None]: ...
    @overload
    def __call__(
        self, model: Model, tools: Tools = None, *, response_format: Mapping[str, object], **rest: Unpack[Raising]
    ) -> AgentGraph[dict[str, Any]]: ...
    @overload
    def __call__(  # type: ignore[overload-overlap]  # a type is a callable too, but no format is both
        self, model: Model, tools: Tools = None, *, response_format: TypeForm[AnswerT], **rest: Unpack[Returning]
    ) -> AgentGraph[AnswerT | None]: ...
    @overload
    def __call__(  # type: ignore[overload-overlap]  # as above
        self, model: Model, tools: Tools = None, *, response_format: TypeForm[AnswerT], **rest: Unpack[Raising]
    ) -> AgentGraph[AnswerT]: ...
    @overload
    def __call__(  # type: ignore[overload-overlap]  # as above
        self, model: Model, tools: Tools = None, *, response_format: MadeFormat[AnswerT], **rest: Unpack[Returning]
    ) -> AgentGraph[AnswerT | None]: ...
    @overload
    def __call__(  # type: ignore[overload-overlap]  # as above
        self, model: Model, tools: Tools = None, *, response_format: MadeFormat[AnswerT], **rest: Unpack[Raising]
    ) -> AgentGraph[AnswerT]: ...
    @overload
    def __call__(
        self,
        model: Model,
        tools: Tools = None,
        *,
        response_format: None = None,
        output_key: str | None = None,
        **rest: Unpack[AgentArguments],
    ) -> StateAgentGraph[Any]: ...
    @overload
    def __call__(
        self, model: Model, tools: Tools = None, *, response_format: Mapping[str, object], **rest: Unpack[ReturningOwnKeys]
    ) -> StateAgentGraph[dict[str, Any] | None]: ...
    @overload
    def __call__(
        self, model: Model, tools: Tools = None, *, response_format: Mapping[str, object], **rest: Unpack[RaisingOwnKeys]
    ) -> StateAgentGraph[dict[str, Any]]: ...
    @overload
    def __call__(
        self, model: Model, tools: Tools = None, *, response_format: TypeForm[AnswerT], **rest: Unpack[ReturningOwnKeys]
    ) -> StateAgentGraph[AnswerT | None]: ...
    @overload
    def __call__(
        self, model: Model, tools: Tools = None, *, response_format: TypeForm[AnswerT], **rest: Unpack[RaisingOwnKeys]
    ) -> StateAgentGraph[AnswerT]: ...
    @overload
    def __call__(
        self, model: Model, tools: Tools = None, *, response_format: MadeFormat[AnswerT], **rest: Unpack[ReturningOwnKeys]
    ) -> StateAgentGraph[AnswerT | None]: ...
    @overload
    def __call__(
        self, model: Model, tools: Tools = None, *, response_format: MadeFormat[AnswerT], **rest: Unpack[RaisingOwnKeys]
    ) -> StateAgentGraph[AnswerT]: ...
    def __call__(
        self, model: Model, tools: Tools = None, *, response_format: Any = None, output_key: str | None = None, **rest: Any
    ) -> Any:
        """Create an agent."""


def typed_by_response_format(create: Callable[..., object]) -> CreateAgent:
    """Give a function the types of ``CreateAgent`` and a signature that lists every argument."""
    signature = inspect.signature(create)
    model, tools, response_format, output_key, _ = signature.parameters.values()
    named = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=DEFAULTS.get(name), annotation=hint)
        for name, hint in AgentArguments.__annotations__.items()
    ]
    named.insert(2, named.pop(-2))  # the state_schema: as in LangChain's order
    named.insert(2, response_format)
    create.__signature__ = signature.replace(parameters=[model, tools, *named, output_key])  # type: ignore[attr-defined]  # PEP 362
    # Type checkers cannot relate the overloads to the implementation, which accepts and returns any type.
    return cast("CreateAgent", create)
