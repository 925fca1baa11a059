"""The prompted strategy: the schema stands in the prompt, the answer is JSON in the text."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, overload

from typing_extensions import TypeForm

from answergraph.response_format.model_request import NO_CALLS, ModelRequest
from answergraph.response_format.strategies.provider_strategy import native_format_binding, without_refused_tools
from answergraph.response_format.strategies.strategy import Binding, HandleErrors, SchemaT, Strategy

INSTRUCTIONS = """---
IMPORTANT: {when} respond with ONLY a valid JSON object matching this schema. \
No other text, no markdown code blocks, no explanation.
```json
{schema}
```"""
"""What ends the prompt; the wording is that of TAKT's prompt for providers without JSON schema."""


class PromptedStrategy(Strategy[SchemaT]):
    """Ask for the answer in words; works with every model that can write JSON.

    The instructions end the prompt of each call and are never stored in the conversation.
    """

    name = "prompted"

    # The type of the answer follows from the schema; that of a JSON Schema's answers is ``dict``.
    @overload
    def __init__(
        self: PromptedStrategy[dict[str, Any]],
        schema: dict[str, Any],
        *,
        json_mode: bool = ...,
        handle_errors: HandleErrors = ...,
    ) -> None: ...
    @overload
    def __init__(self, schema: TypeForm[SchemaT], *, json_mode: bool = ..., handle_errors: HandleErrors = ...) -> None: ...
    def __init__(self, schema: Any, *, json_mode: bool = False, handle_errors: HandleErrors = True) -> None:
        """Declare what is asked for.

        Args:
            schema: A type of answer, as ``create_agent`` takes it.
            json_mode: Whether the provider is asked for its ``json_object`` mode as well.
            handle_errors: What becomes of an answer that cannot be used.

        Raises:
            AgentSpecError: If the schema is not supported.
        """
        super().__init__(schema, handle_errors=handle_errors)
        self.json_mode = json_mode

    def binding(self, request: ModelRequest[Any]) -> Binding:
        binding = native_format_binding(request, {"type": "json_object"}) if self.json_mode else Binding(request.tools)
        settings = {"tool_choice": request.tool_choice, **binding.settings}
        return replace(binding, settings=settings, prompt=self._prompt(request))

    def to_send(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        request = super().to_send(request)
        return without_refused_tools(request, self) if self.json_mode else request

    def request_text(self) -> str:
        return "Respond with ONLY a valid JSON object matching the schema you were given, and nothing else."

    def _prompt(self, request: ModelRequest[Any]) -> str:
        has_tools = bool(request.tools) and request.tool_choice is not NO_CALLS
        return INSTRUCTIONS.format(
            when="When you need no further tool, you MUST" if has_tools else "You MUST",
            schema=json.dumps(self.reply_schema(), ensure_ascii=False),
        )
