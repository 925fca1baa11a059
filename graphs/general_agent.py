"""The general agent: its model, system prompt and response format come with the run's context.

The model and the prompt are put into each model call. The response format is part of the graph (it decides whether there is a
``structured_response`` node), so there is one graph per format, made once.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from langchain_core.language_models import BaseChatModel
from langgraph.graph.state import CompiledStateGraph
from pydantic import BaseModel, Field

from answergraph.graphs.agent import create_agent
from answergraph.graphs.calculator import CALCULATOR_TOOLS
from answergraph.middleware.base import AgentMiddleware
from answergraph.nodes.chat_models.resolve import OFFLINE, resolve_model
from answergraph.nodes.errors import AgentSpecError
from answergraph.nodes.model_call import ModelRequest

MAX_GRAPHS = 64
"""How many response formats have their graph kept; one that was dropped is built again."""
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

    def __init__(self, response_format: dict[str, Any] | None) -> None:
        """Serve the graph of one response format.

        Args:
            response_format: The JSON Schema the graph was built with.
        """
        super().__init__()
        self.response_format = response_format

    def modify_model_request(self, request: ModelRequest[GeneralAgentContext]) -> ModelRequest[GeneralAgentContext]:
        """Put the context's model and prompt into the request.

        Raises:
            AgentSpecError: If the model is unknown, or the context's response format is not the graph's.
        """
        context = request.runtime.context or GeneralAgentContext()
        if context.response_format != self.response_format:
            raise AgentSpecError(
                "The context's response_format is not the one this graph was built with; "
                "take the graph from general_agent(response_format)."
            )
        request = request.override(model=_model(context.model))
        return request if context.system_prompt is None else request.override(system_prompt=context.system_prompt)


def general_agent(response_format: dict[str, Any] | None = None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return the general agent for a response format, the same graph for equal formats.

    Its tools are the calculator's, so that it does something without a key too.

    Args:
        response_format: JSON Schema of the answer, ``None`` for a text. The same stands in the run's context.

    Returns:
        The compiled graph; its context is a ``GeneralAgentContext``.

    Raises:
        AgentSpecError: If the response format is no JSON Schema.

    Example:
        >>> result = general_agent().invoke({"messages": ["3 + 4"]}, context={"system_prompt": "Be brief."})
        >>> result["messages"][-1].text
        'The result of 3 + 4 is 7.'
    """
    if response_format is None:
        return _agent(None)
    if not isinstance(response_format, dict):
        raise AgentSpecError(f"response_format is a JSON Schema object, not {response_format!r}.")
    try:
        # Keys stay in their order: it is the order in which the model is shown the fields.
        return _agent(json.dumps(response_format))
    except TypeError as error:
        raise AgentSpecError(f"The response format is no JSON: {error}.") from error


@lru_cache(maxsize=MAX_GRAPHS)
def _agent(schema: str | None) -> CompiledStateGraph[Any, Any, Any, Any]:
    response_format = None if schema is None else json.loads(schema)
    return create_agent(
        OFFLINE,
        CALCULATOR_TOOLS,
        response_format=response_format,
        middleware=[ApplyContext(response_format)],
        context_schema=GeneralAgentContext,
        name="agent",
    )


@lru_cache(maxsize=MAX_MODELS)
def _model(name: str) -> BaseChatModel:
    return resolve_model(name)
