"""The ``react`` graph: an agent on a model without tool calls, by the text protocol Thought / Action / Observation."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from pydantic import BaseModel, Field

from answergraph import AgentGraph, AgentSpecError, UsageLimits, create_agent
from answergraph.graphs.add_ons.calculator.llm_math.llm_math_tool import llm_math_tool
from answergraph.graphs.add_ons.react.offline_text_model import OfflineTextModel
from answergraph.kit import explains_arguments, resolve_model
from answergraph.react_text.react_text_model import HandleParsingErrors, ReActTextModel

MAX_MODEL_CALLS = 15
"""The classic ``max_iterations``; the last call gives the final answer."""
MAX_GRAPHS = 64


class ReactContext(BaseModel):
    """The context of a run of the react graph; a server shows it as a form."""

    model: str = Field(
        default="offline",
        description=(
            "The model that writes the text: 'openai:NAME', 'provider:NAME', or 'offline', a set of rules for arithmetic "
            "that needs no key and is not a language model."
        ),
    )


@explains_arguments(options_of=create_agent)
def create_react(
    model: str | BaseChatModel = "offline",
    tools: Sequence[BaseTool | Callable[..., object]] | None = None,
    *,
    handle_parsing_errors: HandleParsingErrors = True,
    **options: Any,
) -> AgentGraph:
    """Create an agent that calls its tools in the text protocol.

    Args:
        model: A chat model, a text model, or a chat model's name; the default is a set of rules that needs no key.
        tools: The tools; by default the calculator of ``llm_math_tool`` on the same model.
        handle_parsing_errors: How to treat an unreadable reply, as for ``ReActTextModel``.
        **options: Further options of ``create_agent``, the same arguments; ``limits`` is 15 model calls by default.

    Returns:
        The compiled graph.

    Raises:
        AgentSpecError: If the agent cannot be built as asked.

    Example:
        >>> create_react().invoke({"messages": ["What is (2 + 3) × 4?"]})["messages"][-1].text
        '20'
    """
    llm = _text_model(model)
    used = [llm_math_tool(llm)] if tools is None else tools
    limited = {"limits": UsageLimits(model_calls=MAX_MODEL_CALLS), "name": "react", **options}
    wrapped = ReActTextModel(llm, handle_parsing_errors=handle_parsing_errors)
    agent: AgentGraph = create_agent(wrapped, used, **limited)
    return agent


def react_agent(model: str = "offline") -> AgentGraph:
    """Return the cached react graph for a model's name, with a ``ReactContext``; raise ``AgentSpecError`` if there is none."""
    if not isinstance(model, str):
        raise AgentSpecError(f"{model!r} is not the name of a model.")
    return _agent(model)


@lru_cache(maxsize=MAX_GRAPHS)
def _agent(model: str) -> AgentGraph:
    return create_react(model, context_schema=ReactContext)


def _text_model(model: str | BaseChatModel) -> Runnable[Any, Any]:
    if model == "offline":
        return OfflineTextModel()
    return model if isinstance(model, Runnable) else resolve_model(model)
