"""The state of an agent graph: the keys that users see, and the private keys of the nodes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Final, Generic, Literal, NotRequired, Required, Self

from langchain_core.messages import AnyMessage, BaseMessage
from langgraph.channels import EphemeralValue, UntrackedValue
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict, TypeVar

from answergraph.state.delta_channels import ChargesChannel, OutcomeChannel
from answergraph.state.ledger import AnswerRequestRecord, RunLedger, Running
from answergraph.state.outcome import Outcome, Usage
from answergraph.state.usage import added

JumpTo = Literal["tools", "model", "end"]
"""The targets that a middleware hook may jump to."""

ResponseT = TypeVar("ResponseT", default=Any)
"""The declared type of the answer."""


@dataclass
class OmitFromSchema:
    """Annotation that keeps a state key out of the graph's input or output schema; LangChain's name and meaning."""

    input: bool = True
    output: bool = True


OmitFromInput = OmitFromSchema(input=True, output=False)
"""A key that callers can read but not set."""

PrivateStateAttr = OmitFromSchema(input=True, output=True)
"""A private key of the graph."""

TOOL_RESULTS: Final = "answergraph_tool_results"
"""State key: the run's tool results, recorded if a middleware needs them."""


class AgentState(TypedDict, Generic[ResponseT]):
    """The state of an agent; extend it to add keys of your own."""

    messages: Required[Annotated[list[AnyMessage], add_messages]]
    jump_to: NotRequired[Annotated[JumpTo | None, EphemeralValue, PrivateStateAttr]]
    structured_response: NotRequired[Annotated[ResponseT, OmitFromInput]]
    outcome: NotRequired[Annotated[Outcome | None, OmitFromInput, OutcomeChannel]]


class InputAgentState(TypedDict):
    """The input of an agent."""

    messages: Required[
        Annotated[str | BaseMessage | Sequence[BaseMessage | Mapping[str, object] | tuple[str, str] | str], add_messages]
    ]
    existing: NotRequired[object]
    """A previous answer, to be brought up to date by a patch."""


class OutputAgentState(TypedDict, Generic[ResponseT]):
    """The output of an agent."""

    messages: Required[Annotated[list[AnyMessage], add_messages]]
    structured_response: NotRequired[ResponseT]
    outcome: NotRequired[Outcome | None]


class PrivateState(TypedDict):
    """The private keys of the nodes."""

    answergraph_offer: NotRequired[Annotated[AnswerRequestRecord, PrivateStateAttr]]
    answergraph_ledger: NotRequired[Annotated[RunLedger, PrivateStateAttr]]
    answergraph_charges: NotRequired[Annotated[Usage | None, ChargesChannel(Usage | None, added), PrivateStateAttr]]
    answergraph_running: NotRequired[Annotated[Running, UntrackedValue, PrivateStateAttr]]


INPUT_TEXTS: Final = "answergraph_input_texts"
"""State key: the caller's own messages of this run, for a middleware that takes them as a source."""


class RunState(TypedDict, total=False):
    """What nodes and routers read of the state, beside the agent's own keys of answer and outcome."""

    messages: Required[list[AnyMessage]]
    jump_to: JumpTo | None
    answergraph_offer: AnswerRequestRecord | None
    answergraph_ledger: RunLedger | None
    answergraph_charges: Usage | None
    answergraph_running: Running
    answergraph_tool_results: Mapping[str, Any]
    answergraph_input_texts: Sequence[Any]


PRIVATE_KEYS = frozenset({*PrivateState.__annotations__, TOOL_RESULTS, INPUT_TEXTS})


@dataclass(frozen=True)
class AnswerKeys:
    """The state keys of one agent's answer; agents of one parent graph need different ones."""

    answer: str = "structured_response"
    outcome: str = "outcome"

    @cached_property
    def own(self) -> frozenset[str]:
        """All keys that only the agent's own nodes write."""
        return PRIVATE_KEYS | {self.answer, self.outcome}

    def no_hook_writes(self, *, reads_answers: bool) -> frozenset[str]:
        """Return the keys of ``own`` that hooks may not write."""
        return self.own if reads_answers else self.own - {self.answer}

    @classmethod
    def named(cls, output_key: str | None) -> Self:
        """Return the keys for an ``output_key``; the outcome goes to ``<output_key>_outcome``."""
        return cls() if output_key is None else cls(answer=output_key, outcome=f"{output_key}_outcome")


@dataclass(frozen=True)
class StateSchemas:
    """The three schemas that LangGraph requires."""

    state: type[object]
    input: type[object]
    output: type[object]
