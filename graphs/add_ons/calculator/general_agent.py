"""The general agent: its model, system prompt and response format come with the run's context."""

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from math import inf
from typing import Any, Literal

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from answergraph import (
    AgentGraph,
    AutoStrategy,
    FromContext,
    PromptedStrategy,
    ProviderStrategy,
    ToolStrategy,
    UsageLimits,
    create_agent,
)
from answergraph.graphs.add_ons.calculator.calculator import CALCULATOR_TOOLS
from answergraph.kit import resolve_model
from answergraph.middleware import AgentMiddleware, ModelRequest

MAX_MODELS = 64
"""Number of cached models, each with its connections."""
MAX_FORMATS = 256
"""Number of cached schemas, each with its strategy."""
MAX_MODEL_CALLS = 200

STRATEGIES: Mapping[str, Callable[[Any], object]] = {
    "auto": AutoStrategy,
    "tool": ToolStrategy,
    "provider": ProviderStrategy,
    "prompted": PromptedStrategy,
}


class GeneralAgentContext(BaseModel):
    """The context of a run of the general agent; a server shows it as a form."""

    model: str = Field(
        default="offline",
        description=(
            "The chat model: 'openai:NAME', 'provider:NAME', or 'offline', a set of rules for arithmetic "
            "that needs no key and is not a language model."
        ),
    )
    system_prompt: str | None = Field(default=None, description="The text before the conversation in every model call.")
    response_format: dict[str, Any] | None = Field(
        default=None,
        description="JSON Schema of the answer; its title names it. Without a schema the answer is a text.",
    )
    strategy: Literal["auto", "tool", "provider", "prompted"] = Field(
        default="auto",
        description=(
            "How the model is asked for the answer: with a tool, with the provider's JSON-schema mode, in the prompt, or "
            "automatically."
        ),
    )
    max_model_calls: int = Field(
        default=50,
        ge=1,
        le=MAX_MODEL_CALLS,
        description="How often the model may be called in a run; the last of these calls is the final answer.",
    )
    max_seconds: float | None = Field(
        default=None, gt=0, description="How long a run may take; then it ends with what it has. Waiting for a person is free."
    )


class ApplyContext(AgentMiddleware[Any, GeneralAgentContext, Any]):
    """Calls the model that the run's context names, with the context's system prompt."""

    def __init__(self, permitted: Callable[[str], str]) -> None:
        self.permitted = permitted

    def modify_model_request(self, request: ModelRequest[GeneralAgentContext]) -> ModelRequest[GeneralAgentContext]:
        context = request.runtime.context or GeneralAgentContext()
        request = request.override(model=_model(self.permitted(context.model)))
        return request if context.system_prompt is None else request.override(system_prompt=context.system_prompt)


class FormatOfContext(FromContext):
    """The response format and strategy of the context."""

    def __call__(self, state: Mapping[str, object], runtime: Runtime[Any]) -> Any:
        schema = super().__call__(state, runtime)
        return None if schema is None else _strategy(runtime.context.strategy, json.dumps(schema))


def general_agent(context: Mapping[str, Any] | None = None, *, permitted: Callable[[str], str] = str) -> AgentGraph:
    """Return the general agent for a run's context: one graph for all runs with the same limits.

    It has the calculator's tools, so that it can be tried without a key. ``permitted`` takes the name of the model that a
    context names, and returns it or raises an error; by default every name is permitted.
    """
    limit = GeneralAgentContext.model_fields["max_model_calls"].default
    max_model_calls, seconds = (context or {}).get("max_model_calls", limit), (context or {}).get("max_seconds")
    # An invalid value is refused when the run checks its context, with the field's name.
    is_time = isinstance(seconds, int | float) and 0 < seconds < inf
    calls = max_model_calls if isinstance(max_model_calls, int) and 1 <= max_model_calls <= MAX_MODEL_CALLS else limit
    return _agent(calls, seconds if is_time else None, permitted)


@lru_cache(maxsize=MAX_MODEL_CALLS)
def _agent(max_model_calls: int, seconds: float | None, permitted: Callable[[str], str]) -> AgentGraph:
    return create_agent(
        "offline",
        CALCULATOR_TOOLS,
        response_format=FormatOfContext(),
        middleware=[ApplyContext(permitted)],
        context_schema=GeneralAgentContext,
        limits=UsageLimits(model_calls=max_model_calls, seconds=seconds),
        name="agent",
    )


@lru_cache(maxsize=MAX_FORMATS)
def _strategy(name: str, schema: str) -> object:
    # One object per format, for caching.
    return STRATEGIES[name](json.loads(schema))


_model = lru_cache(maxsize=MAX_MODELS)(resolve_model)
