"""Handles refused requests: remembers them and asks in another way if possible."""

from typing import Any

from answergraph.asking.model_request import NO_CALLS, ModelRequest
from answergraph.asking.providers.refusals import TOOL_CALLING, cannot_be_bound, objection_in, remember_refusal
from answergraph.asking.strategies.strategy import AnswerRequest
from answergraph.nodes.model_visit import ModelVisit


def can_bind_otherwise(visit: ModelVisit, asked: AnswerRequest, sent: ModelRequest[Any], error: Exception) -> bool:
    """Return whether another strategy is left after the client rejected this one."""
    if not asked.has_next_strategy or not cannot_be_bound(error):
        return False
    if isinstance(error, NotImplementedError):
        remember_refusal(sent.model, TOOL_CALLING, beside_tools=False)
    visit.used_strategies.append(asked.strategy_id)
    return True


def can_ask_otherwise(visit: ModelVisit, asked: AnswerRequest, sent: ModelRequest[Any], error: Exception) -> bool:
    """Remember a provider's refusal, and return whether another strategy is left."""
    strategy, has_idle_tools = asked.strategy, bool(sent.tools) and sent.tool_choice is NO_CALLS
    objection = objection_in(error, sent.model, [*strategy.schema_names, strategy.format_name], len(sent.tools))
    if objection is None or not (has_idle_tools or asked.has_next_strategy):
        return False
    strategy.remember_refusal(sent, objection)
    if (objection.beside_tools or not asked.has_next_strategy) and has_idle_tools and not strategy.to_send(sent).tools:
        # Ask the same without tools, which are off anyway.
        return True
    if asked.has_next_strategy:
        visit.used_strategies.append(asked.strategy_id)
    return asked.has_next_strategy
