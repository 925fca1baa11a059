"""The state that flows through an agent graph: what users see, what the nodes keep to themselves."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Generic, Literal, NotRequired, Optional, Required, get_args, get_origin, get_type_hints

from langchain_core.messages import AnyMessage
from langgraph.channels import BinaryOperatorAggregate, EphemeralValue, UntrackedValue
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict, TypeVar

from answergraph.nodes.answer_channel import AnswerChannel
from answergraph.nodes.messages_channel import with_messages_channel
from answergraph.nodes.outcome import NEW_LEDGER, Ledger, Outcome
from answergraph.nodes.record_channel import RecordChannel
from answergraph.nodes.response_format.made_once import MAX_KEPT, keep
from answergraph.nodes.response_format.schema import AnswerSchema
from answergraph.nodes.response_format.shown import shown_type
from answergraph.nodes.usage import Usage, added

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

OFFER: str = "answergraph_offer"
"""State key: what the model was offered in its last call."""
LEDGER: str = "answergraph_ledger"
"""State key: the run's ``Ledger``."""
RUNNING: str = "answergraph_running"
"""State key: set once the model was called in this execution; never checkpointed, so a resumed run starts without."""

CHARGES: str = "answergraph_charges"
"""State key: what runs inside this thread's runs were charged so far."""

TOOL_RESULTS: str = "answergraph_tool_results"
"""State key: what the run's tools brought, where a middleware needs it."""


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


NEW_OFFER: Mapping[str, Any] = {
    "is_last": True,
    "of_model": True,
    "valid": False,
    "dialect": "plain",
    "note": None,
    "given": None,
}
"""What holds for most offers."""

RECORDS: Mapping[str, RecordChannel] = {
    LEDGER: RecordChannel(Ledger, NEW_LEDGER),
    OFFER: RecordChannel(OfferRecord, NEW_OFFER),
}
"""The channels of the graph's own records, by state key."""


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

    answergraph_offer: NotRequired[Annotated[OfferRecord, PrivateStateAttr, RECORDS[OFFER]]]
    answergraph_ledger: NotRequired[Annotated[Ledger, PrivateStateAttr, RECORDS[LEDGER]]]
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


def merge_state_schemas(schemas: Sequence[type[Any]], keys: AnswerKeys, answers: Sequence[AnswerSchema]) -> StateSchemas:
    """Merge the state schemas of an agent and its middleware, with LangChain's precedence.

    Args:
        schemas: Later ones win where two declare the same key.
        keys: Where the answer and the outcome go.
        answers: The answer's schemas, shown in the output's JSON Schema, and by which it is kept in checkpoints.

    Returns:
        The merged schemas, the same ones for the same arguments: reading type hints is most of what building an agent costs. A
        key annotated with an ``OmitFromSchema``, LangChain's or ours, is left out as it says.
    """
    ordered = tuple(dict.fromkeys(reversed(schemas)))[::-1]
    # Answer schemas hold dicts, so they are known by their identity, and kept: ids are reused.
    key = (ordered, keys, tuple(map(id, answers)))
    kept = _MERGED.get(key)
    if kept is None:
        kept = (tuple(answers), _merged(ordered, keys, answers))
        keep(_MERGED, key, kept)
    return kept[1]


_MERGED: OrderedDict[Any, tuple[tuple[AnswerSchema, ...], StateSchemas]] = OrderedDict()


def _merged(ordered: Sequence[type[Any]], keys: AnswerKeys, answers: Sequence[AnswerSchema]) -> StateSchemas:
    fields: dict[str, Any] = {}
    for schema in [*ordered, PrivateState]:
        fields.update(_hints(schema))
    fields = _with_answer(fields, keys, answers)
    fields["messages"] = with_messages_channel(fields["messages"])
    return StateSchemas(
        state=_typed_dict("AgentState", fields),
        input=_typed_dict("AgentInput", _visible(fields, "input")),
        output=_typed_dict("AgentOutput", _visible(fields, "output")),
    )


@lru_cache(maxsize=MAX_KEPT)
def _hints(schema: type[Any]) -> dict[str, Any]:
    return get_type_hints(schema, include_extras=True)


def _with_answer(fields: dict[str, Any], keys: AnswerKeys, answers: Sequence[AnswerSchema]) -> dict[str, Any]:
    standard = AnswerKeys()
    renamed = {standard.answer: keys.answer, standard.outcome: keys.outcome}
    result = {renamed.get(name, name): hint for name, hint in fields.items()}
    if answers:
        answer_type: Any = Optional[shown_type(answers)]  # noqa: UP045  # the types are known at run time only
        channel = AnswerChannel(answer_type, keys.answer, answers)
        result[keys.answer] = NotRequired[Annotated[answer_type, OmitFromInput, channel]]
    return result


def _visible(fields: dict[str, Any], side: Literal["input", "output"]) -> dict[str, Any]:
    return {name: hint for name, hint in fields.items() if not any(_omits(meta, side) for meta in _metadata(hint))}


def _omits(metadata: object, side: str) -> bool:
    # By name, not by class: LangChain's annotation means the same and is not ours to import.
    return type(metadata).__name__ == "OmitFromSchema" and getattr(metadata, side) is True


def _metadata(hint: Any) -> tuple[Any, ...]:
    if get_origin(hint) in {Required, NotRequired}:
        hint = get_args(hint)[0]
    return tuple(getattr(hint, "__metadata__", ()))


def _typed_dict(name: str, fields: dict[str, Any]) -> type[Any]:
    # The functional form: the fields are known only once the middleware is.
    schema: type[Any] = TypedDict(name, fields)  # type: ignore[misc]  # mypy wants literal fields
    return schema
