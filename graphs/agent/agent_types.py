"""The static types of an agent and its result. At run time they are LangGraph's compiled graph, and a ``dict``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, overload

from langchain_core.messages import AnyMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, GraphOutput, Interrupt, StreamMode
from typing_extensions import TypeVar

from answergraph.asking.strategies.strategy import Strategy
from answergraph.state.agent_state import InputAgentState
from answergraph.state.outcome import Outcome

Config = RunnableConfig | Mapping[str, object] | None
"""A run's configuration, also as a plain ``dict``."""

AnswerT = TypeVar("AnswerT", default=Any)
"""The declared type of the answer."""
ValueT = TypeVar("ValueT", default=Any)
"""What ``structured_response`` holds: ``AnswerT | None``, or ``AnswerT`` under ``on_failure="raise"``."""

if TYPE_CHECKING:
    from langchain.agents.structured_output import AutoStrategy, ProviderStrategy, ToolStrategy

    # ``Any`` without LangChain.
    LangChainStrategy = ToolStrategy[AnswerT] | ProviderStrategy[AnswerT] | AutoStrategy[AnswerT]
    MadeFormat = Callable[[Any, Any], type[AnswerT] | Strategy[AnswerT]] | LangChainStrategy[AnswerT] | Strategy[AnswerT]
    """A format that is not the type itself. A checker infers ``A | B`` only where ``TypeForm`` stands alone."""

    ValueT_co = TypeVar("ValueT_co", default=Any, covariant=True)
    InputT_contra = TypeVar("InputT_contra", default=InputAgentState, contravariant=True)

    class AgentResult(dict[str, Any], Generic[ValueT_co]):
        """What ``invoke`` returns: a ``dict`` with these keys and no others."""

        @overload  # type: ignore[override]  # a misspelt key is a mistake
        def __getitem__(self, key: Literal["structured_response"], /) -> ValueT_co: ...
        @overload
        def __getitem__(self, key: Literal["outcome"], /) -> Outcome: ...
        @overload
        def __getitem__(self, key: Literal["messages"], /) -> list[AnyMessage]: ...
        @overload
        def __getitem__(self, key: Literal["__interrupt__"], /) -> list[Interrupt]: ...
        def __getitem__(self, key: str, /) -> Any:
            """Return the value of a key."""

        @overload  # type: ignore[override]  # one key more than those of ``dict``
        def get(self, key: Literal["structured_response"], default: None = None, /) -> ValueT_co | None: ...
        @overload
        def get(self, key: str, default: object = None, /) -> Any: ...
        def get(self, key: str, default: object = None, /) -> Any:
            """Return the value of a key, or the default."""

    class StateResult(AgentResult[ValueT_co]):
        """The result of an agent with keys of your own: those are ``Any``."""

        @overload
        def __getitem__(self, key: Literal["structured_response"], /) -> ValueT_co: ...
        @overload
        def __getitem__(self, key: Literal["outcome"], /) -> Outcome: ...
        @overload
        def __getitem__(self, key: Literal["messages"], /) -> list[AnyMessage]: ...
        @overload
        def __getitem__(self, key: str, /) -> Any: ...
        def __getitem__(self, key: str, /) -> Any:
            """Return the value of a key."""

    ResultT = TypeVar("ResultT", default=Any)
    Input: TypeAlias = InputT_contra | Command[Any] | None
    ResultT_co = TypeVar("ResultT_co", default=AgentResult[ValueT_co], covariant=True)

    class AgentGraph(CompiledStateGraph[Any, Any], Generic[ValueT_co, InputT_contra, ResultT_co]):
        """A compiled graph with an answer: the type of the answer, of the input, and of what ``invoke`` returns."""

        @overload  # type: ignore[override]  # shorter than LangGraph's: the other arguments are keywords
        def invoke(
            self, input: Input[InputT_contra], config: Config = None, *, version: Literal["v2"], **kwargs: object
        ) -> GraphOutput[ResultT_co]: ...
        @overload
        def invoke(
            self, input: Input[InputT_contra], config: Config = None, *, stream_mode: Literal["values"] = ..., **kwargs: object
        ) -> ResultT_co: ...
        @overload
        def invoke(
            self, input: Input[InputT_contra], config: Config = None, *, stream_mode: StreamMode, **kwargs: object
        ) -> Any: ...
        def invoke(self, input: object, config: Config = None, **kwargs: object) -> Any:
            """Run the agent."""

        @overload  # type: ignore[override]  # as above
        async def ainvoke(
            self, input: Input[InputT_contra], config: Config = None, *, version: Literal["v2"], **kwargs: object
        ) -> GraphOutput[ResultT_co]: ...
        @overload
        async def ainvoke(
            self, input: Input[InputT_contra], config: Config = None, *, stream_mode: Literal["values"] = ..., **kwargs: object
        ) -> ResultT_co: ...
        @overload
        async def ainvoke(
            self, input: Input[InputT_contra], config: Config = None, *, stream_mode: StreamMode, **kwargs: object
        ) -> Any: ...
        async def ainvoke(self, input: object, config: Config = None, **kwargs: object) -> Any:
            """Run the agent on the event loop."""

    StateAgentGraph = AgentGraph[ValueT, Any, StateResult[ValueT]]
    """An agent with a ``state_schema`` or an ``output_key``: its input and result have keys of your own."""

else:
    AgentGraph = CompiledStateGraph
    AgentResult = dict
