"""Asks a model once for an answer, outside the turns of an agent; the call is charged to the run around it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage

from answergraph.asking.model_request import ModelRequest
from answergraph.asking.strategies.declared_format import DeclaredFormat
from answergraph.asking.strategies.strategy import AnswerRequest
from answergraph.calling.bound_model import BoundModels
from answergraph.calling.model_calls import ModelCalls, read_reply
from answergraph.calling.purse import Purse
from answergraph.models.resolve import resolve_model
from answergraph.reading.reply_reader import Reading
from answergraph.runtime.recent_cache import RecentCache
from answergraph.runtime.steps import Step, off_loop
from answergraph.state.budget import NoCallLeftError, current_budget
from answergraph.state.outcome import Usage
from answergraph.state.usage import UsageLimits, usage_of

MAX_MODELS = 64
"""Models that are kept by their names."""

_FORMATS: RecentCache[DeclaredFormat] = RecentCache()
_BOUND = BoundModels()
_named_model = lru_cache(maxsize=MAX_MODELS)(resolve_model)


@dataclass(frozen=True)
class SingleReply:
    """A reply to a single call."""

    answer_request: AnswerRequest
    message: AIMessage
    usage: Usage
    reading: Reading | None
    """``None`` if no answer was asked for."""


def ask_once(model: str | BaseChatModel, messages: Sequence[BaseMessage], schema: object) -> Step[SingleReply | None]:
    """Ask for an answer of a declared type or strategy; return ``None`` if the run around this has no call left."""
    budget = current_budget()
    if budget is None:
        return (yield from _ask(model, messages, schema, None))
    try:
        with budget.charge_single_call() as charge:
            reply = yield from _ask(model, messages, schema, budget.pricing)
            charge(reply.usage)
    except NoCallLeftError:
        return None
    return reply


def _ask(model: str | BaseChatModel, messages: Sequence[Any], schema: object, pricing: UsageLimits | None) -> Step[SingleReply]:
    declared = _FORMATS.get_or_make(lambda: DeclaredFormat(schema), schema)
    # A client imports its provider's package.
    chat_model = yield from off_loop(
        _named_model if isinstance(model, str) else resolve_model, model, when=isinstance(model, str)
    )
    request: ModelRequest = ModelRequest(model=chat_model, messages=list(messages), response_format=declared.response_format)
    calls, purse = ModelCalls(format=declared), None if pricing is None else Purse(pricing)
    asking = calls.ask(request, _BOUND, lambda _: ())
    answer_request, reply = yield from (asking if purse is None else purse.paid(asking, chat_model))
    spending = None if purse is None else purse.spending
    usage = usage_of([reply], "turn", model_calls=calls.model_calls, tool_calls=0, spending=spending)
    if not answer_request.declared:
        return SingleReply(answer_request, reply, usage, None)
    reading, _ = yield from read_reply(answer_request, reply)
    return SingleReply(answer_request, reply, usage, reading)
