"""Asks a model for one answer outside an agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any, Generic, overload

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from typing_extensions import TypeForm, TypeVar

from answergraph.answers.schemas import answer_schema
from answergraph.asking.model_request import ModelRequest
from answergraph.asking.strategies.declared_format import DeclaredFormat, as_strategy
from answergraph.asking.strategies.strategy import Strategy
from answergraph.calling.bound_model import BoundModels
from answergraph.calling.model_calls import ModelCalls, purse_of
from answergraph.evidence.marked_type import marked_type
from answergraph.evidence.marks import Mark
from answergraph.kit.both_colours import Step, Work
from answergraph.kit.last_turn import Turn, turn_of
from answergraph.models.resolve import resolve_model
from answergraph.reading.reply_reader import ReplyReader
from answergraph.runtime.errors import AgentSpecError
from answergraph.runtime.recent_cache import RecentCache
from answergraph.runtime.snapshot import Snapshot
from answergraph.runtime.steps import MAX_CHARACTERS_ON_LOOP, off_loop
from answergraph.state.budget import NoCallLeftError, current_budget
from answergraph.state.field_path import FieldPath
from answergraph.state.outcome import Status, Usage
from answergraph.state.usage import NO_USAGE, UsageLimits, usage_of

AnswerT = TypeVar("AnswerT", default=Any)
"""The declared type of the answer."""

MAX_MODELS = 64
"""Models that are kept by their names."""

Model = str | BaseChatModel
"""A chat model or its name."""

_FORMATS: RecentCache[DeclaredFormat] = RecentCache()
_BOUND = BoundModels()
_named_model = lru_cache(maxsize=MAX_MODELS)(resolve_model)


@dataclass(frozen=True)
class AnswerSchema(Generic[AnswerT]):
    """A declared type: its name, its JSON Schema for a provider, its validation, its marks by path.

    Example:
        >>> AnswerSchema.of(list[int]).validate([1, "2"]).json
        [1, 2]
    """

    _schema: answer_schema.AnswerSchema

    @classmethod
    def of(cls, declared: TypeForm[AnswerT] | Strategy[AnswerT]) -> AnswerSchema[AnswerT]:
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

    @cached_property
    def marks(self) -> Mapping[FieldPath, Mark]:
        """The marks, by the path of their field; every item has one path, ``items[].price``."""
        if isinstance(self._schema.declared, dict):
            return {}
        return {FieldPath(place.path): place.mark for place in marked_type(self._schema.declared).places() if not place.within}

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the object that a provider is asked for."""
        return dict(self._schema.json_schema)

    def validate(self, data: object) -> Answer[AnswerT]:
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
    budget = current_budget()
    if budget is None:
        return (yield from _ask(model, messages, schema, None))
    try:
        with budget.charge_single_call() as charge:
            reading: Reading = yield from _ask(model, messages, schema, budget.pricing)
            charge(reading.usage)
    except NoCallLeftError:
        reason = "The run around this has no model call left."
        return Reading(None, {"": reason}, turn_of(None), NO_USAGE, "out_of_budget", reason, None)
    return reading


def _ask(model: Model, messages: Sequence[Any], schema: object, pricing: UsageLimits | None) -> Work[Reading]:
    declared = _FORMATS.get_or_make(lambda: DeclaredFormat(schema), schema)
    # A client imports its provider's package.
    chat_model = yield from off_loop(
        _named_model if isinstance(model, str) else resolve_model, model, when=isinstance(model, str)
    )
    request: ModelRequest = ModelRequest(model=chat_model, messages=list(messages), response_format=declared.response_format)
    calls, purse = ModelCalls(format=declared), None if pricing is None else purse_of(pricing)
    asking = calls.ask(request, _BOUND)
    wanted, reply = yield from (asking if purse is None else purse.paid(asking, chat_model))
    spending = None if purse is None else purse.spending
    usage = usage_of([reply], "turn", model_calls=calls.model_calls, tool_calls=0, spending=spending)
    turn = turn_of(reply, answers=wanted.declared, others="unknown")
    if not wanted.declared:
        return Reading(None, {}, turn, usage, "unanswered", "No answer was asked for.", wanted.strategy.name)
    is_long = Snapshot(reply).is_longer_than(MAX_CHARACTERS_ON_LOOP)
    reading = yield from off_loop(ReplyReader(wanted).read, reply, when=is_long)
    if reading.error is not None and wanted.strategy.raises(reading.error):
        raise reading.error
    problems = {path: record["problem"] for path, record in reading.fields.items() if record["problem"] is not None}
    answer = None
    if reading.answer is not None:
        answer = Answer(AnswerSchema[Any](reading.answer.schema), reading.answer.value, reading.answer.data)
    elif not problems:
        problems = {"": reading.reason}
    return Reading(answer, problems, turn, usage, reading.status, reading.reason, wanted.strategy.name)
