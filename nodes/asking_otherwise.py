"""What the model node does where a provider refuses a request: it remembers that, and asks in another way if there is one."""

from __future__ import annotations

from typing import Any

from answergraph.nodes.model_visit import ModelVisit
from answergraph.response_format.model_request import NO_CALLS, ModelRequest
from answergraph.response_format.providers.refusals import TOOL_CALLING, cannot_be_bound, objection_in, remember_refusal
from answergraph.response_format.strategies.strategy import AnswerRequest


def can_bind_otherwise(visit: ModelVisit, asked: AnswerRequest, sent: ModelRequest[Any], error: Exception) -> bool:
    """Return whether there is another way to ask, for an error by which the client itself does not take this one."""
    if not asked.has_next_strategy or not cannot_be_bound(error):
        return False
    if isinstance(error, NotImplementedError):
        remember_refusal(sent.model, TOOL_CALLING, beside_tools=False)
    visit.used_strategies.append(asked.strategy_id)
    return True


def can_ask_otherwise(visit: ModelVisit, asked: AnswerRequest, sent: ModelRequest[Any], error: Exception) -> bool:
    """Remember what a provider refused, and return whether there is another way to ask."""
    strategy, has_idle_tools = asked.strategy, bool(sent.tools) and sent.tool_choice is NO_CALLS
    objection = objection_in(error, sent.model, [*strategy.schema_names, strategy.format_name], len(sent.tools))
    if objection is None or not (has_idle_tools or asked.has_next_strategy):
        return False
    strategy.remember_refusal(sent, objection)
    if (objection.beside_tools or not asked.has_next_strategy) and has_idle_tools and not strategy.to_send(sent).tools:
        # The same is asked without the tools, of which none was to be called.
        return True
    if asked.has_next_strategy:
        visit.used_strategies.append(asked.strategy_id)
    return asked.has_next_strategy
