"""The general agent: its model, system prompt and response format come with the run's context."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

from langchain_core.language_models import BaseChatModel
from langgraph.graph.state import CompiledStateGraph
from pydantic import BaseModel, Field

from answergraph.graphs.agent import create_agent
from answergraph.graphs.calculator import CALCULATOR_TOOLS
from answergraph.middleware.base import AgentMiddleware
from answergraph.nodes.chat_models.resolve import OFFLINE, resolve_model
from answergraph.nodes.model_call import ModelRequest
from answergraph.nodes.response_format.run_time_offers import FromContext

MAX_MODELS = 64
"""How many models are kept, each with its connections."""


class GeneralAgentContext(BaseModel):
    """What a run of the general agent may set; a server shows it as a form."""

    model: str = Field(
        default=OFFLINE,
        description=(
            "The chat model: 'openai:NAME', 'provider:NAME', or 'offline', a set of rules for arithmetic that needs no key "
            "and is no language model."
        ),
    )
    system_prompt: str | None = Field(default=None, description="Put before the conversation in every call of the model.")
    response_format: dict[str, Any] | None = Field(
        default=None,
        description="JSON Schema of the answer; its title names it. Without a schema the answer is a text.",
    )


class ApplyContext(AgentMiddleware[Any, GeneralAgentContext, Any]):
    """Calls the model that the run's context names, with the context's system prompt."""

    def modify_model_request(self, request: ModelRequest[GeneralAgentContext]) -> ModelRequest[GeneralAgentContext]:
        """Put the context's model and prompt into the request.

        Raises:
            AgentSpecError: If the model is unknown.
        """
        context = request.runtime.context or GeneralAgentContext()
        request = request.override(model=_model(context.model))
        return request if context.system_prompt is None else request.override(system_prompt=context.system_prompt)


@cache
def general_agent() -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the general agent, one graph for every run.

    Its tools are the calculator's, so that it does something without a key too.

    Returns:
        The compiled graph; its context is a ``GeneralAgentContext``.

    Example:
        >>> result = general_agent().invoke({"messages": ["3 + 4"]}, context={"system_prompt": "Be brief."})
        >>> result["messages"][-1].text
        'The result of 3 + 4 is 7.'
    """
    return create_agent(
        OFFLINE,
        CALCULATOR_TOOLS,
        response_format=FromContext(),
        middleware=[ApplyContext()],
        context_schema=GeneralAgentContext,
        name="agent",
    )


@lru_cache(maxsize=MAX_MODELS)
def _model(name: str) -> BaseChatModel:
    return resolve_model(name)
