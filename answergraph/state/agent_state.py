"""The state of an agent graph: the keys that users see, and the private keys of the nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, NotRequired, Required

from langchain_core.messages import AnyMessage
from langgraph.channels import BinaryOperatorAggregate, EphemeralValue, UntrackedValue
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict, TypeVar

from answergraph.state.ledger import Ledger, added
from answergraph.state.outcome import Outcome, Usage

JumpTo = Literal["tools", "model", "end"]
"""Where a middleware hook may send the graph."""

ResponseT = TypeVar("ResponseT", default=Any)
"""The declared type of the answer."""


@dataclass
class OmitFromSchema:
    """Annotation that keeps a state key out of the graph's input or output schema; LangChain's name and meaning."""

    input: bool = True
    output: bool = True


OmitFromInput = OmitFromSchema(input=True, output=False)
"""A key that callers read and cannot set."""

PrivateStateAttr = OmitFromSchema(input=True, output=True)
"""A key of the graph's own."""

OFFER: str = "answergraph_offer"
"""State key: what the model was offered in its last call."""

TOOL_RESULTS: str = "answergraph_tool_results"
"""State key: the results of the run's tools, recorded where a middleware needs them."""


class OfferRecord(TypedDict):
    """What one reply was offered, by name, so that narrowing holds across a checkpoint."""

    strategy: str
    """The strategy's name."""
    declared: list[str]
    """The schemas declared for this call."""
    schemas: list[str]
    """The schemas offered; nothing else is accepted."""
    key: str
    """Finds the strategy object itself within one process."""
    rung: str
    """The strategy's place on its ladder."""
    is_last: bool
    """Whether the ladder has no further rung."""
    of_model: bool
    """Whether the reply is the model's; what a middleware wrote in its place raises no error of the model's."""
    valid: bool
    """Whether the reply was seen to hold a valid answer."""
    dialect: str
    """The part of JSON Schema that the schema on the wire was compiled to."""
    note: str | None
    """What an attempt made in this way is noted with."""
    given: Any
    """A value a middleware put in place of the model's answer: ``{"schema", "value"}``, or ``None``."""


class AgentState(TypedDict, Generic[ResponseT]):
    """The state of an agent; extend it to add keys of your own."""

    messages: Required[Annotated[list[AnyMessage], add_messages]]
    jump_to: NotRequired[Annotated[JumpTo | None, EphemeralValue, PrivateStateAttr]]
    structured_response: NotRequired[Annotated[ResponseT, OmitFromInput]]
    outcome: NotRequired[Annotated[Outcome | None, OmitFromInput]]


class InputAgentState(TypedDict):
    """The input of an agent."""

    messages: Required[Annotated[list[AnyMessage | dict[str, Any]], add_messages]]


class OutputAgentState(TypedDict, Generic[ResponseT]):
    """The output of an agent."""

    messages: Required[Annotated[list[AnyMessage], add_messages]]
    structured_response: NotRequired[ResponseT]
    outcome: NotRequired[Outcome | None]


class PrivateState(TypedDict):
    """The private keys of the nodes."""

    answergraph_offer: NotRequired[Annotated[OfferRecord, PrivateStateAttr]]
    answergraph_ledger: NotRequired[Annotated[Ledger, PrivateStateAttr]]
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
