"""The static types of an agent: ``response_format`` determines the type of the answer in the result.

At run time an agent is a compiled graph and its result a ``dict``; the classes exist only for type checkers.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, Unpack, cast, overload

from langchain_core.messages import AnyMessage, SystemMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.cache.base import BaseCache
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore
from langgraph.types import Checkpointer, GraphOutput, StreamMode
from typing_extensions import TypedDict, TypeForm, TypeVar

from answergraph.asking.strategies.strategy import Strategy
from answergraph.state.ledger import RepairMode
from answergraph.state.outcome import EndStrategy, OnFailure, Outcome
from answergraph.state.usage import UsageLimits

Tool = BaseTool | Callable[..., object] | dict[str, Any]
"""A tool, a function, or the description of a tool that the provider runs."""

Tools = Sequence[Tool] | None

Config = RunnableConfig | Mapping[str, object] | None
"""A run's configuration, also as a plain ``dict``."""

AnswerT = TypeVar("AnswerT", default=Any)
"""The declared type of the answer."""

if TYPE_CHECKING:
    from langchain.agents.structured_output import AutoStrategy, ProviderStrategy, ToolStrategy

    # ``Any`` without LangChain.
    LangChainStrategy = ToolStrategy[AnswerT] | ProviderStrategy[AnswerT] | AutoStrategy[AnswerT]

    class AgentResult(dict[str, Any], Generic[AnswerT]):
        """What ``invoke`` returns: a ``dict`` with typed values for three keys."""

        @overload
        def __getitem__(self, key: Literal["structured_response"], /) -> AnswerT | None: ...
        @overload
        def __getitem__(self, key: Literal["outcome"], /) -> Outcome: ...
        @overload
        def __getitem__(self, key: Literal["messages"], /) -> list[AnyMessage]: ...
        @overload
        def __getitem__(self, key: str, /) -> Any: ...
        def __getitem__(self, key: str, /) -> Any:
            """Return the value of a key."""

        @overload  # type: ignore[override]  # one key more than those of ``dict``
        def get(self, key: Literal["structured_response"], default: None = None, /) -> AnswerT | None: ...
        @overload
        def get(self, key: str, default: Any = None, /) -> Any: ...
        def get(self, key: str, default: Any = None, /) -> Any:
            """Return the value of a key, or the default."""

    class AgentOutput(TypedDict, Generic[AnswerT]):
        """The ``value`` of a result in LangGraph's second form (``version="v2"``)."""

        messages: list[AnyMessage]
        structured_response: AnswerT | None
        outcome: Outcome

    class AgentGraph(CompiledStateGraph[Any, Any, Any, AgentOutput[AnswerT]], Generic[AnswerT]):
        """A compiled agent whose answer is of a known type."""

        @overload  # type: ignore[override]  # shorter than LangGraph's: the other arguments are keywords
        def invoke(
            self, input: Any, config: Config = None, *, version: Literal["v2"], **kwargs: Any
        ) -> GraphOutput[AgentOutput[AnswerT]]: ...
        @overload
        def invoke(
            self, input: Any, config: Config = None, *, stream_mode: Literal["values"] = ..., **kwargs: Any
        ) -> AgentResult[AnswerT]: ...
        @overload
        def invoke(self, input: Any, config: Config = None, *, stream_mode: StreamMode, **kwargs: Any) -> Any: ...
        def invoke(self, input: Any, config: Config = None, **kwargs: Any) -> Any:
            """Run the agent."""

        @overload  # type: ignore[override]  # as above
        async def ainvoke(
            self, input: Any, config: Config = None, *, version: Literal["v2"], **kwargs: Any
        ) -> GraphOutput[AgentOutput[AnswerT]]: ...
        @overload
        async def ainvoke(
            self, input: Any, config: Config = None, *, stream_mode: Literal["values"] = ..., **kwargs: Any
        ) -> AgentResult[AnswerT]: ...
        @overload
        async def ainvoke(self, input: Any, config: Config = None, *, stream_mode: StreamMode, **kwargs: Any) -> Any: ...
        async def ainvoke(self, input: Any, config: Config = None, **kwargs: Any) -> Any:
            """Run the agent on the event loop."""

else:
    AgentGraph = CompiledStateGraph
    AgentResult = dict


class AgentArguments(TypedDict, total=False):
    """The arguments of ``create_agent`` that do not affect the result's type."""

    system_prompt: str | SystemMessage | None
    middleware: Sequence[Any]
    state_schema: type[Any] | None
    context_schema: type[Any] | None
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
    on_failure: OnFailure
    check_answer: Callable[..., object] | None
    repair: RepairMode


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
        model: Any,
        tools: Tools = None,
        *,
        response_format: None = None,
        output_key: str | None = None,
        **rest: Unpack[AgentArguments],
    ) -> AgentGraph[Any]: ...
    @overload
    def __call__(
        self,
        model: Any,
        tools: Tools = None,
        *,
        response_format: dict[str, Any],
        output_key: str | None = None,
        **rest: Unpack[AgentArguments],
    ) -> AgentGraph[dict[str, Any]]: ...
    @overload
    def __call__(
        self,
        model: Any,
        tools: Tools = None,
        *,
        response_format: Strategy[AnswerT],
        output_key: str | None = None,
        **rest: Unpack[AgentArguments],
    ) -> AgentGraph[AnswerT]: ...
    @overload
    def __call__(
        self,
        model: Any,
        tools: Tools = None,
        *,
        response_format: TypeForm[AnswerT],
        output_key: str | None = None,
        **rest: Unpack[AgentArguments],
    ) -> AgentGraph[AnswerT]: ...
    @overload
    def __call__(
        self,
        model: Any,
        tools: Tools = None,
        *,
        response_format: Callable[[Any, Any], type[AnswerT] | Strategy[AnswerT]] | LangChainStrategy[AnswerT],
        output_key: str | None = None,
        **rest: Unpack[AgentArguments],
    ) -> AgentGraph[AnswerT]: ...
    def __call__(
        self, model: Any, tools: Tools = None, *, response_format: Any = None, output_key: str | None = None, **rest: Any
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
    named.insert(2, response_format)  # as in LangChain's order
    create.__signature__ = signature.replace(parameters=[model, tools, *named, output_key])  # type: ignore[attr-defined]  # PEP 362
    # Type checkers cannot relate the overloads to the implementation, which accepts and returns any type.
    return cast("CreateAgent", create)
