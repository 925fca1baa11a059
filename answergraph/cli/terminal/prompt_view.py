"""Prints requests and replies as sent, for ``--show-prompts``."""

import json
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage, get_buffer_string
from langchain_core.outputs import ChatGeneration, LLMResult

from answergraph.react_text.react_text_model import ReActTextModel


class PromptView(BaseCallbackHandler):
    """Prints each request with stop words and tools, and each reply."""

    def __init__(self, show: Callable[[str], object]) -> None:
        self._show = show
        self._numbers: dict[UUID, int] = {}

    def on_chat_model_start(
        self, serialized: dict[str, object], messages: list[list[BaseMessage]], *, run_id: UUID, **kwargs: Any
    ) -> None:
        """Print a chat model's request, except for models that only wrap another model."""
        if kwargs.get("invocation_params", {}).get("_type") != ReActTextModel.protocol:
            self._show_request(run_id, [get_buffer_string(batch) for batch in messages], kwargs)

    def on_llm_start(self, serialized: dict[str, object], prompts: list[str], *, run_id: UUID, **kwargs: object) -> None:
        self._show_request(run_id, prompts, kwargs)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: object) -> None:
        if (number := self._numbers.get(run_id)) is not None:
            for batch in response.generations:
                self._show(f"── reply {number} ──\n{batch[0].text}{_calls(batch[0])}")

    def _show_request(self, run_id: UUID, prompts: Sequence[str], kwargs: dict[str, Any]) -> None:
        self._numbers[run_id] = number = len(self._numbers) + 1
        params = kwargs.get("invocation_params", {})
        facts = {"stop": (kwargs.get("options") or {}).get("stop") or params.get("stop"), "tools": _names(params.get("tools"))}
        shown = "".join(f", {name} {json.dumps(value, ensure_ascii=False)}" for name, value in facts.items() if value)
        for prompt in prompts:
            self._show(f"── request {number}{shown} ──\n{prompt}")


def _names(tools: Any) -> list[str]:
    return [str(tool.get("function", tool).get("name")) for tool in tools or ()]


def _calls(generation: object) -> str:
    message = generation.message if isinstance(generation, ChatGeneration) else None
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return "".join(f"\n→ {call['name']}({json.dumps(call['args'], ensure_ascii=False)})" for call in calls)
