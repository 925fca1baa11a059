"""Middleware, with LangChain's names and signatures."""

import typing

from langgraph.prebuilt.tool_node import ToolCallRequest

from answergraph.asking.model_request import ExtendedModelResponse, ModelCallResult, ModelRequest, ModelResponse
from answergraph.middleware.base import AgentMiddleware, hook_config
from answergraph.middleware.decorators import (
    after_agent,
    after_model,
    before_agent,
    before_model,
    dynamic_prompt,
    wrap_model_call,
    wrap_tool_call,
)
from answergraph.runtime import lazy_imports
from answergraph.state.agent_state import AgentState, InputAgentState, OmitFromSchema, OutputAgentState

if typing.TYPE_CHECKING:
    from answergraph.middleware.grounded_answer import GroundedAnswer, Input
    from answergraph.middleware.narrow_response_format import NarrowResponseFormat
    from answergraph.middleware.require_tools import RequireTools
else:
    # Imported on first use.
    __getattr__, __dir__ = lazy_imports.imported_later(__name__)

__all__ = [
    "AgentMiddleware",
    "AgentState",
    "ExtendedModelResponse",
    "GroundedAnswer",
    "Input",
    "InputAgentState",
    "ModelCallResult",
    "ModelRequest",
    "ModelResponse",
    "NarrowResponseFormat",
    "OmitFromSchema",
    "OutputAgentState",
    "RequireTools",
    "ToolCallRequest",
    "after_agent",
    "after_model",
    "before_agent",
    "before_model",
    "dynamic_prompt",
    "hook_config",
    "wrap_model_call",
    "wrap_tool_call",
]
