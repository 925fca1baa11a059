"""Asks a model for one answer outside an agent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Generic, overload

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from typing_extensions import TypeForm, TypeVar

from answergraph.answers.schemas import answer_schema
from answergraph.answers.schemas.item_keys import Key
from answergraph.answers.schemas.json_names import DeclaredField
from answergraph.asking.strategies.declared_format import as_strategy
from answergraph.asking.strategies.strategy import Strategy
from answergraph.calling.single_call import SingleReply, ask_once
from answergraph.evidence.marked_type import marked_type
from answergraph.evidence.marks import Mark
from answergraph.kit.both_colours import Step, Work
from answergraph.kit.last_turn import Turn, turn_of
from answergraph.runtime.errors import AgentSpecError
from answergraph.state.field_path import FieldPath
from answergraph.state.outcome import Status, Usage
from answergraph.state.usage import NO_USAGE

AnswerT = TypeVar("AnswerT", default=Any)
"""The declared type of the answer."""

Model = str | BaseChatModel
"""A chat model or its name."""


@dataclass(frozen=True)
class AnswerSchema(Generic[AnswerT]):
    """A declared type: its name, its JSON Schema for a provider, its validation, its marks by path.

    Example:
        >>> AnswerSchema.of(list[int]).validate([1, "2"]).json
        [1, 2]
    """

    _schema: answer_schema.AnswerSchema

    @classmethod
    def of(cls, declared: TypeForm[AnswerT] | Strategy[AnswerT]) -> "AnswerSchema[AnswerT]":
        """Return the schema of a type, or of a strategy's.

        Raises:
            AgentSpecError: If it is not supported, or a union, of which each member has a schema.
        """
        schemas = as_strategy(declared).schemas
        if len(schemas) != 1:
            names = [schema.name for schema in schemas]
            raise AgentSpecError(f"{declared!r} has the schemas {names!r}; write AnswerSchema.of for each of its types.")
        return cls(schemas[0])

    @property
    def name(self) -> str:
        """Its name, valid as a tool's: the type's name, the schema's title, or a hash of the schema."""
        return self._schema.name

    @property
    def keys(self) -> Mapping[str, Key]:
        """What names the items of lists, by the path of the list."""
        return self._schema.keys

    def field_at(self, place: FieldPath) -> DeclaredField:
        """Return the path of a field, in Python names, and its types, by its place in an answer's JSON, which has aliases."""
        return self._schema.field_at(place)

    @cached_property
    def marks(self) -> Mapping[FieldPath, Mark]:
        """The marks, by the path of their field; every item has one path, ``items[].price``."""
        if isinstance(self._schema.declared, dict):
            return {}
        return {FieldPath(field.path): field.mark for field in marked_type(self._schema.declared).places() if not field.within}

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the object that a provider is asked for."""
        return dict(self._schema.json_schema)

    def validate(self, data: object) -> "Answer[AnswerT]":
        """Return JSON as an answer.

        Raises:
            ValueError: If it does not fit; the message says where.
        """
        value = self._schema.validate(data)
        return Answer(self, value, self._schema.dump(value))


@dataclass(frozen=True)
class Answer(Generic[AnswerT]):
    """One answer, read and dumped once."""

    schema: AnswerSchema[AnswerT]
    value: AnswerT
    json: Any


@dataclass(frozen=True)
class Reading(Generic[AnswerT]):
    """What a request for an answer came to."""

    answer: Answer[AnswerT] | None
    problems: Mapping[str, str]
    """By the path of the field; of the answer as a whole at the empty path."""
    turn: Turn
    usage: Usage
    status: Status
    """``answered``, or why there is no answer; ``out_of_budget`` if the run around it has no call left."""
    reason: str
    """One sentence for a person."""
    strategy: str | None
    """How the model was asked; ``None`` without a call."""


# A type checker infers a union such as ``A | B`` only where ``TypeForm`` stands alone.
@overload
def ask_model(model: Model, messages: Sequence[BaseMessage], schema: Strategy[AnswerT]) -> Step[Reading[AnswerT]]: ...
@overload
def ask_model(model: Model, messages: Sequence[BaseMessage], schema: TypeForm[AnswerT]) -> Step[Reading[AnswerT]]: ...
@overload
def ask_model(model: Model, messages: Sequence[BaseMessage], schema: None) -> Step[Reading[None]]: ...
def ask_model(model: Model, messages: Sequence[BaseMessage], schema: object) -> Step[Reading]:
    """Ask a model once for an answer, with the ladder of strategies, the refusals and the repairs of an agent.

    The call is charged to the run around it. It is not repeated if its answer is invalid: the caller decides.

    Args:
        model: A chat model or its name.
        messages: What is sent, a system message first.
        schema: The declared type, a union, or a strategy, as ``response_format`` of ``create_agent``; ``None`` asks for a text,
            which is not read.

    Returns:
        The step: ``.run()`` blocks, ``await .arun()`` does not, and a step of your own writes ``yield from``.

    Raises:
        AgentSpecError: When it runs, if model or schema cannot be used.
        Exception: The error of the model's client, if no other strategy is left.

    Example:
        >>> from langchain_core.messages import HumanMessage
        >>> from answergraph import PromptedStrategy
        >>> from answergraph.testing import ScriptedChatModel
        >>> model = ScriptedChatModel(replies=["7"])
        >>> reading = ask_model(model, [HumanMessage("Score it from 0 to 10.")], PromptedStrategy(int)).run()
        >>> reading.status, reading.answer.value
        ('answered', 7)
    """
    return Step(partial(_charged, model, messages, schema))


def _charged(model: Any, messages: Sequence[BaseMessage], schema: object) -> Work[Reading]:
    reply: SingleReply | None = yield from ask_once(model, messages, schema)
    if reply is None:
        reason = "The run around this has no model call left."
        return Reading(None, {"": reason}, turn_of(None), NO_USAGE, "out_of_budget", reason, None)
    answer_request, reading, strategy = reply.answer_request, reply.reading, reply.answer_request.strategy.name
    turn = turn_of(reply.message, answers=answer_request.declared, others="unknown")
    if reading is None:
        return Reading(None, {}, turn, reply.usage, "unanswered", "No answer was asked for.", strategy)
    problems = {path: record["problem"] for path, record in reading.fields.items() if record["problem"] is not None}
    answer = None
    if reading.answer is not None:
        answer = Answer(AnswerSchema[Any](reading.answer.schema), reading.answer.value, reading.answer.data)
    elif not problems:
        problems = {"": reading.reason}
    return Reading(answer, problems, turn, reply.usage, reading.status, reading.reason, strategy)
