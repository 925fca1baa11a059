"""The state that flows through an agent graph: what users see, what the nodes keep to themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, NotRequired, Required

from langchain_core.messages import AnyMessage
from langgraph.channels import BinaryOperatorAggregate, EphemeralValue, UntrackedValue
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict, TypeVar

from answergraph.state.ledger import AnswerRequestRecord, RunLedger, added
from answergraph.state.outcome import Outcome, Usage

JumpTo = Literal["tools", "model", "end"]
"""Where a middleware hook may send the graph."""

ResponseT = TypeVar("ResponseT", default=Any)
"""The declared type of the answer."""


@dataclass
class OmitFromSchema:
    """Annotation that keeps a state key out of the graph's input or output schema; LangChain's name and meaning."""

    input: bool = True
    """Left out of the input."""
    output: bool = True
    """Left out of the output."""


OmitFromInput = OmitFromSchema(input=True, output=False)
"""A key that callers read and cannot set."""

PrivateStateAttr = OmitFromSchema(input=True, output=True)
"""A key of the graph's own."""

TOOL_RESULTS: str = "answergraph_tool_results"
"""State key: what the run's tools brought, where a middleware needs it."""


class AgentState(TypedDict, Generic[ResponseT]):
    """The state of an agent; extend it to add keys of your own."""

    messages: Required[Annotated[list[AnyMessage], add_messages]]
    jump_to: NotRequired[Annotated[JumpTo | None, EphemeralValue, PrivateStateAttr]]
    structured_response: NotRequired[Annotated[ResponseT, OmitFromInput]]
    outcome: NotRequired[Annotated[Outcome | None, OmitFromInput]]


class InputAgentState(TypedDict):
    """What an agent is invoked with."""

    messages: Required[Annotated[list[AnyMessage | dict[str, Any]], add_messages]]


class OutputAgentState(TypedDict, Generic[ResponseT]):
    """What an agent returns."""

    messages: Required[Annotated[list[AnyMessage], add_messages]]
    structured_response: NotRequired[ResponseT]
    outcome: NotRequired[Outcome | None]


class PrivateState(TypedDict):
    """What the nodes keep to themselves."""

    answergraph_offer: NotRequired[Annotated[AnswerRequestRecord, PrivateStateAttr]]
    answergraph_ledger: NotRequired[Annotated[RunLedger, PrivateStateAttr]]
    answergraph_charges: NotRequired[Annotated[Usage | None, BinaryOperatorAggregate(Usage | None, added), PrivateStateAttr]]
    answergraph_running: NotRequired[Annotated[bool, UntrackedValue, PrivateStateAttr]]


@dataclass(frozen=True)
class AnswerKeys:
    """The state keys of one agent's answer; agents of one parent graph need different ones."""

    answer: str = "structured_response"
    outcome: str = "outcome"

    @classmethod
    def named(cls, output_key: str | None) -> AnswerKeys:
        """Return the keys for an ``output_key``; the outcome goes to ``<output_key>_outcome``."""
        return cls() if output_key is None else cls(answer=output_key, outcome=f"{output_key}_outcome")


@dataclass(frozen=True)
class StateSchemas:
    """The three schemas LangGraph asks for."""

    state: type[Any]
    input: type[Any]
    output: type[Any]
